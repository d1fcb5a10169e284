"""Changing the email address: asked for in the settings, confirmed at the new one, approved or stopped at the old
one."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for

from service.play.accounts import email_change
from service.play.accounts.identity import AccountError
from service.web import form_errors
from service.web.current_player import Answer, Player, is_fresh, signed_in, site
from service.web.security import limiter

pages = Blueprint("address", __name__)


@pages.get("/account/address")
@signed_in
def ask(player: Player) -> Answer:
    """The page on which to enter another address, or to cancel the change."""
    return _page(player)


@pages.post("/account/address")
@limiter.limit("10 per hour")
@signed_in
def send(player: Player) -> Answer:
    """Sends links to the new and the old address. The answer is the same whether or not the new one is somebody's."""
    email = request.form.get("email", "")
    if request.form.get("call_off"):
        email_change.call_off(site(), player.id)
        return redirect(url_for("address.ask"), 303)
    try:
        sent = email_change.ask(site(), player.id, email, proven=is_fresh())
    except AccountError as error:
        form_errors.refuse(error, "email")
        return _page(player, email=email[:254]), 422
    return _page(player, sent=sent)


@pages.get("/address/confirm/<token>")
def confirmable(token: str) -> Answer:
    """The link sent to the new address. It only shows a button, which programs that open links don't press."""
    change = email_change.confirmable(site(), token)
    return render_template("account/email_change_link.html", change=change, act=f"new-{change.state}")


@pages.post("/address/confirm/<token>")
@limiter.limit("30 per hour")
def confirm(token: str) -> Answer:
    """Confirms the new address, as the link's page then says."""
    email_change.confirm(site(), token)
    return redirect(url_for("address.confirmable", token=token), 303)


@pages.get("/address/object/<token>")
def objectionable(token: str) -> Answer:
    """The link sent to the old address, also with a button."""
    change = email_change.objectionable(site(), token)
    return render_template("account/email_change_link.html", change=change, act=f"old-{change.state}")


@pages.post("/address/object/<token>")
@limiter.limit("30 per hour")
def refuse(token: str) -> Answer:
    """Approves the change, or stops or undoes it and signs everybody out, as the link's page then says."""
    if request.form.get("approve"):
        email_change.approve(site(), token)
    else:
        email_change.refuse(site(), token)
        session.clear()
    return redirect(url_for("address.objectionable", token=token), 303)


def _page(player: Player, *, email: str = "", sent: str = "") -> str:
    pending = email_change.pending(site(), player.id)
    return render_template("account/email_change.html", email=email, sent=sent, pending=pending, fresh=is_fresh())


@pages.errorhandler(AccountError)
def _gone(error: AccountError) -> tuple[str, int]:
    """The page of a link that can no longer be used."""
    return render_template("account/email_change_link.html", change=None, act="gone", error=str(error)), 410
