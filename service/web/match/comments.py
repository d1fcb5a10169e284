"""Comments on a match that is over: the form below a position, and the button that removes one."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.play.talk import comments
from service.play.talk.messages import TalkError
from service.web import idempotency
from service.web.current_player import Answer, Player, is_operator, signed_in, site
from service.web.form_errors import refuse
from service.web.match import page
from service.web.security import limiter

pages = Blueprint("comments", __name__, url_prefix="/match/<int:match_id>")


@pages.post("/at/<int:ply>/comment")
@limiter.limit("30 per hour")
@signed_in
def add(player: Player, match_id: int, ply: int) -> Answer:
    """Adds a comment."""
    text = request.form.get("text", "")
    try:
        comments.add(site(), match_id, player.id, ply, text, f"web:{player.id}:{idempotency.key()}")
    except TalkError as error:
        refuse(error, "comment")
        return page.at(match_id, ply), 422
    return redirect(url_for("match.at", match_id=match_id, ply=ply, _anchor="comments"), 303)


@pages.post("/comments/<int:number>/remove")
@signed_in
def remove(player: Player, match_id: int, number: int) -> Answer:
    """Removes a comment."""
    try:
        is_removed = comments.remove(site(), match_id, number, player.id, is_operator=is_operator(player))
    except TalkError:
        is_removed = False
    if not is_removed:
        abort(404)
    flash(render_template("match/comment_removed.txt").strip())
    return redirect(url_for("match.show", match_id=match_id, _anchor="comments"), 303)
