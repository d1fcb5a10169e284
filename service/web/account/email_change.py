"""Using another address: asked for in the settings, confirmed at the new one, approved or stopped at the old one."""

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
    """Where another address is entered, or what was asked for is called off."""
    return _page(player)


@pages.post("/account/address")
@limiter.limit("10 per hour")
@signed_in
def send(player: Player) -> Answer:
    """Sends links to it and to the old one. The answer is the same whether or not the address is somebody's."""
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
    """The link to the new address. It only shows a button: programs that look at links must not press it."""
    change = email_change.confirmable(site(), token)
    return render_template("account/email_change_link.html", change=change, act=f"new-{change.state}")


@pages.post("/address/confirm/<token>")
@limiter.limit("30 per hour")
def confirm(token: str) -> Answer:
    """The new address agrees, which the page of the link then tells."""
    email_change.confirm(site(), token)
    return redirect(url_for("address.confirmable", token=token), 303)


@pages.get("/address/object/<token>")
def objectionable(token: str) -> Answer:
    """The link to the old address, with a button too."""
    change = email_change.objectionable(site(), token)
    return render_template("account/email_change_link.html", change=change, act=f"old-{change.state}")


@pages.post("/address/object/<token>")
@limiter.limit("30 per hour")
def refuse(token: str) -> Answer:
    """Approves the change, or stops or undoes it and signs everybody out; the page of the link then tells which."""
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
    """What a link says that can no longer be used."""
    return render_template("account/email_change_link.html", change=None, act="gone", error=str(error)), 410
