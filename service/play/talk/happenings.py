"""What has happened lately in a player's matches, for programs that wait for it.

It's read from the matches themselves, so nothing is lost and nothing has to be kept. A cursor is the time up to which a
program knows everything, and what it knows of the last seconds before: a transaction may commit after another one whose
time is later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias

from sqlalchemy import Select, and_, bindparam, or_, select, union_all
from sqlalchemy.orm import Session

from service.play import links
from service.play.site import Site
from service.play.table import teams
from service.play.talk import messages
from service.store.models import Match, Seat, Teammate
from service.store.rows import Instant
from service.store.tables.player_data import Saying

LISTED = 100
"""Events in one answer."""

OVERLAP = timedelta(seconds=10)
"""How long after its own time a transaction may commit without its event being missed."""

What: TypeAlias = Literal["turn", "moved", "invitation", "opened", "over", "declined", "said"]

_CURSOR = re.compile(r"(\d{1,15})(?:\.((?:[0-9a-f]{8}){0,400})(?:\.(\d{1,17})\.(\d{1,10}))?)?")


class Happening(NamedTuple):
    """Something that happened in a match; for several changes of one match, only the latest."""

    at: datetime
    what: What
    match_id: int
    round: int

    @property
    def digest(self) -> str:
        """Eight characters that name it in a cursor."""
        return blake2b(repr((self.at.timestamp(), *self[1:])).encode(), digest_size=4).hexdigest()


class Change(NamedTuple):
    """That something happened in a match: it moved on at this time, or somebody said something with this number."""

    match_id: int
    moved: datetime | None
    said: int | None


class Waits(NamedTuple):
    """How far a program knows what waits for the player: the microsecond and the number of the last match."""

    moved: int
    match_id: int


class Cursor(NamedTuple):
    """Up to when a program knows everything, and what it knows of OVERLAP before that. With `rest`, it doesn't know all
    that was waiting at that time yet."""

    at: datetime
    told: frozenset[str]
    rest: Waits | None = None

    @classmethod
    def read(cls, text: str) -> Cursor:
        """A cursor as `write` wrote it; raises ValueError."""
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise ValueError("This isn't a valid cursor: send the value of after in the last answer.")
        told = found[2] or ""
        rest = Waits(int(found[3]), min(int(found[4]), 2**31 - 1)) if found[3] else None
        return cls(_instant(int(found[1])), frozenset(told[at : at + 8] for at in range(0, len(told), 8)), rest)

    def write(self) -> str:
        """The cursor as text for programs."""
        rest = "" if self.rest is None else f".{self.rest.moved}.{self.rest.match_id}"
        return f"{(self.at - _EPOCH) // _WHOLE}.{''.join(sorted(self.told))}{rest}"


class News(NamedTuple):
    """What is new, the oldest first, and the cursor to ask with next time."""

    happenings: Sequence[Happening]
    after: Cursor


def waiting(site: Site, player_id: int) -> News:
    """What waits for a player, LISTED at most: turns and invitations. Programs begin with it."""
    now = site.now()
    with site.store.reading() as session:
        told = frozenset(one.digest for one in _found(session, player_id, _known_from(now), 4 * LISTED))
        return _waiting(session, player_id, Cursor(now, told, Waits(0, 0)))


def _waiting(session: Session, player_id: int, cursor: Cursor) -> News:
    """What waits for a player from `cursor.rest` on. The program hears of what happens meanwhile after that."""
    assert cursor.rest is not None, "Otherwise all that waits is known."
    own = teams.places_of(player_id)
    needs = or_(own.c.to_move & (Match.state == "running"), ~own.c.accepted & (Match.state == "open"))
    numbers = select(Match.id).join(own, own.c.match_id == Match.id).where(needs).correlate(None)
    moved = _EPOCH + timedelta(microseconds=cursor.rest.moved)
    further = or_(Match.moved > moved, and_(Match.moved == moved, Match.id > cursor.rest.match_id))
    found = select(Match).where(Match.id.in_(numbers), further)
    if cursor.rest.match_id:  # A cursor has whole milliseconds.
        found = found.where(Match.moved < cursor.at + timedelta(milliseconds=1))
    waits = _of_matches(session, found.order_by(Match.moved, Match.id).limit(LISTED + 1), player_id)
    last = waits[LISTED - 1] if len(waits) > LISTED else None
    rest = None if last is None else Waits((last.at - _EPOCH) // timedelta(microseconds=1), last.match_id)
    return News(sorted(waits[:LISTED]), cursor._replace(rest=rest))


def since(site: Site, player_id: int, cursor: Cursor) -> News:
    """What has happened since, LISTED at most; what waits for the player, if a backup was restored since."""
    if links.first_restored(site, int(cursor.at.timestamp())):
        return waiting(site, player_id)  # A program may know of a move that was lost, and wait for an answer to it.
    now = site.now()
    # One more than is listed, after all that the program knows already. A cursor names 4 * LISTED at most.
    most = min(LISTED + 1 + len(cursor.told), 4 * LISTED)
    with site.store.reading() as session:
        if cursor.rest is not None and (waits := _waiting(session, player_id, cursor)).happenings:
            return waits
        found = _found(session, player_id, _known_from(cursor.at), most)
    new = [one for one in found if one.digest not in cursor.told]
    until = now if len(new) <= LISTED else new[LISTED - 1].at
    # Of several at that same time, some may be left for the next answer.
    known = cursor.told | {one.digest for one in new[:LISTED]}
    told = frozenset(one.digest for one in found if _known_from(until) < one.at <= until and one.digest in known)
    return News(new[:LISTED], Cursor(until, told))


def recent(site: Site) -> frozenset[Change]:
    """All that has happened within OVERLAP, to anybody: it costs the same however many matches there are."""
    begins = site.now() - OVERLAP
    with site.store.reading() as session:
        moved = session.execute(_MOVED, {"begins": begins})
        said = session.execute(_SAID, {"begins": begins})
        return frozenset([*(Change(*row, None) for row in moved), *(Change(match, None, row) for match, row in said)])


_MOVED = select(Match.id, Match.moved).where(Match.moved > bindparam("begins", type_=Instant))
_SAID = select(Saying.match_id, Saying.id).where(Saying.said > bindparam("begins", type_=Instant))


def players_of(site: Site, matches: Collection[int]) -> frozenset[int | None]:
    """The players who have a place in any of these matches."""
    places = (select(place.player_id).where(place.match_id.in_(matches)) for place in (Seat, Teammate))
    with site.store.reading() as session:
        return frozenset(session.scalars(union_all(*places)))


def _found(session: Session, player_id: int, begins: datetime, most: int) -> list[Happening]:
    """What happened after this time, the oldest first, and no more than `most`."""
    places = teams.places_of(player_id)
    own = select(Match).where(Match.id.in_(select(places.c.match_id)), Match.moved > begins)
    changed = _of_matches(session, own.order_by(Match.moved).limit(most), player_id)
    said = messages.heard_since(session, player_id, begins, most)
    spoken = (Happening(one.said, "said", one.match_id, 0) for one in said)
    return sorted([*changed, *spoken])[:most]


def _of_matches(session: Session, statement: Select[Match], player_id: int) -> list[Happening]:
    matches = session.scalars(statement).unique().all()  # A player may have two seats in one.
    teams.load(session, matches)
    return [Happening(match.moved, _what(match, player_id), match.id, match.round) for match in matches]


def _what(match: Match, player_id: int) -> What:
    """What a match is to a player who has a place in it."""
    own = match.place_of(player_id)
    if match.state == "running":
        return "turn" if isinstance(own, Seat) and own.to_move else "moved"
    if match.state == "open":
        return "invitation" if own is not None and not own.accepted else "opened"
    return "over" if match.state == "over" else "declined"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = timedelta(milliseconds=1)
"""How exactly a cursor has its time, as text."""


def _known_from(at: datetime) -> datetime:
    """The time from which on a cursor of this time names what a program knows, also once it was text."""
    return at - (at - _EPOCH) % _WHOLE - OVERLAP


def _instant(milliseconds: int) -> datetime:
    # A cursor with a time in the future would wait for that time.
    return datetime.fromtimestamp(min(milliseconds, 253_402_300_000_000) / 1000, UTC)
