"""Figures of the rules pages: boards after some moves, and boards on which a reader can play on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from flask import Blueprint, Flask, abort, jsonify, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from service.engine.game import Draft, MoveError, Position
from service.engine.options import OptionError
from service.engine.scene import Scene
from service.games import GAMES
from service.play.pages import diagrams
from service.web import board_images
from service.web.match.page import drafted, told
from service.web.security import limiter

pages = Blueprint("figures", __name__, url_prefix="/rules/<game>")

LONGEST_QUESTION = 2_000


def hang(app: Flask) -> None:
    """Gives templates `diagram`."""
    app.jinja_env.globals.update(diagram=diagram)


def diagram(game: str, moves: str = "", seats: int = 0, live: str = "", **options: str) -> Markup:
    """The board of `game` after `moves`, separated by commas or line breaks, as a figure for the rules pages.

    `live` are orders that are worth trying there: with a script the reader may play them, and others.
    """
    board, side, words = _picture(game, moves, seats, **options)
    if not live:
        return Markup("<figure>{}</figure>").format(board)
    asked: dict[str, Any] = {"game": game, "seats": seats or None, **options}
    address = url_for("figures.attempt", **asked)
    buttons = diagrams.split(live)[0] in words
    page = render_template(
        "help/diagram.html", board=board, address=address, moves=moves, live=live, side=side, buttons=buttons
    )
    return Markup(page)  # noqa: S704 (a page of our own, escaped as every other)


@pages.get("/try")
@limiter.limit("240 per minute")
def attempt(game: str) -> Response:
    """A reader's next step in a figure: `moves` were played, `text` is the order being built, which may be "".

    An order that can't be continued is played immediately, any other complete one only with `play`. Nothing is stored.
    """
    if game not in GAMES or len(request.query_string) > LONGEST_QUESTION:
        abort(404 if game not in GAMES else 414)
    asked = dict(request.args)
    moves, text, play = asked.pop("moves", ""), asked.pop("text", ""), asked.pop("play", "")
    try:
        position = diagrams.played(game, moves, _number(asked.pop("seats", "")), asked)
        return _stepped(position, diagrams.split(moves), text, bool(play))
    except (MoveError, OptionError) as error:
        return told(str(error))


def _stepped(position: Position, moves: Sequence[str], text: str, play: bool) -> Response:
    if text and position.turns:
        draft = position.draft(position.turns[0], text)
        if not draft.complete or (draft.choices and not play):
            return _told(position, moves, draft, draft.scene)
        position, moves = position.play(position.turns[0], draft.text), [*moves, draft.text]
    if position.turns:
        return _told(position, moves, position.draft(position.turns[0], ""), _openly(position))
    return _told(position, moves, Draft("", position.view(None), False, ()), position.view(None))


def _told(position: Position, moves: Sequence[str], draft: Draft, scene: Scene) -> Response:
    words = render_template(
        "help/diagram_answer.html", scene=scene, draft=draft, side=_side(position), winners=_winners(position)
    )
    return jsonify(drafted(draft) | {"moves": ", ".join(moves), "board": board_images.board(scene), "told": words})


def _winners(position: Position) -> list[str]:
    scores = position.outcome.scores if position.outcome else ()
    return [position.sides[seat].capitalize() for seat, score in enumerate(scores) if score]


def _openly(position: Position) -> Scene:
    """The board with all sealed choices visible: here one reader plays all sides."""
    scene = position.view(None)
    pieces, marks = dict(scene.pieces), dict(scene.marks)
    for seat in position.active:
        own = position.view(seat)
        for cell, worn in own.marks.items():
            if "ghost" in worn and cell in own.pieces:
                pieces[cell], marks[cell] = own.pieces[cell], worn
    return scene._replace(pieces=pieces, marks=marks)


@lru_cache(maxsize=256)
def _picture(game: str, moves: str, seats: int, **options: str) -> tuple[Markup, str, frozenset[str]]:
    """The board, the side to move there, and the orders it may give without pressing the board."""
    position = diagrams.played(game, moves, seats, options)
    choices = position.draft(position.turns[0], "").choices if position.turns else ()
    words = frozenset(choice.text for choice in choices if not choice.cells)
    return board_images.board(position.view(None)), _side(position), words


def _side(position: Position) -> str:
    return position.sides[position.turns[0]] if position.turns else ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 3 else 0
