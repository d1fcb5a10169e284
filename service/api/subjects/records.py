"""Matches as pictures and records, and imported records."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from werkzeug.wrappers import Response

from service.api import shapes
from service.api.operations import Call, operation
from service.api.problem_details import Refused
from service.api.shapes import Line, Strict, given
from service.api.subjects.matches import At, page_of, shown
from service.api.subjects.talk import refused
from service.play.pages import match_page
from service.play.pages import records as kept
from service.play.talk import comments
from service.render.png import png
from service.render.svg import svg
from service.web.board_images import ALONE
from service.web.current_player import site


class NewRecord(Strict):
    """A record in any notation that we write, such as SGF. Its players are names only."""

    record: Annotated[str, Meta(min_length=1, max_length=kept.LARGEST)]


PICTURES = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}


def _picture(call: Call, match_id: int, kind: str) -> Response:
    scene = page_of(call, match_id, given(call.query.ply)).scene
    drawn: str | bytes = png(scene) if kind == "png" else svg(scene) if kind == "svg" else f"{shapes.board(scene)}\n"
    answer = Response(drawn, mimetype=PICTURES[kind])
    answer.headers["Content-Security-Policy"] = ALONE
    return answer


@operation("GET", "/matches/<number:match_id>/board.svg", ("image/svg+xml",), tag="pictures", query=At)
def board_svg(call: Call, match_id: int) -> Response:
    """The board as the token's player can see it, as SVG."""
    return _picture(call, match_id, "svg")


@operation("GET", "/matches/<number:match_id>/board.png", ("image/png",), tag="pictures", query=At)
def board_png(call: Call, match_id: int) -> Response:
    """The board as the token's player can see it, as PNG."""
    return _picture(call, match_id, "png")


@operation("GET", "/matches/<number:match_id>/board.txt", ("text/plain",), tag="pictures", query=At)
def board_text(call: Call, match_id: int) -> Response:
    """The board as the token's player can see it, as plain text."""
    return _picture(call, match_id, "txt")


@operation("GET", "/matches/<number:match_id>/record.<suffix>", ("*/*",), tag="records")
def record(call: Call, match_id: int, suffix: str) -> Response:
    """The match as a record, as everybody can see it: `txt`, `json`, and other formats of its game, such as `sgf`."""
    page = match_page.match_page(site(), match_id, None)
    notation = None if page is None else next((one for one in page.notations if one.suffix == suffix), None)
    if notation is None:
        raise Refused(404, "not-found", f"There's no match {match_id}, or no notation {suffix[:20]} of it.")
    said = comments.recorded(site(), match_id, call.viewer_id)
    return Response(kept.export(site(), match_id, notation, said) or "", mimetype=notation.media_type)


@operation("POST", "/records", Line, tag="records", scope="lobby", body=NewRecord, status=201, limit="30 per hour")
def bring_record(call: Call) -> Line:
    """Imports a record as a match that is over. Importing the same record again gives the same match."""
    try:
        number = kept.bring(site(), call.player.id, call.body.record.encode(errors="replace"))
    except kept.RecordRefused as error:
        raise refused(error) from error
    return shown(call, number)
