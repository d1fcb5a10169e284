"""Lessons as pages: a position and a task on each, answered by a press of the board or in words. Nothing is kept."""

from __future__ import annotations

from flask import Blueprint, abort, render_template
from werkzeug.wrappers import Response

from service.games import GAMES
from service.play.pages import lessons
from service.play.pages.lessons import Lesson, Step, Tried
from service.web.current_player import Answer
from service.web.rules import tries
from service.web.security import limiter

pages = Blueprint("learn", __name__, url_prefix="/learn")


@pages.get("")
def index() -> str:
    """All lessons."""
    return render_template("help/lessons.html", games=GAMES.values())


@pages.get("/<game>", defaults={"number": 1})
@pages.get("/<game>/<int:number>")
@limiter.limit("240 per minute")
def step(game: str, number: int) -> Answer:
    """A step of a lesson; with `?move=`, the result of that order."""
    lesson, here = _found(game, number)
    return tries.answered(game, here, lambda *tried: _page(lesson, here, number, *tried))


@pages.get("/<game>/<int:number>/try")
@limiter.limit("240 per minute")
def attempt(game: str, number: int) -> Response:
    """The result of a press on the board, for the script: the order so far, or the answer once it is complete."""
    lesson, here = _found(game, number)
    return tries.pressed(
        game, here, lambda tried: render_template("help/lesson_answer.html", lesson=lesson, number=number, tried=tried)
    )


@pages.get("/<game>/end")
def end(game: str) -> str:
    """What the lesson taught, who made the game, and where to play it."""
    if game not in GAMES:
        abort(404)
    return render_template("help/lesson_end.html", lesson=lessons.lesson(game), game=GAMES[game])


def _found(game: str, number: int) -> tuple[Lesson, Step]:
    lesson = lessons.lesson(game) if game in GAMES else abort(404)
    return lesson, lesson.step(number) or abort(404)


def _page(lesson: Lesson, here: Step, number: int, text: str, tried: Tried | None) -> str:
    position = lessons.position(lesson.game, here)
    side = position.sides[position.turns[0]]
    more = {"lesson": lesson, "step": here, "number": number, "side": side}
    return tries.shown("help/lesson.html", lesson, here, text, tried, **more)
