"""Ways to hear of turns other than email: notifications on devices, and hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, flash, jsonify, redirect, render_template, request, url_for

from service.mail.letters import web_push
from service.play.accounts.display_names import AccountError
from service.play.accounts.programs import bot_accounts
from service.play.notify import doors
from service.play.notify.doors import DoorError
from service.web.account.settings import device
from service.web.current_player import Answer, Player, signed_in, site
from service.web.form_errors import refuse
from service.web.security import limiter, row_number

pages = Blueprint("doors", __name__)


@pages.get("/account/doors")
@signed_in
def show(player: Player) -> str:
    """The player's devices and hooks, and the hooks of their bots."""
    return _page(player)


@pages.post("/account/doors")
@limiter.limit("60 per hour")
@signed_in
def add(player: Player) -> Answer:
    """Registers a hook, of the player or of one of their bots."""
    form = request.form
    try:
        holder = bot_accounts.holder(site(), player, form.get("holder", 0, type=row_number))
        doors.add_hook(site(), holder.id, form.get("address", ""), form.get("format", ""), form.getlist("events"))
    except DoorError as error:
        refuse(error, error.field)
        return _page(player), 422
    except AccountError as error:
        refuse(error)
        return _page(player), 422
    return _kept("added")


@pages.post("/account/doors/<int:door_id>")
@limiter.limit("60 per hour")
@signed_in
def change(player: Player, door_id: int) -> Answer:
    """Tests, switches on or removes a hook or device, or replaces the secret of a hook."""
    what = request.form.get("what", "")
    acts = {"test": doors.test, "on": doors.turn_on, "rotate": doors.rotate, "remove": doors.remove}
    if what in acts:
        acts[what](site(), player.id, door_id)
    return _kept(what)


@pages.post("/account/devices")
@limiter.limit("60 per hour")
@signed_in
def add_device(player: Player) -> Answer:
    """Registers the subscription that this browser has made, which its script sends as JSON."""
    given = _subscription()
    try:
        doors.add_device(site(), player.id, given["endpoint"], given["keys"], device(request.user_agent.string))
    except DoorError as error:
        told = jsonify(message=str(error))
        told.status_code = 422
        return told
    flash(_said("device"))
    return jsonify(to=url_for("doors.show"))


def _subscription() -> dict[str, Any]:
    """The form's `PushSubscription`: its endpoint and keys, empty if it isn't valid."""
    try:
        given = json.loads(request.form.get("subscription", ""))
    except (ValueError, RecursionError):
        given = None
    found = given if isinstance(given, dict) else {}
    keys = found.get("keys")
    return {"endpoint": str(found.get("endpoint", "")), "keys": keys if isinstance(keys, dict) else {}}


@pages.get("/service-worker.js")
def service_worker() -> Response:
    """The script that shows notifications. It is at the root, because it may only open pages below itself."""
    script = (Path(current_app.static_folder or "") / "service_worker.js").read_bytes()
    return Response(script, mimetype="text/javascript", headers={"Cache-Control": "no-cache"})


def _page(player: Player) -> str:
    settings, now = site().settings, site().now()
    bots = bot_accounts.of(site(), player.id)
    own = doors.of(site(), player.id, *(bot.id for bot in bots))
    return render_template(
        "account/doors.html",
        devices=[door for door in own if door.form == doors.PUSH],
        hooks=[(door, doors.signing_secrets(settings, door, now)) for door in own if door.form != doors.PUSH],
        bots=bots,
        holders={bot.id: bot.name for bot in bots},
        events=doors.EVENTS,
        forms=doors.FORMS,
        public_key=web_push.unpadded(web_push.public(web_push.own_key(settings.secret))),
        now=now,
    )


def _said(what: str) -> str:
    return render_template("account/door_saved.txt", what=what).strip()


def _kept(what: str) -> Answer:
    if sentence := _said(what):
        flash(sentence)
    return redirect(url_for("doors.show"), 303)
