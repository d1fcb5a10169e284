"""Records of matches in every notation: what is read is written so that it reads back."""

from __future__ import annotations

from random import Random

from service.engine.record import RecordError
from service.engine.record_formats import Entry, Record
from service.games import GAMES
from service.render.notation.records import formats, recognise
from tests.fuzz import mutation
from tests.fuzz.doors import Door, check_sentence
from tests.fuzz.orders import GOLDEN
from tests.games.playing import playout, variants


class Records(Door):
    name = "records"
    share = 10

    def __init__(self) -> None:
        self.texts = [path.read_text() for path in sorted(GOLDEN.glob("*.record"))]
        for variant in variants():
            played = playout(variant, 2)
            entries = tuple(Entry(seat, move, 1, None, "Well played") for seat, move in played.log)
            options = variant.game.settle(variant.seats, dict(variant.options))
            names = tuple(f"Player {seat}" for seat in range(variant.seats))
            record = Record(variant.game.name, options, names, entries, played.positions[-1].outcome)
            self.texts += [known.write(record) for known in formats(variant.game, variant.seats).values()]

    def make(self, chance: Random) -> str:
        return mutation.text(chance, self.texts, 200_000 if chance.random() < 0.1 else 8_000)

    def take(self, given: str) -> bool:
        try:
            record = recognise(given).read(given)
        except RecordError as error:
            check_sentence(str(error))
            return False
        for known in formats(GAMES[record.game], len(record.names)).values():
            again = known.read(known.write(record))
            assert (again.game, again.options) == (record.game, record.options), known.suffix
            # A resignation that is only in the header of a file becomes a move.
            assert again.log[: len(record.log)] == record.log, known.suffix
            assert [move for _, move in again.log[len(record.log) :]] in ([], ["resign"]), known.suffix
        return True
