"""`stonepost reports` lists what players have reported about others, pairs whose results chance doesn't explain, and
accounts that share an address."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from service.cli.site import this_site

if TYPE_CHECKING:
    from service.play.site import Site
    from service.play.talk.moderation import ReportLine

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    reports = commands.add_parser("reports", help="list players' reports about others, latest first")
    reports.set_defaults(run=_list)
    reports.add_argument("--closed", action="store_true", help="list those that were closed, too")


def _all(site: Site, closed: bool) -> Iterator[ReportLine]:
    from service.play.talk import moderation

    before = 0
    while lines := moderation.reports(site, before, closed=closed):
        yield from lines
        before = lines[-1].id


def _list(chosen: argparse.Namespace) -> int:
    from service.play.ratings import honesty

    site = this_site()
    for line in _all(site, chosen.closed):
        about = f"{line.by!a} ({line.by_id}) about {line.about!a} ({line.about_id})"
        closed = f", closed {line.closed:%Y-%m-%d %H:%M}" if line.closed else ""
        print(f"{line.made:%Y-%m-%d %H:%M} {about}{closed}:")
        # The text is a stranger's: escaped, it can't send control codes to the operator's terminal.
        for part in line.text.splitlines():
            print(f"    {part!a}")
    for one, other, odd in honesty.listed(site):
        pair = f"{one!a} ({odd.one}) and {other!a} ({odd.other})"
        if odd.what == "shares":
            print(f"{pair} shared {odd.found:g} of {odd.matches} matches; ", end="")
        else:
            print(f"{pair}: the first won {odd.found:g} of {odd.matches} points; ", end="")
        print(f"{odd.expected:.1f} were expected (z = {odd.z:.1f})")
    for _, event, players in honesty.neighbours(site):
        names = ", ".join(f"{name!a} ({number})" for number, name in players)
        print(f"{event!a}: {names} signed in from the same address")
    return 0
