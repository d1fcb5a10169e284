"""Using another address: asked for in the settings, confirmed at the new one, objected to at the old one."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from service.play import addresses
from service.play.accounts import AccountError
from service.web.guard import limiter
from service.web.visitor import Answer, Player, house, signed_in

pages = Blueprint("address", __name__)


@pages.get("/account/address")
@signed_in
def ask(_player: Player) -> Answer:
    """Where another address is entered."""
    return render_template("auth/address.html", email="", error="", sent="")


@pages.post("/account/address")
@limiter.limit("10 per hour")
@signed_in
def send(player: Player) -> Answer:
    """Sends the link to it. The answer is the same whether or not the address is somebody's."""
    email = request.form.get("email", "")
    try:
        sent = addresses.ask(house(), player.id, email)
    except AccountError as error:
        return render_template("auth/address.html", email=email[:254], error=str(error), sent=""), 422
    return render_template("auth/address.html", email="", error="", sent=sent)


@pages.get("/address/confirm/<token>")
def confirmable(token: str) -> Answer:
    """The link to the new address. It only shows a button: programs that look at links must not press it."""
    try:
        change = addresses.confirmable(house(), token)
    except AccountError as error:
        return _gone(error)
    return render_template("auth/address_link.html", change=change, act="confirmed" if change.done else "confirm")


@pages.post("/address/confirm/<token>")
@limiter.limit("30 per hour")
def confirm(token: str) -> Answer:
    """Makes the change, which the page of the link then tells."""
    try:
        addresses.confirm(house(), token)
    except AccountError as error:
        return _gone(error)
    return redirect(url_for("address.confirmable", token=token), 303)


@pages.get("/address/object/<token>")
def objectionable(token: str) -> Answer:
    """The link to the old address, with a button too."""
    try:
        change = addresses.objectionable(house(), token)
    except AccountError as error:
        return _gone(error)
    return render_template("auth/address_link.html", change=change, act="objected" if change.done else "object")


@pages.post("/address/object/<token>")
@limiter.limit("30 per hour")
def refuse(token: str) -> Answer:
    """Undoes the change, which the page of the link then tells, and signs everybody out."""
    try:
        addresses.refuse(house(), token)
    except AccountError as error:
        return _gone(error)
    session.clear()
    return redirect(url_for("address.objectionable", token=token), 303)


def _gone(error: AccountError) -> tuple[str, int] | Response:
    return render_template("auth/address_link.html", change=None, act="gone", error=str(error)), 410
