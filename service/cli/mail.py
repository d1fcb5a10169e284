"""The command that shows what a mail is read as: `stonepost mail read FILE`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    mail = commands.add_parser("mail", help="look at mails")
    actions = mail.add_subparsers(required=True, metavar="ACTION")
    read = actions.add_parser("read", help="print what a mail would be read as, in JSON")
    read.add_argument("file", nargs="?", default="-", metavar="FILE", help="the message; - is standard input")
    read.set_defaults(run=_read)


def _read(chosen: argparse.Namespace) -> int:
    from service.mail.read import read

    raw = sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file).read_bytes()
    found = read(raw)
    print(json.dumps(asdict(found) | {"is_automatic": found.is_automatic}, ensure_ascii=False))
    return 0
