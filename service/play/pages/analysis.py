"""Private analysis: a tree of variations from any position of a match, stored for the player who tried them.

Everything begins from what that player may know. Others' sealed choices and private preferences aren't part of the
position that moves are tried from: playing on from the real one would reveal them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.engine.game import Draft, Game, Illegal, MoveError, OutOfTurn, Position
from service.games import GAMES
from service.play.orders.preview import Preview, foreseen
from service.play.orders.submit import check_length
from service.play.pages.analysis_plan import NO_PLAN, Branch, Plan, plan
from service.play.pages.move_table import seat_then
from service.play.site import Site
from service.play.table import replay, teams
from service.play.table.log import logged, that_stand, visible_entries
from service.store.models import Match, Player
from service.store.tables.player_data import Variation

MOST = 500
"""How many moves a player may try from one position of a match."""

IN_ALL = 20_000
"""How many moves a player may have tried in all matches."""

LONGEST = 100
"""How many moves one variation may have."""


class Missing(OutOfTurn):
    """There's no such position of the match, or no such variation of the player's."""


@dataclass(frozen=True, slots=True)
class Study:
    """A position in a player's analysis: the moves that led to it, whose turn it is there, and the whole tree."""

    side: str
    """The side to move; "" if the game is over."""
    draft: Draft
    path: tuple[Branch, ...]
    tree: tuple[Branch, ...]
    ahead: tuple[Branch, ...] = ()
    """What was tried from here, the oldest first."""
    plan: Plan = NO_PLAN
    """The tree as an order; nothing if it doesn't begin from the current position."""


def study(site: Site, match_id: int, player_id: int, ply: int, at: int | None) -> Study | None:
    """What the player tried after `ply` entries, looked at after the variation `at`; None if there's no such position
    or variation."""
    with site.store.reading() as session:
        try:
            ground = _ground(session, match_id, player_id, ply)
        except Missing:
            if at is None:
                raise
            return None
        tried = _tried(session, match_id, player_id, ground.place)
        if at is not None and at not in tried:
            return None
        position = _after(ground, variation := _path(tried, at))
        tree = _grown(tried, position.sides, None)
        path = tuple(Branch(number, position.sides[one.seat], one.move, ()) for number, one in variation)
        return Study(
            side=position.sides[position.turns[0]] if position.turns else "",
            draft=_draft(position, ""),
            path=path,
            tree=tree,
            ahead=_grown(tried, position.sides, None if at is None else tried[at].id),
            plan=_plan(ground, tree, path),
        )


def preview(site: Site, match_id: int, player_id: int, ply: int, at: int | None, text: str) -> Preview:
    """What a move would do there, with nothing kept; raises MoveError."""
    check_length(text)
    with site.store.reading() as session:
        ground = _ground(session, match_id, player_id, ply)
        path = _path(_tried(session, match_id, player_id, ground.place), at)
        position = _after(ground, path)
        drafted = _draft(position, text)
        return foreseen(position, position.turns[0], drafted) if position.turns else Preview(drafted)


def attempt(site: Site, match_id: int, player_id: int, ply: int, at: int | None, text: str) -> int:
    """Plays a move there and returns the number of its variation, the same if it was tried before. Raises MoveError.

    A long match is replayed before anything is written: SQLite has one writer at a time, and people's orders are
    waiting. What was read stays valid, except for what the player has tried meanwhile: a log only grows.
    """
    check_length(text)
    with site.store.reading() as session:
        ground = _ground(session, match_id, player_id, ply)
        tried = _tried(session, match_id, player_id, ground.place)
        position = _after(ground, _path(tried, at))
        if not position.turns:
            raise OutOfTurn("The game is over in this variation. Go back to an earlier move to try another.")
        seat = position.turns[0]
        move = position.read(seat, text)
        position.play(seat, move)
    if (number := variation_number(at, seat, move)) in tried:
        return number
    with site.transaction() as tx:
        # Two requests at once would count the same moves, and both find room for another.
        tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
        tried = _tried(tx.session, match_id, player_id, ground.place)
        depth = len(_path(tried, at))
        if number not in tried:
            _check_room(tx.session, player_id, len(tried), depth)
            where = {"match_id": match_id, "ply": ground.place, "parent_id": None if at is None else tried[at].id}
            tx.session.add(Variation(player_id=player_id, **where, seat=seat, move=move))
    return number


def forget(site: Site, match_id: int, player_id: int, ply: int, at: int) -> None:
    """Drops a variation of the player's own with all that was tried after it, if it is there."""
    try:
        with site.store.reading() as session:
            ground = _ground(session, match_id, player_id, ply)
    except Missing:
        return
    with site.transaction() as tx:
        one = _tried(tx.session, match_id, player_id, ground.place).get(at)
        if one is not None:
            tx.session.delete(one)


