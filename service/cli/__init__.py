"""The `stonepost` command. Each module of COMMANDS adds its own subcommands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from service.cli import backups, contests, games, gtp, gtp_seat, mail, play, records, reports, upkeep
from service.cli.deployment import doctor, run
from service.cli.deployment.output import drop_unwritten
from service.config import SettingsError
from service.engine.options import OptionError

COMMANDS = (run, play, games, contests, gtp, gtp_seat, mail, records, reports, backups, upkeep, doctor)
"""Each has a function `add(commands)`, and imports what is slow to load only when its command runs."""

PRIVATE = 0o077
"""The umask: only the user who runs Stonepost can read the files it creates."""


MOST_DIGITS = 18
"""The most digits of a number, such as a seed."""

MAY_NOT = "42501"
"""PostgreSQL's code for an error of a user who lacks a privilege."""

LARGEST_ID = 2**31 - 1
"""The largest number that a row can have: PostgreSQL refuses to look for a larger one."""


class Subcommands(argparse._SubParsersAction):  # type: ignore[type-arg] # It isn't generic when it runs.
    """Commands whose own --help begins with the sentence about them in the list of commands."""

    def add_parser(self, name: str, **given: Any) -> Any:
        """Adds a command. The argument `help` is what it does, without a capital and a full stop."""
        told = given["help"]
        return super().add_parser(name, description=f"{told[:1].upper()}{told[1:]}.", **given)


def _whole(text: str) -> int:
    """What `type=int` means in all commands, with an error that reads as a sentence."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number of 0 or more, not {text!r}")
    if len(text) > MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"must have at most {MOST_DIGITS} digits, not {len(text)}")
    return int(text)


def _id(text: str) -> int:
    """What `type="id"` means: the number of a row."""
    if (number := _whole(text)) > LARGEST_ID:
        raise argparse.ArgumentTypeError(f"must be at most {LARGEST_ID}, not {number}")
    return number


class Parser(argparse.ArgumentParser):
    """Prints one sentence about a wrong command line, and exits with code 2."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.register("action", "parsers", Subcommands)
        self.register("type", int, _whole)
        self.register("type", "id", _id)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """argparse would name all commands in the error."""
        if isinstance(action, Subcommands) and value not in action.choices:
            self.error(f"There's no command {value}. Run `{self.prog} --help`")
        super()._check_value(action, value)

    def print_help(self, file: Any = None) -> None:
        super().print_help(file)
        print(end="", flush=True)  # Here, a reader that has closed the pipe is noticed where `main` handles it.

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message[:1].upper()}{message[1:]}.\n".replace("..", "."))

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Also accepts an optional FILE after options; argparse only accepts it right after the positional
        arguments."""
        chosen, rest = super().parse_known_args(args, namespace)
        if getattr(chosen, "file", None) == "-" and len(rest) == 1 and (rest == ["-"] or not rest[0].startswith("-")):
            chosen.file = rest.pop()
        return chosen, rest


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0, 1 for a record that can't be played, 2 for a wrong command."""
    os.umask(PRIVATE)
    parser = Parser(prog="stonepost", description="Correspondence play of unusual abstract games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    words = sys.argv[1:] if arguments is None else arguments
    # The program that starts us may have closed them.
    sys.stdin, sys.stdout = sys.stdin or open(os.devnull), sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    try:
        chosen = parser.parse_args(words or ["--help"])
        code: int = chosen.run(chosen)
        print(end="", flush=True)
    except (OptionError, SettingsError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader, such as `head`, has closed the pipe. Without this, Python would complain again as it exits.
            drop_unwritten()
            return 0
        print(f"stonepost: {_sentence(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if (trouble := _of_the_database(error)) is None:
            raise
        print(f"stonepost: {trouble}", file=sys.stderr)
        return 2
    return code


def _of_the_database(error: Exception) -> str | None:
    """A sentence, with the database's own message if it has one; None for other errors."""
    # Imported here because most commands need no database, and some run in less time than this takes to load.
    from alembic.util import CommandError
    from sqlalchemy.exc import DatabaseError, DBAPIError

    from service.store.session import FAILURES

    setting = "DATABASE_URL" if os.environ.get("DATABASE_URL") else "STONEPOST_DATA"
    if isinstance(error, CommandError):
        return f"The database in {setting} is from a newer version of Stonepost. Run that version, or restore a backup."
    if not isinstance(error, (DBAPIError, *FAILURES)):
        return None
    cause = getattr(error, "orig", None) or error
    told = getattr(getattr(cause, "diag", None), "message_primary", None) or str(cause)
    # SQLite raises DatabaseError itself for a file that isn't a database. Most of its subclasses mean that we made a
    # mistake, unless no statement was run yet: then PostgreSQL's address is wrong.
    is_ours = not (isinstance(error, FAILURES) or type(error) is DatabaseError or error.statement is None)
    if is_ours and getattr(cause, "sqlstate", None) != MAY_NOT:
        return None
    return f"The database in {setting} can't be used: {' '.join(told.split())}"


def _sentence(error: Exception) -> str:
    """The error's message, without the number of an operating system error. A file can't be renamed because of what is
    already there."""
    if not (isinstance(error, OSError) and error.strerror):
        return str(error)
    return f"{error.filename2 or error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
