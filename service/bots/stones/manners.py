"""What a bot does apart from searching: passing, agreeing on dead stones, allying, resigning.

This layer surrounds every search for games of stones. It decides what it can from the board, and asks the search for
the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from service.bots.stones import alliances, playing_on, settling
from service.bots.stones.points import for_points
from service.bots.stones.think import resumed
from service.bots.thought import Thought, View
from service.engine.game import Position, Seat
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.stone_position import StonePosition
from service.games.multiplayer_go.alliances import Alliances
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.prisoners import Sharing
from service.games.multiplayer_go.sequential import Sequential
from service.games.multiplayer_go.table import TablePosition
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

Search: TypeAlias = Callable[[View, int, int], Thought]

HOPELESS = 0.03
PATIENCE = 3
"""How many turns in a row with a value below HOPELESS make a bot resign."""
STILL_OPEN = 0.1
"""The most of the board that may be open when a winning bot answers a pass with a pass."""
HALF_OPEN = 0.5
"""The most that may be open when a bot, after somebody's pass, passes because no stone gains anything."""


def mannered(
    search: Search, view: View, budget: int, seed: int, past: Sequence[float] = (), stubborn: bool = False
) -> Thought:
    """What to order now, in any phase. `past` are the values of the bot's own earlier thoughts, oldest first.

    A `stubborn` bot never resigns, since beginners want to finish a won match.
    """
    position = view.position
    if isinstance(position, Scoring):
        return _agreeing(view, position, budget, seed)
    if isinstance(position, Alliances):
        return Thought(alliances.declaration(position, view.seat))
    assert isinstance(position, StonePosition), "These are the manners of games of stones."
    if passed_before(position):
        owners = settling.ownership(position, seed)
        if unclear(position, owners) <= STILL_OPEN and _wins_as_it_stands(position, view.seat, owners):
            return Thought("pass", 1.0, owners, (("pass",),))
    thought = search(view, budget, seed)
    values = [*past, thought.value]
    if not stubborn and len(position.active) == 2 and len(values) >= PATIENCE and max(values[-PATIENCE:]) < HOPELESS:
        return thought._replace(move="resign")
    if thought.move == "pass" or somebody_passed(position) or settled(position, thought.ownership):
        move = _unless_over(view, thought, budget, seed)
        thought = thought if move == thought.move else thought._replace(move=move, lines=((move,),))
    return thought._replace(move=choosing(position, view.seat, thought.move))


def _unless_over(view: View, thought: Thought, budget: int, seed: int) -> str:
    """The thought's move while much is open; later the stone that gains most, or a pass if none gains anything."""
    position = view.position
    assert isinstance(position, StonePosition)
    owners = settling.ownership(position, seed)
    if settled(position, thought.ownership) and settled(position, owners):
        return "pass"
    answers = somebody_passed(position) and unclear(position, owners) <= HALF_OPEN
    if resumed(position) or not (answers or thought.move == "pass"):
        return thought.move
    return for_points(view, owners, budget, seed)


def passed_before(position: StonePosition) -> bool:
    """Whether a pass of this seat would end play."""
    if isinstance(position, SurroundPosition):
        return position.last is not None and position.last[1] is None
    if isinstance(position, ReversalPosition):
        return position.last is not None and position.last.move == "pass"
    if isinstance(position, Sequential):
        return position.passed.issuperset({*position.active} - {*position.turns})
    return isinstance(position, Parallel) and len(position.report.passed) > len(position.active) // 2


def settled(position: StonePosition, ownership: Mapping[str, tuple[float, ...]]) -> bool:
    """Whether it is clear who owns every cell, so that no stone changes anything.

    After play was resumed, lost stones must be captured before the end, since then all stones count as alive.
    """
    if not ownership:
        return False
    chances = [ownership[name] for name in position.board.names]
    if any(max(each) < settling.SURE for each in chances):
        return False
    pairs = zip(position.cells, chances, strict=True)
    return not resumed(position) or all(not stone or each[stone - 1] >= settling.SURE for stone, each in pairs)


def unclear(position: StonePosition, owners: Mapping[str, tuple[float, ...]]) -> float:
    """The share of the board that isn't settled; if it is large, a bot doesn't answer a pass just to win by komi."""
    return sum(max(each) < settling.SURE for each in owners.values()) / len(position.cells)


def somebody_passed(position: StonePosition) -> bool:
    """Whether another seat has passed since the last stone or, in simultaneous games, in the last round."""
    if isinstance(position, Parallel):
        return bool(position.report.passed)
    return bool(position.passed) if isinstance(position, Sequential) else passed_before(position)


def _wins_as_it_stands(position: StonePosition, seat: Seat, owners: Mapping[str, tuple[float, ...]]) -> bool:
    """Whether the seat wins if play ends now, even if everything unclear goes against it.

    After play was resumed, all stones will count as alive.
    """
    taken = frozenset[int]() if resumed(position) else settling.at_worst(position, owners, seat)
    return settling.share(position, seat, taken) > 1 / (len(position.active) + 1)


def _agreeing(view: View, position: Scoring, budget: int, seed: int) -> Thought:
    """Accept the right proposal; else propose once; then accept what costs the seat nothing, or else resume play."""
    ended, seat = position.ended, view.seat
    owners = settling.ownership(ended, seed)
    own = playing_on.proposed(ended, owners, budget, seed)
    thought = Thought("accept", settling.share(ended, seat, own), owners)
    if position.dead == own:
        return thought
    if seat not in position.proposers:
        return thought._replace(move=naming(position, own))
    worse = settling.share(ended, seat, position.dead) < settling.share(ended, seat, own)
    return thought._replace(move="resume" if worse and "resume" in position.moves(seat) else "accept")


def naming(position: Scoring, dead: frozenset[int]) -> str:
    """The order that names these stones as dead."""
    names = position.ended.board.names
    return position.read(position.turns[0], f"dead {' '.join(names[point] for point in sorted(dead)) or 'none'}")


def choosing(position: Position, seat: Seat, move: str) -> str:
    """The move, with the colours to take if it captures shared stones and alliances make colours differ in worth."""
    if not isinstance(position, TablePosition) or move not in position.board.index:
        return move
    rules = position.rules
    if rules.alliances == "off" or rules.sharing is not Sharing.COOPERATIVE or len(position.active) < 3:
        return move
    order = alliances.liked(position, seat)
    if isinstance(position, Parallel):
        if not alliances.may_share(position, seat, position.board.index[move]):
            return move
        return f"{move} take {' '.join([position.sides[order[0]]] * 3)}"
    after = position.play(seat, move)
    captures = after.report.captures if isinstance(after, Sequential) else ()
    takes: list[str] = []
    for capture in captures:
        number = sum(len(colours) for one, colours in capture.picks if one == seat)
        pool = sorted((colour for colour in capture.haul.colours if colour != seat), key=order.index)
        if len({*pool}) > 1 and number:
            takes += [position.sides[colour] for colour in pool[:number]]
    return f"{move} take {' '.join(takes)}" if takes and len(captures) == 1 else move