def variation_number(parent: int | None, seat: int, move: str) -> int:
    """A variation's id, derived from its moves. Row numbers would reveal how much others have tried."""
    return int.from_bytes(blake2b(repr((parent, seat, move)).encode(), digest_size=6).digest())


def _tried(session: Session, match_id: int, player_id: int, place: int) -> dict[int, Variation]:
    """The player's variations from one position by number, the oldest first."""
    own = select(Variation).where(
        Variation.player_id == player_id, Variation.match_id == match_id, Variation.ply == place
    )
    numbers: dict[int | None, int | None] = {None: None}
    tried: dict[int, Variation] = {}
    for one in session.scalars(own.order_by(Variation.id)):
        numbers[one.id] = number = variation_number(numbers[one.parent_id], one.seat, one.move)
        tried[number] = one
    return tried


def _path(tried: dict[int, Variation], at: int | None) -> list[tuple[int, Variation]]:
    """The variations from the match to `at`; raises Missing if that was forgotten meanwhile."""
    rows = {one.id: (number, one) for number, one in tried.items()}
    path: list[tuple[int, Variation]] = []
    if at is not None and at not in tried:
        raise Missing("This variation is gone. Go back to the match to start another one.")
    row = None if at is None else tried[at].id
    while row is not None:
        path.append(rows[row])
        row = rows[row][1].parent_id
    return path[::-1]


def _check_room(session: Session, player_id: int, tried: int, depth: int) -> None:
    """Raises Illegal for another move where this many were `tried` from one position, and this many lead to it."""
    if tried >= MOST:
        raise Illegal(f"You've tried {MOST} moves from this position. Remove some of them before you try others.")
    if depth >= LONGEST:
        raise Illegal(f"A variation can have up to {LONGEST} moves. Go back to the match to start another one.")
    in_all = session.scalar(select(func.count()).where(Variation.player_id == player_id)) or 0
    if in_all >= IN_ALL:
        raise Illegal(
            f"You've tried {IN_ALL:,} moves in all your matches. Remove some of them, in any match, before you try "
            "others."
        )


def _grown(tried: dict[int, Variation], sides: Sequence[str], parent: int | None) -> tuple[Branch, ...]:
    return tuple(
        Branch(number, sides[one.seat], one.move, _grown(tried, sides, one.id))
        for number, one in tried.items()
        if one.parent_id == parent
    )


@dataclass(frozen=True, slots=True)
class _Ground:
    """The position of a match that is tried from; `seat` is the player's own if it is the current position.

    `place` is that of the position's entry in the log, 0 for none. Its number changes once others learn of earlier
    ones that were hidden.
    """

    game: Game
    position: Position
    seat: int | None
    place: int


def _ground(session: Session, match_id: int, player_id: int, ply: int) -> _Ground:
    """The position after what the player may know of the first `ply` entries."""
    match = session.get(Match, match_id)
    if match is None:
        raise Missing("There's no such match.")
    game = GAMES[match.game]
    own = match.place_of(player_id)
    seat = None if own is None else own.number
    entries = visible_entries(session, match, seat)
    last = max((entry.ply for entry in entries), default=0)
    if not 0 <= ply <= last:
        raise Missing("There's no such position in this match.")
    # In a team the next reply is a partner's, so tried moves can't be ordered.
    alone = seat is not None and not teams.is_shared(match, seat)
    stands = alone and ply == last and match.state == "running"
    place = next((entry.logged for entry in entries if entry.ply == ply), 0) if ply else 0
    reader, ply = seat_then(entries, seat, ply), logged(entries, ply)
    # As it was known then, not now: what becomes public later must not invalidate what was tried.
    there = replay.position(session, match, ply)
    seen = visible_entries(session, match, reader, there, ply)
    known = [(entry.seat, entry.move) for entry in that_stand(seen)]
    try:
        position = game.replay(replay.start(match), known)
    except MoveError:
        # What stays hidden, such as a preference, affected whose turn it was, but not the board.
        position = game.begin(len(match.seats), match.seed, match.options | {"setup": there.setup})
    return _Ground(game, position, seat if stands else None, place)


def _after(ground: _Ground, path: Sequence[tuple[int, Variation]]) -> Position:
    return ground.game.replay(ground.position, [(one.seat, one.move) for _, one in path])


def _plan(ground: _Ground, tree: Sequence[Branch], path: Sequence[Branch]) -> Plan:
    """Only if two players take turns does the opponent's move alone decide the reply."""
    there, seat = ground.position, ground.seat
    if seat not in there.active or len(there.active) != 2 or len(there.public_turns) != 1 or there.phase != "play":
        return NO_PLAN
    return plan(tree, there.sides[seat], there.turns[0] == seat, path)


def _draft(position: Position, text: str) -> Draft:
    """The draft of the seat to move or, if the game is over, just the picture."""
    if not position.turns:
        return Draft("", position.view(None), False, ())
    return position.draft(position.turns[0], text)
