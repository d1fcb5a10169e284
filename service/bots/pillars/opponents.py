"""What the opponents at Pillars of Medusa order."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from service.bots.pillars.board import outer_move
from service.bots.pillars.manners import courtesy
from service.bots.pillars.ordering import NEAR_MATE
from service.bots.pillars.think import Found, Search
from service.bots.thought import Opponent, Thought, View
from service.games.pillars.position import PillarsPosition

OPENING = 8
"""Up to this round, moves are varied so that matches don't all begin alike."""
ABOUT_EQUAL = 15
"""How many hundredths of a Sword a varied move may cost."""
CARELESS = 50
"""The percentage of turns in which the learner overlooks the answers to some of its moves."""
FORGOTTEN = 25
"""The percentage of moves whose answers it overlooks in such a turn."""
SLACK = 50
"""The most by which the learner misjudges a move, in hundredths of a Sword, plus an eighth of its advantage."""


def order(view: View, opponent: Opponent, seed: int, past: Sequence[float] = ()) -> Thought:
    """What this opponent orders now. `past` are the values of its own earlier turns, oldest first."""
    search = learner if opponent.level == 1 else strong
    thought = search(view, opponent.budget, seed)
    return thought._replace(move=courtesy(view, thought, past, opponent.level) or thought.move)


def strong(view: View, budget: int, seed: int) -> Thought:
    """The best move found with `budget` nodes; `seed` only varies the opening."""
    position = _position(view)
    search = Search(position, budget)
    chance = Random(seed)  # noqa: S311
    chosen, spent = search.legal, 0
    if position.round <= OPENING and len(chosen) > 1:
        ranked = search.ranked(2, budget // 4)
        spent = sum(found.nodes for found in ranked)
        if abs(ranked[0].value) < 300:
            good = [found.move for found in ranked if found.value >= ranked[0].value - ABOUT_EQUAL]
            chosen = sorted(good, key=lambda move: (chance.random(), move))[:3]
    return _thought(position, search.best(budget - spent, chosen))


def learner(view: View, budget: int, seed: int) -> Thought:
    """Judges its moves two plies deep with human mistakes, which are larger when it is well ahead."""
    position = _position(view)
    search = Search(position, budget)
    chance = Random(seed)  # noqa: S311
    ranked = search.ranked(2, budget)
    careless = chance.randrange(100) < CARELESS
    slack = SLACK + min(max(ranked[0].value, 0), 1200) // 8
    judged = []
    for found in ranked:
        forgets = careless and chance.randrange(100) < FORGOTTEN
        value = search.glance(found.move) if forgets else found.value
        judged.append(value + chance.randint(-slack, slack))
    choice = ranked[judged.index(max(judged))]
    return _thought(position, choice)


def _position(view: View) -> PillarsPosition:
    assert isinstance(view.position, PillarsPosition)
    assert view.position.turns == (view.seat,), "It is not this seat's turn."
    return view.position


def _thought(position: PillarsPosition, found: Found) -> Thought:
    line = _written(position, found.line)
    value = share(found.value)
    return Thought(
        line[0], value, lines=(line,), shares=(value, 1 - value) if position.seat == 0 else (1 - value, value)
    )


def _written(position: PillarsPosition, line: tuple[int, ...]) -> tuple[str, ...]:
    """The moves in canonical form, up to the end of the match."""
    texts: list[str] = []
    for inner in line:
        wanted = outer_move(inner)
        text = next(text for text, move in position.written.items() if move == wanted)
        texts.append(text)
        position = PillarsPosition(position.history.after(text, wanted))
        if position.outcome is not None:
            break
    return tuple(texts)


def share(value: int) -> float:
    """The share of the win that the side to move expects: 0.5 if even, 0.85 two Horses ahead; 1 or 0 only with mate."""
    if abs(value) >= NEAR_MATE:
        return float(value > 0)
    return min(max(round(1 / (1 + 10 ** (-value / 750)), 4), 0.001), 0.999)


def mate_in(thought: Thought) -> int | None:
    """In how many moves the side to move mates or, if negative, is mated; None if the search sees no mate."""
    if thought.value not in (0.0, 1.0):
        return None
    plies = len(thought.lines[0])
    return (plies + 1) // 2 if thought.value == 1.0 else -(plies // 2)
