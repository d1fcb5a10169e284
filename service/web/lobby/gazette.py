"""The gazette as a page and as a feed, the same for everybody."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template

from service.games import GAMES
from service.play.notify import gazette
from service.play.pages import lessons
from service.render.orientation import Sight
from service.web import board_images
from service.web.current_player import site

pages = Blueprint("gazette", __name__, url_prefix="/gazette")


@pages.get("", defaults={"number": None})
@pages.get("/<int:number>")
def show(number: int | None) -> str:
    """An issue, by default the latest."""
    issue = gazette.issue_of(site(), number)
    if issue is None and number is not None:
        abort(404)
    stock, problem = lessons.weekly(issue.number if issue else 0)
    step = stock.steps[problem - 1]
    finished = issue.finished if issue else None
    return render_template(
        "lobby/gazette.html",
        issue=issue,
        board=board_images.board(finished.scene, Sight(coordinates=False)) if finished else "",
        stock=stock,
        games=GAMES,
        problem=problem,
        step=step,
        position=board_images.board(lessons.draft(stock.game, step, "").scene, Sight(coordinates=False)),
        issues=gazette.issues(site()),
    )


@pages.get("/feed.xml")
def feed() -> Response:
    """The latest issues, for feed readers (Atom, RFC 4287)."""
    text = render_template("feeds/gazette.xml", issues=gazette.issues(site()), now=site().now())
    return Response(text, mimetype="application/atom+xml")
