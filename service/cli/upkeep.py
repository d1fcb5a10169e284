"""The operator's commands about a running site: its health, its ratings, matches that don't count."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    health = commands.add_parser(
        "health", help="show how much work is waiting; the exit code is 1 if something is wrong"
    )
    health.set_defaults(run=_health)
    ratings = commands.add_parser("ratings", help="recompute all ratings from the rated matches")
    ratings.add_argument("--again", action="store_true", help="do it, in one transaction")
    ratings.set_defaults(run=_ratings)

    annul = commands.add_parser("annul", help="annul a finished match, in the ratings and in its event")
    annul.add_argument("match", type="id", metavar="MATCH", help="its number")
    annul.set_defaults(run=_annul)

    operator = commands.add_parser("operator", help="decide which passkeys open the operators' pages")
    acts = operator.add_subparsers(required=True, metavar="COMMAND")
    confirm = acts.add_parser("confirm", help="have an operator's passkey open the operators' pages")
    confirm.add_argument("passkey", type="id", metavar="NUMBER", help="as /operator/open shows it to its owner")
    confirm.set_defaults(run=_confirm)


def _confirm(chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.operations import operator_acts

    try:
        name = operator_acts.confirm_passkey(this_site(), chosen.passkey)
    except operator_acts.ActError as error:
        print(f"stonepost: {error}", file=sys.stderr)
        return 1
    print(f"Passkey {chosen.passkey} of {name!a} opens the operators' pages.")
    return 0


def _annul(chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.ratings import recompute

    if not recompute.annul(this_site(), chosen.match):
        print(f"stonepost: There's no match {chosen.match} that is over.", file=sys.stderr)
        return 1
    print(f"Match {chosen.match} no longer counts. All ratings were recomputed. Places on ladders stay as they are.")
    return 0


def _ratings(chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.ratings import recompute

    if not chosen.again:
        print("stonepost: Run `stonepost ratings --again` to recompute all ratings.", file=sys.stderr)
        return 2
    matches = recompute.again(this_site())
    print("1 match rated again" if matches == 1 else f"{matches} matches rated again")
    return 0


def _health(_chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.operations.health import TROUBLES, examine, in_time

    site = this_site(migrate=False)
    try:
        found = in_time(lambda: examine(site) if site.store.is_migrated() else None)
    except TimeoutError:
        print(TROUBLES["hung"])
        return 1
    if found is None:
        print("The database's tables aren't up to date. Run: stonepost migrate")
        return 1
    print(f"last sweep     {'never' if found.swept is None else f'{found.swept.total_seconds():.0f} s ago'}")
    print(f"orders waiting {found.orders}")
    print(f"letters due    {found.letters}")
    print(f"letters failed {found.stuck}")
    print(f"{TROUBLES[found.trouble]}{f' ({found.error})' if found.error else ''}")
    return 1 if found.trouble else 0
