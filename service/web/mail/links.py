"""Pages that links in emails lead to. Each only shows a button, which programs that open links don't press."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for

from service.play.inbox import unverified
from service.play.outbox import unsubscribe
from service.web.current_player import Answer, site, visitor_id
from service.web.form_errors import refuse
from service.web.security import csrf, limiter

pages = Blueprint("post", __name__, url_prefix="/mail")
# The signed link is the authorisation; mail programs post without having loaded the page.
csrf.exempt(pages)


@pages.get("/confirm/<token>")
def held(token: str) -> Answer:
    """An email that waits to be confirmed."""
    try:
        mail = unverified.held(site(), token)
    except unverified.ConfirmError as error:
        return render_template("mail_links/unverified.html", held=None, error=str(error)), 410
    later = "later" in request.args
    return render_template(
        "mail_links/unverified.html" if mail else "mail_links/confirmed.html", held=mail, error="", later=later
    )


@pages.post("/confirm/<token>")
@limiter.limit("60 per hour")
def release(token: str) -> Answer:
    """Confirms it and, with `network`, later emails from the same network, as its page then says."""
    later = "network" in request.form
    try:
        unverified.confirm(site(), token, with_network=later)
    except unverified.ConfirmError as error:
        return render_template("mail_links/unverified.html", held=None, error=str(error)), 410
    return redirect(url_for("post.held", token=token, later=1 if later else None), 303)


@pages.get("/stop/<token>")
def stoppable(token: str) -> Answer:
    """Which emails can be stopped, or allowed again."""
    return _stop_page(token)


@pages.post("/stop/<token>")
@limiter.limit("60 per hour")
def stopped(token: str) -> Answer:
    """Stops emails about a match, all but reminders with `reminders`, or with `all` every email; `again` undoes it.

    Mail programs send `List-Unsubscribe=One-Click` here without showing the page (RFC 8058), to the address in the
    header. Everybody else has to be signed in as the reader, or to know which address the emails go to.
    """
    try:
        if request.form.get("List-Unsubscribe") == "One-Click":
            unsubscribe.stop_at_once(site(), token)
        else:
            wanted = {name: name in request.form for name in ("again", "reminders")}
            given = request.form.get("address", "")
            unsubscribe.stop(site(), token, visitor_id(), given, everything="all" in request.form, **wanted)
        return _stop_page(token)
    except unsubscribe.NotTheReader as error:
        refuse(error, "address")
        return _stop_page(token, 403)
    except unsubscribe.StopError as error:
        refuse(error)
        return _stop_page(token, 400)


def _stop_page(token: str, status: int = 200) -> Answer:
    try:
        state = unsubscribe.state(site(), token)
    except unsubscribe.StopError as error:
        refuse(error)
        return render_template("mail_links/unsubscribe.html", state=None), 410
    mine, given = visitor_id() == state.player, request.form.get("address", "")
    return render_template("mail_links/unsubscribe.html", state=state, mine=mine, given=given), status
