"""Profiles of players, and the list of all matches with its filters."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from service.games import GAMES
from service.play.pages import profiles
from service.play.talk import moderation
from service.web.current_player import site, visitor_id

pages = Blueprint("people", __name__)


@pages.get("/player/<int:player_id>")
def player(player_id: int) -> str:
    """A player's results and matches."""
    shown = profiles.profile(site(), player_id, visitor_id(), _page()) or abort(404)
    own = visitor_id()
    blocked = own is not None and moderation.is_blocked(site(), own, player_id)
    return render_template("players/player.html", player=shown, blocked=blocked, now=site().now())


@pages.get("/matches")
def matches() -> str:
    """The matches everybody may see, by player, game and state."""
    asked = request.args
    wanted = profiles.Search(asked.get("player", ""), asked.get("game", ""), asked.get("state", ""), _page())
    return render_template(
        "players/matches.html",
        wanted=wanted,
        found=profiles.search(site(), wanted, visitor_id()),
        games=GAMES.values(),
        longest=profiles.LONGEST_QUESTION,
        now=site().now(),
    )


def _page() -> int:
    return request.args.get("page", 1, type=int)
