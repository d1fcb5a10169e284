"""The notations of records: those of every game, text and JSON, and what each game brings."""

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
    """The notation `text` is written in; text, if it looks like no other."""
    notations: list[Format] = [Json()]
    notations += [known for game in GAMES.values() for known in game.formats(game.min_seats)]
    return next((known for known in notations if known.recognises(text)), Text())
