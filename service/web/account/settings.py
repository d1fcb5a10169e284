"""When emails about one match come, feeds, and the browsers that a player is signed in on."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, session, url_for

from service.play.accounts import identity, sessions
from service.play.inbox import mail_networks
from service.play.notify import preferences
from service.play.pages import feeds
from service.web.current_player import Answer, Player, signed_in, site
from service.web.security import limiter, row_number

pages = Blueprint("settings", __name__, url_prefix="/account")

_BROWSERS = ("Edg", "OPR", "Firefox", "Chromium", "Chrome", "Safari")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux")
_SPOKEN = {"Edg": "Edge", "OPR": "Opera"}


@pages.post("/mails/<int:match_id>")
@signed_in
def choose_mails_here(player: Player, match_id: int) -> Answer:
    """Sets when the player gets emails about one match."""
    try:
        preferences.keep_here(site(), match_id, player.id, request.form.get("post", ""))
    except preferences.ChoiceError as error:
        flash(str(error))
    else:
        flash(render_template("account/email_preferences_saved.txt").strip())
    return redirect(url_for("match.show", match_id=match_id), 303)


@pages.post("/feeds")
@limiter.limit("20 per hour")
@signed_in
def renew_feeds(player: Player) -> Answer:
    """Gives the player's feeds new addresses."""
    feeds.renew(site(), player.id)
    flash(render_template("account/feeds_renewed.txt").strip())
    return redirect(url_for("auth.account"), 303)


@pages.get("/browsers")
@signed_in
def browsers(player: Player) -> Answer:
    """The browsers on which the player is signed in."""
    shown = [(visit, device(visit.device)) for visit in sessions.of(site(), player.id)]
    return render_template(
        "account/sessions.html", visits=shown, own=sessions.stored(session["visit"]), now=site().now()
    )


@pages.post("/browsers")
@signed_in
def sign_out(player: Player) -> Answer:
    """Signs out on one browser, or on all."""
    if request.form.get("all"):
        sessions.end_all(site(), player.id)
        session.clear()
        flash(render_template("account/signed_out.txt").strip())
        return redirect(url_for("lobby.front"), 303)
    sessions.end(site(), player.id, request.form.get("visit", ""))
    return redirect(url_for("settings.browsers"), 303)


@pages.get("/mail-networks")
@signed_in
def mail_networks_page(player: Player) -> Answer:
    """The networks from which the player's replies count without confirmation."""
    return render_template("account/mail_networks.html", networks=mail_networks.of(site(), player.id), now=site().now())


@pages.post("/mail-networks")
@signed_in
def end_mail_network(player: Player) -> Answer:
    """Has replies from a network confirmed again."""
    mail_networks.end(site(), player.id, request.form.get("network", 0, type=row_number))
    return redirect(url_for("settings.mail_networks_page"), 303)


@pages.post("/link")
@limiter.limit("5 per hour")
@signed_in
def send_link(player: Player) -> Answer:
    """Emails a sign-in link, to be opened on another device."""
    identity.ask_sign_in(site(), player.email or "")
    session["asked"] = player.email
    return redirect(url_for("auth.sent"), 303)


def device(agent: str) -> str:
    """A browser as its owner would call it: "Firefox on Linux"."""
    browser = next((_SPOKEN.get(name, name) for name in _BROWSERS if name in agent), "A browser")
    system = next((name for name in _SYSTEMS if name in agent), "")
    return f"{browser} on {system}" if system else browser
