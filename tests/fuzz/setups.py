"""The options of games, especially setups: they either start a match or are refused."""

from __future__ import annotations

import json
from random import Random

from service.engine.options import OptionError
from service.engine.record import snapshot
from service.games import GAMES
from tests.fuzz import mutation
from tests.fuzz.doors import Door, check_sentence
from tests.games.playing import playout, variants

NUMBERS = ("0", "1", "3", "5", "7.5", "-3", "19", "25", "26", "5x4", "25x25", "1x1", "1/2", "4.25", "1000000", "")


class Setups(Door):
    name = "setups"
    share = 60

    def __init__(self) -> None:
        self.begun: dict[str, list[tuple[int, dict[str, str]]]] = {name: [] for name in GAMES}
        for variant in variants():
            for position in playout(variant, 1).positions[::8]:
                options = {**dict(variant.options), "setup": position.setup}
                self.begun[variant.game.name].append((variant.seats, options))

    def make(self, chance: Random) -> tuple[str, int, dict[str, str]]:
        name = chance.choice([*GAMES])
        seats, settled = chance.choice(self.begun[name])
        options = {**settled}
        setups = [given["setup"] for _, given in self.begun[name]]
        if chance.random() < 0.8:
            options["setup"] = mutation.text(chance, setups)
        for option in GAMES[name].options:
            if option.name != "setup" and chance.random() < 0.3:
                options[option.name] = mutation.text(chance, [*option.choices, option.default, *NUMBERS], 6_000)
        if chance.random() < 0.05:
            options[mutation.text(chance, [option.name for option in GAMES[name].options], 300)] = "1"
        return name, chance.choice((seats, seats, seats, seats, chance.randint(-1, 10))), options

    def take(self, given: tuple[str, int, dict[str, str]]) -> bool:
        name, seats, options = given
        game = GAMES[name]
        try:
            settled = game.settle(seats, options)
            position = game.begin(seats, 0, settled)
        except OptionError as error:
            check_sentence(str(error))
            return False
        assert game.settle(seats, settled) == settled
        public = snapshot(0, position)
        assert json.loads(json.dumps(public)) == public
        again = game.begin(seats, 0, game.settle(seats, settled | {"setup": position.setup}))
        assert (again.setup, again.occupants) == (position.setup, position.occupants)
        for seat in (None, *range(seats)):
            position.view(seat)
        for seat in position.turns:
            next(iter(position.moves(seat)))
        return True
