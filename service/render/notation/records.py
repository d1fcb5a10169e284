"""The notations of records: text and JSON for every game, and each game's own."""

from __future__ import annotations

from service.engine.game import Game
from service.engine.record_formats import Format
from service.games import GAMES
from service.render.notation.record_json import Json
from service.render.notation.record_text import Text


def formats(game: Game, seats: int) -> dict[str, Format]:
    """Every notation that can record a match of `game` with this number of seats, by suffix."""
    return {known.suffix: known for known in (Text(), Json(), *game.formats(seats))}


def recognise(text: str) -> Format:
    """The notation that `text` is written in; plain text if it doesn't look like any other."""
    notations: list[Format] = [Json()]
    notations += [known for game in GAMES.values() for known in game.formats(game.min_seats)]
    return next((known for known in notations if known.recognises(text)), Text())
