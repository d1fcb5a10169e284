"""Which pairs of people throw matches or share wins more than chance allows, for operators to look at."""

from __future__ import annotations

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
from service.store.tables.ratings import RatedSeat

LOOKED_AT = timedelta(days=365)
"""How long ago the matches that are looked at may have ended."""

BATCH = 1_000


class OddPair(NamedTuple):
    """A pair as the operator reads it."""

    one: str
    other: str
    odd: Odd


def listed(site: Site) -> Sequence[OddPair]:
    """The pairs, the oddest first."""
    with site.store.reading() as session:
        found = odd_pairs(_tables(session, site))
        ids = {number for odd in found for number in (odd.one, odd.other)}
        rows = session.execute(select(Player.id, Player.name).where(Player.id.in_(ids)))
        names = {number: name for number, name in rows}  # noqa: C416 - rows are no pairs to mypy
    return [OddPair(names[odd.one], names[odd.other], odd) for odd in found]


def _tables(session: Session, site: Site) -> Iterator[Table]:
    """The rated matches that people alone played to the end: time that ran out is no favour, and a bot does none."""
    rated = select(RatedSeat).where(RatedSeat.ended > site.now() - LOOKED_AT)
    rows = session.scalars(rated.order_by(RatedSeat.ended, RatedSeat.match_id).execution_options(yield_per=BATCH))
    for _, group in groupby(rows, key=lambda row: row.match_id):
        seats = list(group)
        own_seats = {seat.seat for seat in seats}
        if len(own_seats) == len(seats) > 1 and not any(seat.bot or seat.absence for seat in seats):
            yield Table(f"{seats[0].game} {len(seats)}", [_chair(seat) for seat in seats])


def _chair(seat: RatedSeat) -> Chair:
    return Chair(seat.player_id, seat.rating_before, seat.deviation, float(Fraction(seat.share)))
