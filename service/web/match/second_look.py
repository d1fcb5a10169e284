"""What the computer tells players about a match: dead stones, and its view of all moves once the match is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flask import Blueprint, abort, redirect, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from service.engine.game import MoveError
from service.play.match import review
from service.play.match.invitations import LobbyError
from service.play.match.review import SecondLook
from service.play.pages import match_page
from service.play.table import estimate
from service.render.orientation import Sight
from service.web import board_images, idempotency
from service.web.current_player import Answer, Player, admit_guest, seated, site, visitor
from service.web.match.page import refused
from service.web.security import limiter

pages = Blueprint("second_look", __name__, url_prefix="/match/<int:match_id>")

WIDTH, HEIGHT = 320, 100
"""The size of the graph, in its own units."""


class Curve(NamedTuple):
    """The winning chances of one side: `points` as an SVG polyline has them."""

    side: str
    points: str


@pages.app_template_global()
def curves(page: match_page.MatchPage, look: SecondLook) -> list[Curve]:
    """The graph of the winning chances, with a curve for each side; of two sides, only the first."""
    sides = [seat.side for seat in page.line.seats]
    shown = [each.shares for each in look.moments]
    if look.is_finished and len(look.scores) == len(sides):
        shown.append(look.scores)
    return [
        Curve(side, " ".join(_points([shares[seat] for shares in shown])))
        for seat, side in enumerate(sides if len(sides) > 2 else sides[:1])
    ]


def _points(shares: list[float]) -> Iterator[str]:
    for place, share in enumerate(shares):
        yield f"{WIDTH * place / max(1, len(shares) - 1):.1f},{HEIGHT * (1 - share):.1f}"


@pages.app_template_global()
def owned_board(found: estimate.Estimated, sight: Sight) -> Markup:
    """The board with everybody's points, seen as the match's own, with nothing to press."""
    assert found.scene is not None, "There is a picture as soon as there is an order."
    return board_images.board(found.scene, sight)


@pages.post("/review")
@limiter.limit("60 per hour")
@seated
def ask(player: Player, match_id: int) -> Answer:
    """Has the computer look back at a match that is over."""
    match_page.newest(site(), match_id) or abort(404)
    try:
        review.ask(site(), match_id, player.id)
    except MoveError as error:
        return refused(match_id, "", error)
    return _back(match_id)


@pages.post("/estimate")
@limiter.limit("60 per hour")
@seated
def ask_for_dead(player: Player, match_id: int) -> Answer:
    """Has the computer look for dead stones."""
    try:
        estimate.ask(site(), match_id, player.id)
    except MoveError as error:
        return refused(match_id, "", error)
    return _back(match_id)


@pages.post("/again/<int:ply>")
@limiter.limit("20 per hour")
def again(match_id: int, ply: int) -> Answer:
    """Opens a match against the computer from the position before a move."""
    match_page.newest(site(), match_id) or abort(404)
    player = visitor() or admit_guest()
    try:
        new = review.try_again(site(), match_id, ply, player.id, f"web:{player.id}:{idempotency.key()}")
    except (MoveError, LobbyError) as error:
        return refused(match_id, "", error)
    return redirect(url_for("match.show", match_id=new), 303)


def _back(match_id: int) -> Response:
    return redirect(url_for("match.show", match_id=match_id, _anchor="second-look"), 303)
