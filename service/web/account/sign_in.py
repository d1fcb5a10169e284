"""Signing in with an emailed link, and the player's own name."""

from __future__ import annotations

from typing import TypeGuard

from flask import Blueprint, flash, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from service.play.accounts import account_events, identity, sessions, settings
from service.play.pages import feeds
from service.web.current_player import (
    Answer,
    Player,
    admit,
    begin,
    come_back_to,
    guest_id,
    may_operate,
    signed_in,
    site,
    visitor,
    visitor_id,
    wanted_page,
)
from service.web.form_errors import refuse
from service.web.security import limiter, requester

pages = Blueprint("auth", __name__)


@pages.get("/sign-in")
def ask() -> Answer:
    """The page that asks which address to send the link to."""
    player = visitor()
    if player is not None and not player.is_guest:
        return redirect(url_for("lobby.front"), 303)
    if "back" in request.args:
        come_back_to(request.args["back"])
    return render_template("account/sign_in.html", email="")


@pages.post("/sign-in")
@limiter.limit("20 per hour; 60 per day", key_func=requester)
def send() -> Answer:
    """Sends the link. The answer is the same whether or not the address is known or has had too many links."""
    email = request.form.get("email", "")
    try:
        identity.ask_sign_in(site(), email, guest_id(), session.get("wanted", ""))
    except identity.AccountError as error:
        refuse(error, "email")
        return render_template("account/sign_in.html", email=email[:254]), 422
    session["asked"] = email.strip()
    return redirect(url_for("auth.sent"), 303)


@pages.get("/sign-in/sent")
def sent() -> str:
    """Says that the link was sent by email."""
    return render_template("account/check_email.html", email=session.get("asked", ""))


@pages.get("/sign-in/<token>")
def knock(token: str) -> Answer:
    """The emailed link. It only shows a button: programs that open links in emails must not use it up."""
    expected = identity.expected(site(), token)
    # If emails to the player bounced, pressing the button shows that they arrive again. Signing in again, to change the
    # account itself, needs the button too.
    if _is_here(expected) and not expected.bounced and "proving" not in session:
        return _go_on(expected, token)
    return _confirmation(token, ask_name=expected is not None and expected.is_unnamed)


def _confirmation(token: str, *, ask_name: bool) -> str:
    """The page with the button. A guest's matches from another browser are taken over only if a box is ticked."""
    offered = identity.matches_offered(site(), token, guest_id())
    return render_template("account/sign_in_confirm.html", ask_name=ask_name, offered=offered)


@pages.post("/sign-in/<token>")
@limiter.limit("30 per hour")
def enter(token: str) -> Answer:
    """Uses the link."""
    zone, name, take_over = request.form.get("zone", ""), request.form.get("name", ""), "take_over" in request.form
    browser = session.get("csrf_token", "")
    try:
        player = identity.sign_in(site(), token, zone, browser, name, guest_id(), take_over=take_over, begin=begin)
    except identity.NameRefused as error:
        refuse(error, "name")
        return _confirmation(token, ask_name=True), 422
    except identity.AccountError as error:
        if _is_here(expected := identity.expected(site(), token)):
            return _go_on(expected, token)
        account_events.refused(site(), "link", None if expected is None else expected.id, str(error))
        refuse(error)
        return render_template("account/sign_in.html", email=""), 422
    page = wanted_page(identity.leads_to(site(), token))
    admit(player)
    flash(render_template("account/welcome.txt", name=player.name).strip())
    return redirect(page, 303)


def _is_here(expected: Player | None) -> TypeGuard[Player]:
    """Whether the owner of a link is signed in on this browser already."""
    return expected is not None and not expected.is_guest and expected.id == visitor_id()


def _go_on(player: Player, token: str) -> Response:
    """Redirects a player who is already signed in to the page they wanted."""
    flash(render_template("account/already_signed_in.txt", name=player.name).strip())
    return redirect(wanted_page(identity.leads_to(site(), token)), 303)


@pages.post("/sign-out")
def leave() -> Response:
    """Signs out on this browser."""
    player = visitor()
    if player is not None:
        sessions.end(site(), player.id, sessions.stored(session["visit"]))
    session.clear()
    return redirect(url_for("lobby.front"), 303)


@pages.get("/account")
@signed_in
def account(player: Player) -> str:
    """The player's name, address and settings."""
    return _account_page(player, settings.of(player))


@pages.post("/account")
@signed_in
def settle(player: Player) -> Answer:
    """Saves all of a player's settings; if one is refused, the page says why, and nothing that was typed is lost."""
    wanted = _wanted(player)
    try:
        settings.keep(site(), player.id, wanted)
    except settings.SettingsRefused as refused:
        for field, sentence in refused.errors.items():
            refuse(sentence, field)
        return _account_page(player, wanted), 422
    flash(render_template("account/saved.txt").strip())
    return redirect(url_for("auth.account"), 303)


def _wanted(player: Player) -> settings.Habits:
    form, own = request.form, settings.of(player)
    return settings.Habits(
        name=form.get("name", own.name),
        zone=form.get("zone", own.zone),
        vacation=bool(form.get("vacation")),
        post=form.get("post", own.post),
        hours=form.get("hours", own.hours),
        most=form.get("most", own.most),
        receipts=bool(form.get("receipts")),
        gazette=bool(form.get("gazette")),
        look=form.get("look", own.look),
        boards=form.get("boards", own.boards),
        stones=form.get("stones", own.stones),
        sound=bool(form.get("sound")),
        at_once=bool(form.get("at_once")),
        grace=form.get("grace", own.grace, type=int),
    )


def _account_page(player: Player, own: settings.Habits) -> str:
    feed = feeds.address(site(), player.id)
    zones = sorted(identity.ZONES)
    left = settings.vacation_left(site(), player.id)
    return render_template(
        "account/account.html", own=own, operates=may_operate(player), zones=zones, feed=feed, left=left
    )
