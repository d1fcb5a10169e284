"""What a good opponent does outside the search: offers and accepts draws, and gives up what is lost."""

from __future__ import annotations

from collections.abc import Sequence

from service.bots.thought import Thought, View
from service.games.pillars.position import PillarsPosition

HOPELESS = 0.03
"""Below this on `RESIGNING` turns running, an opponent resigns; the learner never does."""
RESIGNING = 3
EVEN = 0.06
"""How far from one half the value of an even position is at most."""
LONG = 4
"""On how many turns running it must have been even for a draw to be accepted."""
DRAWISH = 40
"""From this many half-moves without a capture or a Sword move on, a draw is offered in an even position."""
PATIENCE = 30
"""How many entries of the log after an offer by either side the next one may come."""


def courtesy(view: View, thought: Thought, earlier: Sequence[float], level: int) -> str:
    """The order to send instead of the move of `thought`: `draw`, `resign`, or "" to play on.

    `earlier` holds the values of this seat's turns before this one, the latest last. An offered draw that is not
    accepted is declined by moving.
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
    """Whether an offered draw is welcome: the position is worse than even, or has long been no better.

    The learner, who does not mind, also accepts in any position that looks even now.
    """
    if values[-1] < 0.5 - EVEN:
        return True
    recent = values[-1:] if level == 1 else values[-LONG:]
    return (level == 1 or len(recent) == LONG) and all(abs(value - 0.5) <= EVEN for value in recent)


def offers(view: View, position: PillarsPosition, values: Sequence[float]) -> bool:
    """Whether to offer a draw: nothing has happened for long, nothing is expected to, and nobody offered lately."""
    even = len(values) >= LONG and all(abs(value - 0.5) <= EVEN / 2 for value in values[-LONG:])
    lately = any(move == "draw" for _, move in view.log[-PATIENCE:])
    return even and position.state.quiet >= DRAWISH and not lately
