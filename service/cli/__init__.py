"""The `stonepost` command. Each module of COMMANDS adds its own subcommands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from service.cli import games, gtp, mail, records, reports, run, upkeep
from service.config import SettingsError
from service.engine.game import OptionError

COMMANDS = (run, games, gtp, mail, records, reports, upkeep)
"""Modules with a function `add(commands)`; they import what is heavy only when their command runs."""


PRIVATE = 0o077
"""The umask of all that runs here: only the user who runs Stonepost reads the files it makes."""


class Parser(argparse.ArgumentParser):
    """Answers a wrong command line with one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message[:1].upper()}{message[1:]}.\n".replace("..", "."))

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Also take an optional FILE that stands behind options; argparse alone wants it next to what it follows."""
        chosen, rest = super().parse_known_args(args, namespace)
        if getattr(chosen, "file", None) == "-" and len(rest) == 1 and (rest == ["-"] or not rest[0].startswith("-")):
            chosen.file = rest.pop()
        return chosen, rest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 for a record that cannot be played, 2 for a wrong command."""
    os.umask(PRIVATE)
    parser = Parser(prog="stonepost", description="Correspondence play of unusual abstract games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    chosen = parser.parse_args(arguments)
    try:
        code: int = chosen.run(chosen)
        sys.stdout.flush()
    except (OptionError, SettingsError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # Whoever read the output has seen enough; Python must not complain at its own exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    """What keeps a database from being used, as it says itself; None for other errors."""
    # Not above: most commands never need a database, and this takes as long to load as some of them to run.
    from sqlalchemy.exc import OperationalError

    if not isinstance(error, OperationalError):
        return None
    return f"The database of DATABASE_URL cannot be used: {' '.join(str(error.orig).split())}"


def _sentence(error: Exception) -> str:
    """What was wrong; an error of the operating system without its number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    return str(error)
