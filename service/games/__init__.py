"""Every game on offer, in the order in which pages list them and tours play them.

A game is loaded when it is first used, so that those who play one don't pay for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from service.engine.game import Game

OFFERS = {
    "medusa": "medusa.Medusa",
    "lotus": "lotus.Lotus",
    "rosette": "rosette.Rosette",
    "pillars": "pillars.PillarsOfMedusa",
    "multigo": "multiplayer_go.Alone",
    "multigo-coop": "multiplayer_go.Cooperative",
    "multigo-parallel": "multiplayer_go.AloneAtOnce",
    "multigo-parallel-coop": "multiplayer_go.CooperativeAtOnce",
    "go": "go.Go",
}
"""The name of each game, with its module and class in this package."""


class Catalogue(Mapping[str, Game]):
    """The games by name, in the order of OFFERS."""

    def __getitem__(self, name: str) -> Game:
        return _load(OFFERS[name])

    def __contains__(self, name: object) -> bool:
        return name in OFFERS

    def __iter__(self) -> Iterator[str]:
        return iter(OFFERS)

    def __len__(self) -> int:
        return len(OFFERS)


@cache
def _load(place: str) -> Game:
    module, _, kind = place.partition(".")
    game: Game = getattr(import_module(f"{__name__}.{module}"), kind)()
    return game


GAMES = Catalogue()
