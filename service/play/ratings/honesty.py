"""Which pairs of people throw matches or share wins more than chance allows, and which accounts of an event share an
address, for operators to look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.contests.honesty import Chair, Odd, Table, odd_pairs
from service.play.site import Site
from service.store.models import Player
from service.store.tables.credentials import Visit
from service.store.tables.events import Entrant, Event
from service.store.tables.ratings import RatedSeat

LOOKED_AT = timedelta(days=365)
"""How long ago the matches that are looked at may have ended."""

BATCH = 1_000


class OddPair(NamedTuple):
    """A pair as the operator reads it."""

    one: str
    other: str
    odd: Odd


class Neighbours(NamedTuple):
    """Accounts that are in the same event and signed in from the same block of addresses, by number and name."""

    event_id: int
    event: str
    players: tuple[tuple[int, str], ...]


def neighbours(site: Site) -> Sequence[Neighbours]:
    """Accounts that share an address in events that are open or running. Families and schools do too: it's no proof."""
    found: dict[tuple[int, str], dict[int, str]] = defaultdict(dict)
    titles: dict[int, str] = {}
    with site.store.reading() as session:
        for event_id, title, network, player_id, name in session.execute(_SIGNED_IN):
            found[event_id, network][player_id], titles[event_id] = name, title
    groups = {(event_id, tuple(known.items())) for (event_id, _), known in found.items() if len(known) > 1}
    return [Neighbours(event_id, titles[event_id], players) for event_id, players in sorted(groups)]


_SIGNED_IN = (
    select(Event.id, Event.name, Visit.network, Player.id, Player.name)
    .join(Entrant, Entrant.event_id == Event.id)
    .join(Visit, Visit.player_id == Entrant.player_id)
    .join(Player, Player.id == Entrant.player_id)
    .where(Event.state.in_(("open", "running")), Entrant.state.in_(("in", "next", "leaving")), Visit.network != "")
    .order_by(Event.id, Player.id)
)


def listed(site: Site) -> Sequence[OddPair]:
    """The pairs, the oddest first."""
    with site.store.reading() as session:
        found = odd_pairs(_tables(session, site))
        ids = {number for odd in found for number in (odd.one, odd.other)}
        rows = session.execute(select(Player.id, Player.name).where(Player.id.in_(ids)))
        names = {number: name for number, name in rows}  # noqa: C416 - rows are no pairs to mypy
    return [OddPair(names[odd.one], names[odd.other], odd) for odd in found]


def _tables(session: Session, site: Site) -> Iterator[Table]:
    """The rated matches that people alone played to the end: running out of time is no favour, and bots do none."""
    rated = select(RatedSeat).where(RatedSeat.ended > site.now() - LOOKED_AT)
    rows = session.scalars(rated.order_by(RatedSeat.ended, RatedSeat.match_id).execution_options(yield_per=BATCH))
    for _, group in groupby(rows, key=lambda row: row.match_id):
        seats = list(group)
        own_seats = {seat.seat for seat in seats}
        if len(own_seats) == len(seats) > 1 and not any(seat.bot or seat.absence for seat in seats):
            yield Table(f"{seats[0].game} {len(seats)}", [_chair(seat) for seat in seats])


def _chair(seat: RatedSeat) -> Chair:
    return Chair(seat.player_id, seat.rating_before, seat.deviation, float(Fraction(seat.share)))
