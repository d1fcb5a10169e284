"""Exploring: the board of any position of a match, to try moves on in private."""

from __future__ import annotations

from flask import Blueprint, abort, jsonify, redirect, render_template, request, url_for

from service.engine.game import MoveError
from service.play.orders.preview import Preview
from service.play.pages import analysis, match_lists, match_page
from service.web.current_player import Answer, Player, seated, site, wants_json
from service.web.form_errors import refuse
from service.web.match.page import boards, drafted, places_around, previewed, told
from service.web.security import limiter

pages = Blueprint("explore", __name__, url_prefix="/match/<int:match_id>/explore/<int:ply>")


@pages.get("")
@seated
def show(player: Player, match_id: int, ply: int) -> Answer:
    """The position after `ply` moves of the match and those of the variation `?at=`."""
    return _page(player, match_id, ply, request.args.get("at", type=int))


@pages.post("/preview")
@limiter.limit("240 per minute")
@seated
def preview(player: Player, match_id: int, ply: int) -> Answer:
    """What a move would do; nothing is stored. JSON for the script, otherwise the page with the move filled in."""
    form = request.form
    at, text = form.get("at", type=int), form["choice"] if "choice" in form else form.get("text", "")
    try:
        found = analysis.preview(site(), match_id, player.id, ply, at, text)
    except MoveError as error:
        return _refused(error, player, match_id, ply, at, text)
    if wants_json():
        line = match_lists.match_line(site(), match_id, player.id) or abort(404)
        return previewed(found, line)
    return _page(player, match_id, ply, at, seen=found)


@pages.post("/try")
@limiter.limit("120 per minute")
@seated
def attempt(player: Player, match_id: int, ply: int) -> Answer:
    """Plays a move on the private board."""
    at, text = request.form.get("at", type=int), request.form.get("text", "")
    try:
        new = analysis.attempt(site(), match_id, player.id, ply, at, text)
    except MoveError as error:
        return _refused(error, player, match_id, ply, at, text)
    if wants_json():
        return jsonify(order=new)
    return redirect(url_for("explore.show", match_id=match_id, ply=ply, at=new), 303)


def _refused(error: MoveError, player: Player, match_id: int, ply: int, at: int | None, text: str) -> Answer:
    if wants_json():
        return told(str(error))
    refuse(error, "text")
    return _page(player, match_id, ply, at, text), 422


@pages.post("/forget")
@seated
def forget(player: Player, match_id: int, ply: int) -> Answer:
    """Deletes the variation `at` and goes back to the move before it."""
    at = request.form.get("at", type=int)
    found = analysis.study(site(), match_id, player.id, ply, at) if at else None
    before = found.path[-2].id if found and len(found.path) > 1 else None
    if at is not None and found is not None:
        analysis.forget(site(), match_id, player.id, ply, at)
    return redirect(url_for("explore.show", match_id=match_id, ply=ply, at=before), 303)


def _page(
    player: Player,
    match_id: int,
    ply: int,
    at: int | None,
    text: str = "",
    seen: Preview | None = None,
) -> str:
    page = match_page.match_page(site(), match_id, player.id, ply) or abort(404)
    study = analysis.study(site(), match_id, player.id, ply, at)
    if gone := study is None:
        # The back button or an old tab asks for a variation that was deleted: show what is left.
        at = None
        study = analysis.study(site(), match_id, player.id, ply, at) or abort(404)
    shown = seen.draft if seen else study.draft
    return render_template(
        "match/analysis.html",
        page=page,
        study=study,
        places=places_around(page, ply),
        ply=ply,
        at=at,
        draft=shown,
        drafted=drafted(shown) | {"stone": ""},
        text=shown.text if seen else text,
        gone=gone,
        seen=seen,
        confirming=False,
        **boards(shown.scene, page.line),
    )
