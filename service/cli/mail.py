"""The commands about mail: `stonepost mail read FILE`, `pipe RECIPIENT`, `dkim-key`, `stuck`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from service.cli.site import this_site

if TYPE_CHECKING:
    from service.mail.parsing.read import Inbound

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    mail = commands.add_parser("mail", help="read, accept and check email")
    actions = mail.add_subparsers(required=True, metavar="ACTION")
    read = actions.add_parser("read", help="print as JSON what Stonepost reads in an email")
    read.add_argument("--game", metavar="GAME", help="the game whose moves to look for (default: any)")
    read.add_argument("file", nargs="?", default="-", metavar="FILE", help="the message (default: -, standard input)")
    read.set_defaults(run=_read)
    pipe = actions.add_parser("pipe", help="accept the message on standard input, for an alias of a mail server")
    pipe.add_argument("recipient", nargs="+", metavar="RECIPIENT", help="the addresses it was sent to")
    pipe.set_defaults(run=_pipe)
    key = actions.add_parser(
        "dkim-key", help="create the key that signs our mail, if missing, and print the DNS records"
    )
    key.set_defaults(run=_dkim_key)
    stuck = actions.add_parser("stuck", help="list the letters that couldn't be sent, and why")
    stuck.add_argument("--again", nargs="*", type="id", metavar="ID", help="try these letters again (no ID: all)")
    stuck.add_argument("--drop", nargs="+", type="id", default=[], metavar="ID", help="never send these letters")
    stuck.set_defaults(run=_stuck)


def _read(chosen: argparse.Namespace) -> int:
    from service.mail.parsing.read import read

    raw = sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file).read_bytes()
    found = read(raw)
    said = asdict(found) | {"is_automatic": found.is_automatic, "reading": _reading(found, chosen.game)}
    print(json.dumps(said, ensure_ascii=False))
    return 0


def _reading(found: Inbound, game: str | None) -> dict[str, object]:
    """Which lines would be orders or commands and what would be a remark; raises OptionError for an unknown game.

    What counts as a move depends on the position: that of a new match of `game`, or else any text that some game might
    read as a move. An email that answers another counts as a reply, whose Subject isn't read.
    """
    from service.engine.options import OptionError
    from service.games import GAMES
    from service.mail.grammar.reading import before_the_board
    from service.play.inbox import run_commands

    if game is not None and game not in GAMES:
        raise OptionError(f"There's no game {game!r}; there are {', '.join(GAMES)}.")
    subject = "" if found.references else found.subject
    if game is None:
        reading = before_the_board([*GAMES.values()], subject, found.text)
    else:
        reading = run_commands.at_the_board([(GAMES[game].start(), 0)], subject, found.text)
    return {
        "lines": [
            {"text": line.text, "command": line.command.name if line.command else "", "asks": line.asks}
            for line in reading.lines
        ],
        "remark": reading.remark,
        "not_obeyed": reading.not_obeyed,
        "is_private": reading.is_private,
        "ignored": [line.text for line in reading.ignored],
    }


EX_DATAERR = 65
"""The exit code that makes a mail server send the message back (sysexits.h)."""

EX_TEMPFAIL = 75
"""The exit code that makes a mail server keep the message and try again later (sysexits.h)."""


def _pipe(chosen: argparse.Namespace) -> int:
    from service.config import SettingsError
    from service.inbound.smtp import SIZE_LIMIT
    from service.play.inbox.receive import receive

    raw = sys.stdin.buffer.read(SIZE_LIMIT + 1)
    if len(raw) > SIZE_LIMIT:
        print(f"stonepost: A message may have at most {SIZE_LIMIT} bytes.", file=sys.stderr)
        return EX_DATAERR
    try:
        receive(this_site(migrate=False), raw, chosen.recipient, "pipe")
    except SettingsError as error:
        print(f"stonepost: {error}", file=sys.stderr)
        return EX_TEMPFAIL
    except Exception as error:  # Any other exit code makes a mail server send the message back.
        print(f"stonepost: The message couldn't be stored ({type(error).__name__}). Try again later.", file=sys.stderr)
        return EX_TEMPFAIL
    return 0


def _dkim_key(_chosen: argparse.Namespace) -> int:
    from service.config import Settings, SettingsError, kept_key
    from service.mail.letters import dkim_sign

    settings = Settings.from_environment()
    path = settings.dkim_key
    path.parent.mkdir(parents=True, exist_ok=True)
    domain, key = settings.mail_domain, kept_key(path, dkim_sign.new_key)
    try:
        record = dkim_sign.record(key)
    except ValueError as error:
        raise SettingsError(f"{path} has no RSA key without a password: put it back, or delete it.") from error
    # A string in a TXT record has at most 255 octets (RFC 1035, 3.3.14). The receiver joins them.
    strings = " ".join(f'"{record[at : at + 250]}"' for at in range(0, len(record), 250))
    print(f"; The key is in {path}. Add these records to the DNS, then restart Stonepost.")
    print(f"{settings.dkim_selector}._domainkey.{domain}. TXT {strings}")
    if settings.shares_domain:
        print("; The domain's other mail decides what its SPF and DMARC records say.")
        return 0
    print(f'{domain}. TXT "v=spf1 mx -all"')
    print(f'_dmarc.{domain}. TXT "v=DMARC1; p=quarantine; rua=mailto:postmaster@{domain}"')
    return 0


def _stuck(chosen: argparse.Namespace) -> int:
    from service.config import SettingsError
    from service.play.operations import failed_letters

    site = this_site(migrate=False)
    if not site.store.is_migrated():
        raise SettingsError("The tables aren't up to date. Run: stonepost migrate")
    for letter in failed_letters.letters(site):
        shown = (letter.id, letter.kind, letter.to, f"{letter.created:%Y-%m-%d %H:%M}", letter.attempts, letter.why)
        print(*shown, sep="\t")
    if chosen.drop:
        print(f"Letters dropped: {failed_letters.drop(site, chosen.drop)}")
    if chosen.again is not None:
        print(f"Letters to be tried again: {failed_letters.again(site, chosen.again)}")
    return 0
