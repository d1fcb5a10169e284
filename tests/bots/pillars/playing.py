"""Matches for tests: between bots, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from service.bots.thought import Bot, View
from service.games import GAMES
from service.games.pillars.position import PillarsPosition

PILLARS = GAMES["pillars"]
DATA = Path(__file__).parents[2] / "data" / "bots"

SETUPS = (
    "",
    "k10/1w3W5/3m4M2/5(w)5/11/4A~4v1/2h5t2/6Q4/11/11/K3T2P3 w - 0 1".replace("(w)", "w~"),
    "t4k4t/w4w4w/3M7/11/5m5/11/2a~8/6S4/11/W4W4W/T4K4T b AKak 0 1",
    "4k6/W1W4w~3/7M3/2v8/1P9/11/6q4/5A~5/3m7/w3w1w4/5K5 w - 90 60",
)
"""The usual start; then several Medusas, unusual Morphs, castling, promotion, and nearly a hundred quiet half-moves."""


def started(setup: str = "") -> PillarsPosition:
    position = PILLARS.start(setup=setup)
    assert isinstance(position, PillarsPosition)
    return position


def walk(seed: int, plies: int, setup: str = "") -> Iterator[PillarsPosition]:
    """The positions of a random match with many captures and transformations."""
    chance, position = Random(seed), started(setup)
    for _ in range(plies):
        yield position
        if position.outcome is not None:
            return
        texts = [*position.written]
        loud = [text for text in texts if "x" in text or "=" in text]
        text = chance.choice(loud if loud and chance.random() < 0.4 else texts)
        position = PillarsPosition(position.history.after(text, position.written[text]), position.round + 1)


def match(white: tuple[Bot, int], black: tuple[Bot, int], seed: int, longest: int = 400) -> PillarsPosition:
    """The end of a match between two bots, each with its budget; it is broken off after `longest` rounds."""
    position = started()
    while position.outcome is None and position.round <= longest:
        bot, budget = (white, black)[position.seat]
        text = bot(View.of(position, position.seat), budget, seed * 1000 + position.round).move
        position = PillarsPosition(position.history.after(text, position.written[text]), position.round + 1)
    return position
