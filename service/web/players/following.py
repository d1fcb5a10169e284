"""The page of the players that a player follows, and the buttons on the pages of players and events."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for

from service.play.notify import following
from service.play.pages import feeds
from service.web.current_player import Answer, Player, signed_in, site
from service.web.security import limiter

pages = Blueprint("following", __name__, url_prefix="/following")


@pages.get("")
@signed_in
def show(player: Player) -> Answer:
    """The players and events that the player follows, and the latest news."""
    feed = f"{feeds.address(site(), player.id)}/followed.xml"
    return render_template("players/following.html", following=following.shown(site(), player.id), feed=feed)


@pages.post("/player/<int:player_id>")
@limiter.limit("60 per hour")
@signed_in
def follow_player(player: Player, player_id: int) -> Answer:
    """Follows or unfollows a player."""
    if request.form.get("follow") != "yes":
        following.unfollow_player(site(), player.id, player_id)
        return redirect(url_for("following.show"), 303)
    try:
        following.follow_player(site(), player.id, player_id)
    except following.FollowError as error:
        flash(str(error))
    return redirect(url_for("people.player", player_id=player_id), 303)


@pages.post("/event/<int:event_id>")
@limiter.limit("60 per hour")
@signed_in
def follow_event(player: Player, event_id: int) -> Answer:
    """Follows or unfollows an event."""
    if request.form.get("follow") != "yes":
        following.unfollow_event(site(), player.id, event_id)
        return redirect(url_for("following.show"), 303)
    try:
        following.follow_event(site(), player.id, event_id)
    except following.FollowError as error:
        flash(str(error))
    return redirect(url_for("events.show", event_id=event_id), 303)
