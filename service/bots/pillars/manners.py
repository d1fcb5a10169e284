"""What an opponent does apart from searching: it offers and accepts draws, and resigns lost positions."""

from __future__ import annotations

from collections.abc import Sequence

from service.bots.thought import Thought, View
from service.games.pillars.position import PillarsPosition

HOPELESS = 0.03
"""If its values are below this in `RESIGNING` turns in a row, an opponent resigns; the learner never does."""
RESIGNING = 3
EVEN = 0.06
"""The most by which the value of an even position differs from one half."""
LONG = 4
"""For how many turns in a row the position must be even before an opponent accepts a draw."""
DRAWISH = 40
"""After this many half-moves without a capture or a Sword move, an opponent offers a draw in an even position."""
PATIENCE = 30
"""How many entries of the log must follow an offer by either side before an opponent offers a draw."""


def courtesy(view: View, thought: Thought, earlier: Sequence[float], level: int) -> str:
    """The order to send instead of the move of `thought`: `draw`, `resign`, or "" to play on.

    `earlier` has the values of this seat's earlier turns, the latest last. A draw offer that isn't accepted is declined
    by moving.
    """
    position = view.position
    assert isinstance(position, PillarsPosition)
    values = [*earlier, thought.value]
    if position.offer == 1 - view.seat:
        return "draw" if accepts(values, level) else ""
    if level > 1 and len(values) >= RESIGNING and max(values[-RESIGNING:]) < HOPELESS:
        return "resign"
    return "draw" if position.offer is None and offers(view, position, values) else ""


def accepts(values: Sequence[float], level: int) -> bool:
    """Whether to accept a draw: the position is worse than even, or has been even for `LONG` turns.

    The learner also accepts in any position that looks even now.
    """
    if values[-1] < 0.5 - EVEN:
        return True
    recent = values[-1:] if level == 1 else values[-LONG:]
    return (level == 1 or len(recent) == LONG) and all(abs(value - 0.5) <= EVEN for value in recent)


def offers(view: View, position: PillarsPosition, values: Sequence[float]) -> bool:
    """Whether to offer a draw: the position is even and quiet, has been for long, and nobody has offered one lately."""
    even = len(values) >= LONG and all(abs(value - 0.5) <= EVEN / 2 for value in values[-LONG:])
    lately = any(move == "draw" for _, move in view.log[-PATIENCE:])
    return even and position.state.quiet >= DRAWISH and not lately
