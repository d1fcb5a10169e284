"""Playing right away: a match against a computer opponent in any game, without an account."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.bots.roster import OPPONENTS
from service.games import GAMES
from service.play.match import lobby
from service.play.match.invitations import LobbyError
from service.web.current_player import Answer, admit_guest, site, visitor
from service.web.security import limiter

pages = Blueprint("play_now", __name__, url_prefix="/play")


@pages.get("")
def choose() -> str:
    """Choose a game and an opponent."""
    return render_template("lobby/play.html", games=GAMES.values(), opponents=OPPONENTS)


@pages.post("/<game>")
@limiter.limit("20 per hour")
def begin(game: str) -> Answer:
    """Opens a match against a computer opponent. A visitor who isn't signed in becomes a guest of this browser."""
    opponent, board = request.form.get("opponent", ""), request.form.get("board", "")
    if game not in GAMES or opponent not in ("", *(each.name.lower() for each in OPPONENTS[game])):
        abort(404)
    if board and not any(board in option.choices for option in GAMES[game].options if option.short):
        abort(404)
    player = visitor() or admit_guest()
    try:
        match = lobby.practise(site(), player.id, game, opponent, board)
    except LobbyError as error:
        flash(str(error))
        return redirect(url_for("play_now.choose"), 303)
    return redirect(url_for("match.show", match_id=match), 303)
