"""Ways to sign in other than an emailed link, a password and passkeys, and the pages on which to manage them."""

from __future__ import annotations

from flask import Blueprint, flash, jsonify, redirect, render_template, request, session, url_for
from flask_limiter.util import get_remote_address
from werkzeug.wrappers import Response

from service.play.accounts import passkeys, passwords, sessions
from service.play.accounts.passkeys import PasskeyError
from service.play.accounts.passwords import PasswordError, TooBusyError
from service.web import idempotency, passkey_challenges
from service.web.current_player import (
    Answer,
    Player,
    admit,
    ask_again,
    begin,
    guest_id,
    is_fresh,
    signed_in,
    site,
    wanted_page,
)
from service.web.form_errors import refuse
from service.web.security import limiter

pages = Blueprint("keys", __name__)


def _address_given() -> str:
    return request.form.get("email", "").strip().lower()


def _address_given_here() -> str:
    """Counts each requester by themselves, so that guesses from elsewhere don't lock the owner out."""
    return f"{get_remote_address()} {_address_given()}"


@pages.post("/sign-in/password")
@limiter.limit("40 per hour")
@limiter.limit("10 per 15 minutes", key_func=_address_given_here)
@limiter.limit("100 per hour", key_func=_address_given)
def enter_by_password() -> Answer:
    """Signs in with a password."""
    email = request.form.get("email", "")
    try:
        player = passwords.sign_in(site(), email, request.form.get("password", ""), guest_id(), begin)
    except PasswordError as error:
        refuse(error, "password")
        return render_template("account/sign_in.html", email=email[:254]), _status(error)
    return redirect(_enter(player), 303)


@pages.post("/sign-in/passkey/options")
@limiter.limit("60 per hour")
def ask_passkey() -> Answer:
    """The options for the page's script to ask the device with."""
    return passkey_challenges.options(lambda challenge: passkeys.sign_in_options(site(), challenge))


@pages.post("/sign-in/passkey")
@limiter.limit("40 per hour")
def enter_by_passkey() -> Answer:
    """Signs in with the device's answer, and returns where the page's script should go."""
    try:
        answer, challenge = request.form.get("answer", ""), passkey_challenges.taken()
        player = passkeys.sign_in(site(), answer, challenge, guest_id(), begin)
    except PasskeyError as error:
        return passkey_challenges.told(error)
    return jsonify(to=_enter(player))


@pages.get("/account/prove")
@signed_in
def prove(player: Player) -> Answer:
    """The page on which somebody who is signed in signs in again, to change the account itself."""
    session["proving"] = True
    if (page := request.args.get("to", "")) in ("keys.show", "address.ask", "leaving.ask"):
        session["wanted"] = url_for(page)
    return _prove_page(player)


@pages.post("/account/prove")
@limiter.limit("10 per 15 minutes")
@signed_in
def prove_by_password(player: Player) -> Answer:
    """Signs in again with the password."""
    try:
        known = passwords.sign_in(site(), player.email or "", request.form.get("password", ""), begin=begin)
    except PasswordError as error:
        refuse(error, "password")
        return _prove_page(player), _status(error)
    return redirect(_enter(known), 303)


@pages.get("/account/keys")
@signed_in
def show(player: Player) -> Answer:
    """The player's password and passkeys."""
    return _page(player)


@pages.post("/account/keys/password")
@limiter.limit("20 per hour")
@signed_in
def set_password(player: Player) -> Answer:
    """Sets or changes the password, given the former one or a recent sign-in. Other sessions end."""
    former = request.form.get("former", "")
    try:
        if not is_fresh() and not former:
            return ask_again()
        if not is_fresh() and not passwords.fits(site(), player.id, former):
            refuse("That isn't your current password. Try again, or sign in again first.", "former")
            return _page(player), 422
        passwords.keep(site(), player.id, request.form.get("password", ""), idempotency.key(), session["visit"])
    except PasswordError as error:
        refuse(error, "password")
        return _page(player), _status(error)
    return _kept("password")


@pages.post("/account/keys/password/remove")
@signed_in
def remove_password(player: Player) -> Answer:
    """Removes the password."""
    if not is_fresh():
        return ask_again()
    passwords.remove(site(), player.id, idempotency.key())
    return _kept("password")


@pages.post("/account/keys/passkey/options")
@limiter.limit("60 per hour")
@signed_in
def ask_new_passkey(player: Player) -> Answer:
    """The options for the page's script to have the device make a passkey."""
    if not is_fresh():
        return passkey_challenges.told(PasskeyError("Sign in again first: reload this page and follow the link on it."))
    return passkey_challenges.options(lambda challenge: passkeys.new_options(site(), player, challenge))


@pages.post("/account/keys/passkey")
@limiter.limit("20 per hour")
@signed_in
def add_passkey(player: Player) -> Answer:
    """Saves the passkey that the device has made."""
    answer, name = request.form.get("answer", ""), request.form.get("name", "")
    if not is_fresh():
        return passkey_challenges.told(PasskeyError("Sign in again first: reload this page and follow the link on it."))
    try:
        passkeys.add(site(), player.id, answer, passkey_challenges.taken(), name, session["visit"])
    except PasskeyError as error:
        return passkey_challenges.told(error)
    flash(render_template("account/credential_saved.txt", what="passkey").strip())
    return jsonify(to=url_for("keys.show"))


@pages.post("/account/keys/passkey/<int:passkey_id>")
@signed_in
def change_passkey(player: Player, passkey_id: int) -> Answer:
    """Gives a passkey another name, or removes it."""
    if request.form.get("remove"):
        if not is_fresh():
            return ask_again()
        passkeys.remove(site(), player.id, passkey_id)
        return _kept("passkey")
    try:
        passkeys.rename(site(), player.id, passkey_id, request.form.get("name", ""))
    except PasskeyError as error:
        refuse(error, f"passkey-{passkey_id}")
        return _page(player), 422
    return _kept("passkey")


def _status(error: PasswordError) -> int:
    return 503 if isinstance(error, TooBusyError) else 422


def _page(player: Player) -> str:
    return render_template(
        "account/credentials.html",
        has_password=passwords.is_set(site(), player.id),
        passkeys=passkeys.of(site(), player.id),
        offered=bool(site().settings.passkey_host),
        shortest=passwords.SHORTEST,
        longest=passwords.LONGEST,
        fresh=is_fresh(),
        now=site().now(),
    )


def _prove_page(player: Player) -> str:
    return render_template(
        "account/prove.html",
        has_password=passwords.is_set(site(), player.id),
        has_passkeys=bool(passkeys.of(site(), player.id)) and bool(site().settings.passkey_host),
        minutes=int(sessions.FRESH_FOR.total_seconds() // 60),
    )


def _enter(player: Player) -> str:
    """Signs the player in on this browser; returns the page they wanted."""
    page = wanted_page()
    admit(player)
    flash(render_template("account/welcome.txt", name=player.name).strip())
    return page


def _kept(what: str) -> Response:
    flash(render_template("account/credential_saved.txt", what=what).strip())
    return redirect(url_for("keys.show"), 303)
