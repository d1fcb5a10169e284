"""The entries of a match, wherever they are: in rows of their own or, once it ended long ago, packed into its row.

Code about running matches may read the rows. All other code asks here, so that no page needs to know where they are.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, func, select
from sqlalchemy.orm import Session

from service.store.models import REPLACED, Entry, Match, Submission


class Logged(NamedTuple):
    """An entry of a log: the columns of Entry that still matter once the match is over, and who ordered it."""

    ply: int
    seat: int
    move: str
    remark: str
    played: datetime
    round: int
    private: bool
    back: int | None
    fate: str
    by: int | None = None
    """The player who ordered it, if any. Entries read from rows have it only if asked for with `authors`."""


_COLUMNS = (
    *(Entry.ply, Entry.seat, Entry.move, Entry.remark, Entry.played),
    *(Entry.round, Entry.private, Entry.back, Entry.fate),
)
_ROWS = (
    select(*_COLUMNS)
    .where(Entry.match_id == bindparam("match"), Entry.ply > bindparam("after"), Entry.ply <= bindparam("last"))
    .order_by(Entry.ply)
)
"""Built once, because every page and letter runs it.

Columns, not objects: a long match has hundreds of entries, and objects would take half of the page's time.
"""
_BY = _ROWS.add_columns(Submission.player_id).outerjoin(Submission, Submission.id == Entry.submission_id)
_PACKED = select(Match.log).where(Match.id == bindparam("match"))
_OF_ALL = (
    select(Entry.match_id, *_COLUMNS, Submission.player_id)
    .outerjoin(Submission, Submission.id == Entry.submission_id)
    .where(Entry.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(Entry.match_id, Entry.ply)
)


def entries(
    session: Session, match: Match, last: int | None = None, *, after: int = 0, authors: bool = False
) -> Sequence[Logged]:
    """The entries of a match with plies above `after` and up to `last`, by default all, in order."""
    session.flush()
    wanted = {"match": match.id, "after": after, "last": match.ply if last is None else last}
    rows = session.connection().execute(_BY if authors else _ROWS, wanted).all()
    # In this order: if they are packed between the two statements, the second finds them.
    packed = None if rows or match.state != "over" else session.connection().execute(_PACKED, wanted).scalar()
    if packed is None:
        return [Logged(*row) for row in rows]
    return [entry for entry in unpack(packed) if after < entry.ply <= wanted["last"]]


def of_all(session: Session, matches: Sequence[Match]) -> dict[int, Sequence[Logged]]:
    """All entries of each of these matches, with their authors, by the matches' ids: two statements in all."""
    session.flush()
    found: dict[int, Sequence[Logged]] = {match.id: [] for match in matches}
    rows = session.connection().execute(_OF_ALL, {"matches": [*found]})
    for match_id, log in groupby(rows, key=itemgetter(0)):
        found[match_id] = [Logged(*row[1:]) for row in log]
    packed = select(Match.id, Match.log).where(
        Match.id.in_([match_id for match_id, log in found.items() if not log]), Match.log.is_not(None)
    )
    return found | {match_id: unpack(log) for match_id, log in session.connection().execute(packed)}


class Outline(NamedTuple):
    """What everybody sees of the log of a match that is over: how many entries it has, and the seat and move of
    the first move that wasn't private when it was made."""

    length: int
    first: tuple[int, str] | None


def outlines(session: Session, match_ids: Sequence[int], no_moves: Collection[str] = ()) -> dict[int, Outline]:
    """The outlines, by match id, of those matches that are over and have entries that everybody sees. None of
    `no_moves`, such as the offer of a draw, is a first move."""
    public_ply = case((and_(Entry.private.is_(False), Entry.move.not_in(no_moves)), Entry.ply))
    seen = (
        select(Entry.match_id, func.count().label("length"), func.min(public_ply).label("first"))
        .where(Entry.match_id.in_(match_ids), Entry.fate != REPLACED)
        .group_by(Entry.match_id)
        .subquery()
    )
    is_first = and_(Entry.match_id == seen.c.match_id, Entry.ply == seen.c.first)
    rows = session.execute(select(seen.c.match_id, seen.c.length, Entry.seat, Entry.move).outerjoin(Entry, is_first))
    found = {match_id: Outline(length, None if move is None else (seat, move)) for match_id, length, seat, move in rows}
    packed = select(Match.id, Match.log).where(Match.id.in_(match_ids), Match.log.is_not(None))
    for match_id, log in session.execute(packed):
        public = [entry for entry in unpack(log) if entry.fate != REPLACED]
        first = next(
            ((entry.seat, entry.move) for entry in public if not entry.private and entry.move not in no_moves), None
        )
        found[match_id] = Outline(len(public), first)
    return found


def timed_out(session: Session, match: Match) -> set[int]:
    """The seats that lost on time."""
    return {entry.seat for entry in entries(session, match) if entry.move == "timeout"}


_FORMAT = b"1"
_RAW = -zlib.MAX_WBITS
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def pack(log: Sequence[Logged]) -> bytes:
    """A log, with its authors, in few bytes: its columns as JSON, deflated. Times and rounds are differences from the
    entry before."""
    assert [entry.ply for entry in log] == [*range(1, len(log) + 1)], "Nothing is missing in a log."
    columns = (
        [entry.seat for entry in log],
        [entry.move for entry in log],
        [*_steps(entry.round for entry in log)],
        [*_steps((entry.played - _EPOCH) // _MICROSECOND for entry in log)],
        [entry.by for entry in log],
        [entry.ply for entry in log if entry.private],
        {entry.ply: entry.back for entry in log if entry.back is not None},
        {entry.ply: entry.fate for entry in log if entry.fate},
        {entry.ply: entry.remark for entry in log if entry.remark},
    )
    deflate = zlib.compressobj(9, wbits=_RAW)
    return _FORMAT + deflate.compress(json.dumps(columns, separators=(",", ":")).encode()) + deflate.flush()


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> tuple[Logged, ...]:
    """Restores what `pack` packed. The latest logs are cached, because one page asks for the same log several times."""
    assert packed[:1] == _FORMAT, "There is one format so far."
    seats, moves, rounds, times, authors, private, back, fates, remarks = json.loads(
        zlib.decompress(packed[1:], wbits=_RAW)
    )
    known, round_, played = {*private}, 0, _EPOCH
    log = []
    for ply, seat in enumerate(seats, 1):
        place, key = ply - 1, str(ply)
        round_, played = round_ + rounds[place], played + times[place] * _MICROSECOND
        said = (remarks.get(key, ""), played, round_, ply in known, back.get(key), fates.get(key, ""))
        log.append(Logged(ply, seat, moves[place], *said, authors[place]))
    return tuple(log)


def _steps(numbers: Iterable[int]) -> Iterable[int]:
    """How far each number is from the one before, the first from 0."""
    return (number - before for before, number in pairwise((0, *numbers)))
