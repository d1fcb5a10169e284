"""Trying a move in a position of a lesson or a problem: the page's answer, and the script's."""

from __future__ import annotations

from collections.abc import Callable

from flask import jsonify, render_template, request
from werkzeug.wrappers import Response

from service.engine.game import Draft, MoveError
from service.play.pages import lessons
from service.play.pages.lessons import Lesson, Step, Tried
from service.web import board_images
from service.web.current_player import Answer
from service.web.form_errors import refuse
from service.web.match.page import drafted, told


def answered(game: str, here: Step, page: Callable[[str, Tried | None], str]) -> Answer:
    """The page of a position, given the order in `?move=` and its result."""
    text = request.args.get("move", "")
    try:
        tried = lessons.tried(game, here, text) if text.strip() else None
    except MoveError as error:
        refuse(error, "move")
        return page(text, None), 422
    return page(text, tried)


def shown(template: str, lesson: Lesson, here: Step, text: str, tried: Tried | None, /, **more: object) -> str:
    """The page of a position: its board and buttons, or the board after what was tried."""
    start = lessons.draft(lesson.game, here, "")
    return render_template(
        template,
        board=board_images.board(tried.scene if tried else start.scene),
        buttons=[choice for choice in start.choices if not choice.cells],
        text=text,
        tried=tried,
        **more,
    )


def pressed(game: str, here: Step, answer: Callable[[Tried], str]) -> Response:
    """The result of a press on the board, for the script: the order so far, or the answer once it is complete."""
    text, play = request.args.get("text", ""), "play" in request.args
    try:
        draft = lessons.draft(game, here, text)
        tried = lessons.tried(game, here, draft.text) if draft.text and draft.complete else None
    except MoveError as error:
        return told(str(error))
    if tried is None or not (tried.is_right or play or not draft.choices):
        words = render_template("help/diagram_answer.html", scene=draft.scene, draft=draft, side="", winners=())
        return jsonify(drafted(draft) | {"moves": "", "board": board_images.board(draft.scene), "told": words})
    done = drafted(Draft("", tried.scene, False, ()))
    board = board_images.board(tried.scene)
    return jsonify(done | {"moves": "", "board": board, "told": answer(tried), "judged": True})
