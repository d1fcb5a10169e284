"""Replays options and log to positions, and caches the recent ones. A log only grows: a takeback is an entry of its
own, and later replays skip what it took back. So the position after any number of entries is always the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sqlalchemy.orm import Session

from service.engine.game import AGREEMENTS, LEAVES, SUBSTITUTE, Log, Position
from service.engine.rewound import Again
from service.games import GAMES
from service.store.entries import Logged, entries
from service.store.models import Match

KEPT = 512
"""Cached positions per process. They never become stale."""

_Key: TypeAlias = tuple[int, int, int]
_kept: OrderedDict[_Key, Position] = OrderedDict()


TAKEBACK = "takeback"
"""The log's entry for a takeback. It isn't a move, and no order can be read as it."""

NO_MOVES = frozenset({*LEAVES, *AGREEMENTS, SUBSTITUTE})
"""Other log entries that aren't moves, so can't be taken back."""


def start(match: Match) -> Position:
    """The position before the first move."""
    return GAMES[match.game].begin(len(match.seats), match.seed, match.options)


def position(session: Session, match: Match, ply: int | None = None) -> Position:
    """The position after the first `ply` entries, by default after all of them."""
    wanted = match.ply if ply is None else ply
    known, found = _nearest(match, wanted)
    if found is None:
        found = start(match)
    if known < wanted:
        found = _after(session, match, found, entries(session, match, wanted, after=known))
    keep(match, wanted, found)
    return found


def on(match: Match, position: Position, log: Log) -> Position:
    """The position after more canonical moves that were once accepted."""
    game = GAMES[match.game]
    return position.replayed(game, log) if isinstance(position, Again) else game.replay(position, log)


def standing(log: Iterable[tuple[int, int | None]]) -> set[int]:
    """The plies of a log's moves that weren't taken back; each entry is given as its ply and how far it goes `back`."""
    plies: list[int] = []
    for ply, back in log:
        if back is None:
            plies.append(ply)
        else:
            plies = [one for one in plies if one <= back]
    return set(plies)


def _after(session: Session, match: Match, found: Position, log: Sequence[Logged]) -> Position:
    """The position after more of the log. If there were takebacks, replaying begins at the latest."""
    last = next((index for index in reversed(range(len(log))) if log[index].back is not None), None)
    if last is not None:
        before = position(session, match, log[last].back)
        found, log = Again.of(before, log[last].round + 1 - before.round), log[last + 1 :]
    return on(match, found, ((entry.seat, entry.move) for entry in log))


def keep(match: Match, ply: int, found: Position) -> None:
    """Remembers a position. Ids repeat from one database to the next, seeds do not: both make the key."""
    _kept[(match.seed, match.id, ply)] = found
    _kept.move_to_end((match.seed, match.id, ply))
    while len(_kept) > KEPT:
        _kept.popitem(last=False)


def forget() -> None:
    """Clears the cache after a transaction that had played moves was rolled back."""
    _kept.clear()


def _nearest(match: Match, ply: int) -> tuple[int, Position | None]:
    """The latest kept position at or shortly before `ply`, and its ply."""
    for known in range(ply, max(-1, ply - 16), -1):
        found = _kept.get((match.seed, match.id, known))
        if found is not None:
            return known, found
    return 0, None


def summarise(match: Match, position: Position) -> None:
    """Copies what lists of matches need to know of a position into the match's rows."""
    match.round = position.round
    for seat in match.seats:
        seat.to_move, seat.awaited = seat.number in position.turns, seat.number in position.public_turns
        if seat.number not in position.active:
            for place in match.team(seat.number):
                place.sought = None
    if position.outcome is not None:
        match.state, match.reason = "over", position.outcome.reason
        for seat, score in zip(match.seats, position.outcome.scores, strict=True):
            seat.score = str(score)
