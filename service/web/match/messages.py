"""The conversation of a match, the player's notes on it, and the way to the next match that waits."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.play.pages import match_lists, match_page
from service.play.talk import messages
from service.web import idempotency
from service.web.current_player import Answer, Player, seated, site, visitor_id
from service.web.form_errors import refuse
from service.web.security import limiter, row_number

pages = Blueprint("talk", __name__)


@pages.post("/match/<int:match_id>/say")
@limiter.limit("30 per 10 minutes")
@seated
def say(player: Player, match_id: int) -> Answer:
    """Says something to the others at the table."""
    text = request.form.get("text", "")
    only, to = request.form.get("audience") == "some", request.form.getlist("reader", type=row_number)
    try:
        messages.check_audience(only, to)
        messages.say(site(), match_id, player.id, text, f"web:{player.id}:{idempotency.key()}", to)
    except messages.TalkError as error:
        return _again(match_id, str(error), text, "say", only, to)
    return redirect(url_for("match.show", match_id=match_id, _anchor="talk"), 303)


@pages.post("/match/<int:match_id>/note")
@seated
def note(player: Player, match_id: int) -> Answer:
    """Saves the player's note on the match."""
    text = request.form.get("text", "")
    try:
        messages.keep_note(site(), match_id, player.id, text)
    except messages.TalkError as error:
        return _again(match_id, str(error), text, "note")
    return redirect(url_for("match.show", match_id=match_id, _anchor="note"), 303)


@pages.get("/next")
@seated
def next_match(player: Player) -> Answer:
    """The next match that waits for the player, after the one they come from."""
    match_id = match_lists.next_waiting(site(), player.id, request.args.get("after", 0, type=row_number))
    if match_id is None:
        flash(render_template("match/nothing_waits.txt").strip())
        return redirect(url_for("lobby.front"), 303)
    return redirect(url_for("match.show", match_id=match_id), 303)


def _again(match_id: int, error: str, text: str, act: str, only: bool = False, to: Sequence[int] = ()) -> Answer:
    """The page with a refused message or note, to be corrected and sent again."""
    if match_page.newest(site(), match_id) is None:
        abort(404)
    known = messages.heard(site(), match_id, visitor_id()) if act == "say" else None
    refuse(error, "words")
    page = render_template(
        "match/message_refused.html",
        match_id=match_id,
        text=text,
        act=act,
        talk=known,
        only=only,
        to=to,
    )
    return page, 422
