"""The commands that add and print records of matches: `stonepost import FILE`, `stonepost export MATCH`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from service.cli.site import this_site

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    bring = commands.add_parser("import", help="add a record as a finished match")
    bring.add_argument("--by", required=True, metavar="ADDRESS", help="the email address of the player who adds it")
    bring.add_argument("file", nargs="?", default="-", metavar="FILE", help="the record (default: -, standard input)")
    bring.set_defaults(run=_import)
    export = commands.add_parser("export", help="print a match as a record")
    export.add_argument("match", type="id", metavar="MATCH", help="the match's number")
    export.add_argument(
        "--as", dest="suffix", default="txt", metavar="FORMAT", help="txt, json, or a format of the game such as sgf"
    )
    export.set_defaults(run=_export)


def _import(chosen: argparse.Namespace) -> int:
    from service.play.accounts import identity
    from service.play.pages import records

    raw = sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file).read_bytes()
    site = this_site()
    try:
        with site.transaction() as tx:
            importer = identity.by_email(tx.session, chosen.by, tx.now)
            importer.confirmed = importer.confirmed or tx.now  # The operator vouches for it.
        match_id = records.bring(site, importer.id, raw)
    except identity.AccountError as error:
        return _failed(str(error), 2)
    except records.RecordRefused as error:
        return _failed(str(error), 1)
    print(f"{site.settings.public_url}/match/{match_id}")
    return 0


def _export(chosen: argparse.Namespace) -> int:
    from service.play.pages import match_page, records
    from service.play.talk import comments

    site = this_site()
    page = match_page.match_page(site, chosen.match, None)
    if page is None:
        return _failed(f"There's no match {chosen.match}.", 2)
    known = {notation.suffix: notation for notation in page.notations}
    if chosen.suffix not in known:
        return _failed(f"Match {chosen.match} can be exported as {' or '.join(known)}, not as {chosen.suffix}.", 2)
    said = comments.recorded(site, chosen.match, None)
    print(records.export(site, chosen.match, known[chosen.suffix], said), end="")
    return 0


def _failed(sentence: str, code: int) -> int:
    print(f"stonepost: {sentence}", file=sys.stderr)
    return code
