"""Blocking and reporting a player, from their profile."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for

from service.play.talk import moderation
from service.web.current_player import Answer, Player, signed_in, site
from service.web.form_errors import refuse
from service.web.players import profiles
from service.web.security import limiter

pages = Blueprint("peace", __name__, url_prefix="/player/<int:player_id>")


@pages.post("/block")
@signed_in
def block(player: Player, player_id: int) -> Answer:
    """Blocks or unblocks a player."""
    moderation.set_block(site(), player.id, player_id, request.form.get("block") == "yes")
    blocked = moderation.is_blocked(site(), player.id, player_id)
    flash(render_template("players/blocked.txt", blocked=blocked).strip())
    return redirect(url_for("people.player", player_id=player_id), 303)


@pages.post("/report")
@limiter.limit("10 per hour")
@signed_in
def report(player: Player, player_id: int) -> Answer:
    """Reports a player to the operators."""
    try:
        moderation.report(site(), player.id, player_id, request.form.get("text", ""))
    except moderation.PeaceError as error:
        refuse(error, "report")
        return profiles.player(player_id), 422
    flash(render_template("players/reported.txt").strip())
    return redirect(url_for("people.player", player_id=player_id), 303)
