"""Playing at once: a match against the practice bot in any game, with no account needed."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, url_for

from service.games import GAMES
from service.play.match import lobby
from service.web.current_player import Answer, admit_guest, site, visitor
from service.web.security import limiter

pages = Blueprint("play_now", __name__, url_prefix="/play")


@pages.get("")
def choose() -> str:
    """Which game shall it be."""
    return render_template("lobby/play.html", games=GAMES.values())


@pages.post("/<game>")
@limiter.limit("20 per hour")
def begin(game: str) -> Answer:
    """Opens a match against the bot; whoever is not signed in becomes a guest of this browser."""
    if game not in GAMES:
        abort(404)
    player = visitor() or admit_guest()
    return redirect(url_for("match.show", match_id=lobby.practise(site(), player.id, game)), 303)
