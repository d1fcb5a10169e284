"""Exports of records and pictures, and imports of records."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.play.pages import match_page, records
from service.play.talk import comments
from service.render.png import png
from service.render.svg import svg
from service.web.board_images import ALONE
from service.web.current_player import Answer, Player, signed_in, site, visitor_id
from service.web.form_errors import refuse
from service.web.security import limiter

pages = Blueprint("records", __name__)


@pages.get("/match/<int:match_id>/record.<suffix>")
@limiter.limit("120 per minute")
def record(match_id: int, suffix: str) -> Answer:
    """The match in a notation, or a page with the notations that can express it."""
    page = match_page.match_page(site(), match_id, None) or abort(404)
    notation = next((known for known in page.notations if known.suffix == suffix), None)
    if notation is None:
        return render_template("match/no_record.html", page=page, suffix=suffix), 404
    said = comments.recorded(site(), match_id, visitor_id())
    text = records.export(site(), match_id, notation, said)
    return _file(text or "", notation.media_type, f"{page.line.game}-{match_id}.{suffix}")


@pages.get("/match/<int:match_id>/at/<int:ply>/board.<any(svg, png):suffix>")
@limiter.limit("120 per minute")
def board(match_id: int, ply: int, suffix: str) -> Response:
    """The board after `ply` moves, as everybody may see it."""
    page = match_page.match_page(site(), match_id, None, ply) or abort(404)
    name = f"{page.line.game}-{match_id}-{ply}.{suffix}"
    if suffix == "png":
        picture = _file(png(page.scene), "image/png", name)
    else:
        picture = _file(svg(page.scene), "image/svg+xml", name)
        picture.headers["Content-Security-Policy"] = ALONE
    picture.headers["Cache-Control"] = "public, max-age=3600"
    picture.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return picture


@pages.get("/import")
@signed_in
def bring_form(_player: Player) -> str:
    """The form to import a record."""
    return render_template("match/import.html", text="")


@pages.post("/import")
@limiter.limit("30 per hour")
@signed_in
def bring(player: Player) -> Answer:
    """Imports a record, from a file or pasted into the page, and shows the match."""
    file = request.files.get("file")
    text = request.form.get("text", "")
    raw = file.read() if file else text.encode()
    try:
        match_id = records.bring(site(), player.id, raw)
    except records.RecordRefused as error:
        refuse(error, "file" if file else "text")
        return render_template("match/import.html", text=text), 422
    return redirect(url_for("match.show", match_id=match_id), 303)


def _file(content: str | bytes, media_type: str, name: str) -> Response:
    answer = Response(content, mimetype=media_type)
    answer.headers["Content-Disposition"] = f'inline; filename="{name}"'
    return answer
