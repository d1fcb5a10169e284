"""The orders of all games, as players type them, in positions from random play."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from service.engine.game import MoveError, Position
from service.engine.record import RecordError, snapshot, steps
from service.games import GAMES
from service.mail.grammar.order_words import WORDS
from tests.fuzz import mutation
from tests.fuzz.doors import Door, Input, check_printable, check_sentence
from tests.games.playing import Variant, playout, variants

GOLDEN = Path(__file__).parents[1] / "data" / "games"
PLAYOUTS = 4
"""Random matches of each variant."""

LONGEST = 2_100
"""Characters: a hundred more than what an order can have."""


class Typed(NamedTuple):
    """What somebody typed: in the playout of a variant with a seed, at a ply."""

    variant: int
    seed: int
    ply: int
    seat: int
    text: str


@lru_cache(maxsize=400)
def moves(variant: Variant, seed: int, ply: int) -> tuple[str, ...]:
    """The legal moves there, of all who may move."""
    position = playout(variant, seed).positions[ply]
    return tuple(move for seat in position.turns for move in position.moves(seat)) or ("pass",)


def golden(game: str) -> list[str]:
    """The moves in the golden record of a game."""
    lines = (GOLDEN / f"{game}.record").read_text().splitlines()
    return [line.rpartition(":")[2].strip() for line in lines if line and not line.startswith("#")]


class Orders(Door):
    name = "orders"
    share = 740

    def __init__(self) -> None:
        self.variants = [*variants()]
        usual = [*(word.name for word in WORDS), "a1", "c3", "G-14", "a1-b2", "none", "red", "N", "x", "e8=Q+"]
        self.known: dict[str, list[str]] = {}
        for game in GAMES.values():
            words = [word.usage for word in game.words]
            self.known[game.name] = [*usual, *words, *golden(game.name), *game.start().sides]

    def make(self, chance: Random) -> Input:
        number = chance.randrange(len(self.variants))
        variant, seed = self.variants[number], chance.randrange(PLAYOUTS)
        ply = chance.randrange(len(playout(variant, seed).positions))
        seat = chance.randrange(variant.seats)
        position = playout(variant, seed).positions[ply]
        if position.turns and chance.random() < 0.7:
            seat = chance.choice(position.turns)
        return tuple(Typed(number, seed, ply, seat, self._text(chance, variant, seed, ply)))

    def _text(self, chance: Random, variant: Variant, seed: int, ply: int) -> str:
        kind, known = chance.random(), self.known[variant.game.name]
        if kind < 0.35:
            return mutation.text(chance, moves(variant, seed, ply), LONGEST)
        if kind < 0.4:
            return chance.choice(moves(variant, seed, ply))
        if kind < 0.6:
            return mutation.text(chance, [mutation.words(chance, known)], LONGEST)
        if kind < 0.7:
            known = self.known[chance.choice([*GAMES])]
        return mutation.text(chance, known, LONGEST)

    def take(self, given: Input) -> bool:
        typed = Typed(*given)
        variant = self.variants[typed.variant]
        position = playout(variant, typed.seed).positions[typed.ply]
        before = position.round, position.turns, position.setup
        accepted = judged(position, typed.seat, typed.text)
        assert (position.round, position.turns, position.setup) == before, "a position never changes"
        return accepted


def judged(position: Position, seat: int, text: str) -> bool:
    """Whether an order is accepted, on every path it may take."""
    for use in (position.play, position.draft):
        try:
            use(seat, text)
        except MoveError as error:
            check_sentence(str(error))
    try:
        read = position.read(seat, text)
    except MoveError as error:
        check_sentence(str(error))
        return False
    check_printable(read)
    assert position.read(seat, read) == read, "what is written canonically reads as itself"
    try:
        after = position.play(seat, read)
    except MoveError as error:
        check_sentence(str(error))
        return False
    assert after.round >= position.round
    assert bool(after.turns) == (after.outcome is None)
    check_record(position, seat, read, after)
    return True


def check_record(position: Position, seat: int, move: str, after: Position) -> None:
    """Fails unless a record with this move is read back as it was played."""
    line = f"{position.sides[seat]}: {move}\n"
    try:
        (step,) = steps(position, line)
    except RecordError as error:
        raise AssertionError(f"{line!r} isn't read back: {error}") from error
    assert (step.seat, step.move) == (seat, move)
    assert snapshot(1, step.position) == snapshot(1, after)
