"""Taking one's data away, and leaving for good."""

from __future__ import annotations

import json

from flask import Blueprint, Response, flash, redirect, render_template, request, session, url_for

from service.play import leaving
from service.web.guard import limiter
from service.web.visitor import Answer, Player, house, signed_in

pages = Blueprint("leaving", __name__, url_prefix="/account")


@pages.get("/data.json")
@limiter.limit("10 per hour")
@signed_in
def data(player: Player) -> Answer:
    """All that is kept of the player, as a file."""
    text = json.dumps(leaving.everything(house(), player.id), ensure_ascii=False, indent=1)
    file = Response(text, mimetype="application/json")
    file.headers["Content-Disposition"] = 'attachment; filename="stonepost.json"'
    return file


@pages.get("/leave")
@signed_in
def ask(_player: Player) -> Answer:
    """What leaving means."""
    return render_template("auth/leave.html", error="")


@pages.post("/leave")
@signed_in
def leave(player: Player) -> Answer:
    """Leaves for good, once the player has said so in words."""
    if request.form.get("words", "").strip().lower() != "leave":
        return render_template("auth/leave.html", error="Write the word leave to say that you mean it."), 422
    leaving.leave(house(), player.id)
    session.clear()
    flash(render_template("auth/left.txt").strip())
    return redirect(url_for("lobby.front"), 303)
