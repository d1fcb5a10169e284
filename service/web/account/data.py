"""Exporting a player's data, deleting their account, and taking an account back from a thief."""

from __future__ import annotations

import json

from flask import Blueprint, Response, redirect, render_template, request, session, url_for

from service.play.accounts import data_export, deletion, recovery
from service.play.accounts.identity import AccountError
from service.web.current_player import Answer, Player, ask_again, is_fresh, signed_in, site
from service.web.form_errors import refuse
from service.web.security import limiter

pages = Blueprint("leaving", __name__, url_prefix="/account")


@pages.get("/data.json")
@limiter.limit("10 per hour")
@signed_in
def data(player: Player) -> Answer:
    """All data of the player, as a file."""
    text = json.dumps(data_export.everything(site(), player.id), ensure_ascii=False, indent=1)
    file = Response(text, mimetype="application/json")
    file.headers["Content-Disposition"] = 'attachment; filename="stonepost.json"'
    return file


@pages.get("/leave")
@signed_in
def ask(player: Player) -> Answer:
    """What deleting the account means, or until when it can be cancelled."""
    return _page(player)


@pages.post("/leave")
@limiter.limit("20 per hour")
@signed_in
def leave(player: Player) -> Answer:
    """Has the account deleted, if the player has signed in again and typed a word to confirm; or cancels that."""
    if request.form.get("stay"):
        deletion.stay(site(), player.id)
        return redirect(url_for("leaving.ask"), 303)
    if not is_fresh():
        return ask_again()
    if request.form.get("words", "").strip().lower() != "leave":
        refuse("Type the word leave to confirm.", "words")
        return _page(player), 422
    deletion.ask(site(), player.id)
    return redirect(url_for("leaving.ask"), 303)


@pages.get("/not-me/<token>")
def recoverable(token: str) -> Answer:
    """The link in emails about a changed account. It only shows a button, which programs that open links don't
    press."""
    try:
        name, done = recovery.recoverable(site(), token)
    except AccountError as error:
        return render_template("account/not_me.html", name="", done=False, error=str(error)), 410
    return render_template("account/not_me.html", name=name, done=done, error="")


@pages.post("/not-me/<token>")
@limiter.limit("30 per hour")
def recover(token: str) -> Answer:
    """Shuts everybody out of the account, as the link's page then says."""
    try:
        recovery.recover(site(), token)
    except AccountError as error:
        return render_template("account/not_me.html", name="", done=False, error=str(error)), 410
    session.clear()
    return redirect(url_for("leaving.recoverable", token=token), 303)


def _page(player: Player) -> str:
    return render_template("account/delete.html", leaves=player.leaves, fresh=is_fresh(), wait=deletion.WAIT)
