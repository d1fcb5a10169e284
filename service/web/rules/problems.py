"""Problems as pages: a position in which one move is best, to be found on the board or in words. Nothing is kept."""

from __future__ import annotations

from flask import Blueprint, abort, jsonify, render_template, request
from werkzeug.wrappers import Response

from service.engine.game import Draft, MoveError
from service.games import GAMES
from service.play.pages import lessons
from service.play.pages.lessons import Lesson, Step, Tried
from service.web import board_images
from service.web.current_player import Answer
from service.web.match.page import drafted, told
from service.web.security import limiter

pages = Blueprint("problems", __name__, url_prefix="/problems")


@pages.get("")
def index() -> str:
    """The games that have problems."""
    stocks = [lessons.lesson(f"{lessons.PROBLEMS}{game}") for game in lessons.with_problems()]
    return render_template("help/problems.html", stocks=stocks)


@pages.get("/<game>", defaults={"number": 1})
@pages.get("/<game>/<int:number>")
@limiter.limit("240 per minute")
def problem(game: str, number: int) -> Answer:
    """A problem; with `?move=`, what that order comes to there."""
    stock, here = _found(game, number)
    text = request.args.get("move", "")
    try:
        tried = lessons.tried(game, here, text) if text.strip() else None
    except MoveError as error:
        return _page(stock, here, number, text, refusal=str(error)), 422
    return _page(stock, here, number, text, tried)


@pages.get("/<game>/<int:number>/try")
@limiter.limit("240 per minute")
def attempt(game: str, number: int) -> Response:
    """What a press of the board comes to, for the script: the order being built, or once it is whole the answer."""
    stock, here = _found(game, number)
    text, play = request.args.get("text", ""), "play" in request.args
    try:
        draft = lessons.draft(game, here, text)
        tried = lessons.tried(game, here, draft.text) if draft.text and draft.complete else None
    except MoveError as error:
        return told(str(error))
    if tried is None or not (tried.is_right or play or not draft.choices):
        words = render_template("help/diagram_answer.html", scene=draft.scene, draft=draft, side="", winners=())
        return jsonify(drafted(draft) | {"moves": "", "board": board_images.board(draft.scene), "told": words})
    answer = render_template("help/problem_answer.html", stock=stock, number=number, tried=tried)
    done = drafted(Draft("", tried.scene, False, ()))
    return jsonify(done | {"moves": "", "board": board_images.board(tried.scene), "told": answer, "judged": True})


def _found(game: str, number: int) -> tuple[Lesson, Step]:
    if game not in lessons.with_problems():
        abort(404)
    stock = lessons.lesson(f"{lessons.PROBLEMS}{game}")
    return stock, stock.step(number) or abort(404)


def _page(stock: Lesson, here: Step, number: int, text: str, tried: Tried | None = None, refusal: str = "") -> str:
    start = lessons.draft(stock.game, here, "")
    return render_template(
        "help/problem.html",
        stock=stock,
        game=GAMES[stock.game],
        problem=here,
        number=number,
        board=board_images.board(tried.scene if tried else start.scene),
        buttons=[choice for choice in start.choices if not choice.cells],
        text=text,
        tried=tried,
        refusal=refusal,
    )
