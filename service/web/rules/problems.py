"""Problems as pages: a position in which one move is best, to be found on the board or in words. Nothing is kept."""

from __future__ import annotations

from flask import Blueprint, abort, render_template
from werkzeug.wrappers import Response

from service.games import GAMES
from service.play.pages import lessons
from service.play.pages.lessons import Lesson, Step, Tried
from service.web.current_player import Answer
from service.web.rules import tries
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
    """A problem; with `?move=`, the result of that order."""
    stock, here = _found(game, number)
    return tries.answered(game, here, lambda *tried: _page(stock, here, number, *tried))


@pages.get("/<game>/<int:number>/try")
@limiter.limit("240 per minute")
def attempt(game: str, number: int) -> Response:
    """The result of a press on the board, for the script: the order so far, or the answer once it is complete."""
    stock, here = _found(game, number)
    return tries.pressed(
        game, here, lambda tried: render_template("help/problem_answer.html", stock=stock, number=number, tried=tried)
    )


def _found(game: str, number: int) -> tuple[Lesson, Step]:
    if game not in lessons.with_problems():
        abort(404)
    stock = lessons.lesson(f"{lessons.PROBLEMS}{game}")
    return stock, stock.step(number) or abort(404)


def _page(stock: Lesson, here: Step, number: int, text: str, tried: Tried | None) -> str:
    more = {"stock": stock, "game": GAMES[stock.game], "problem": here, "number": number}
    return tries.shown("help/problem.html", stock, here, text, tried, **more)
