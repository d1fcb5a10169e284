"""The rules of every game, and how one plays by mail, as pages."""

from __future__ import annotations

from flask import Blueprint, abort, render_template

from service.games import GAMES
from service.mail.command_words import COMMANDS
from service.web.current_player import site

pages = Blueprint("rules", __name__)


@pages.get("/rules")
def index() -> str:
    """All games."""
    return render_template("help/rules.html", games=GAMES.values())


@pages.get("/by-mail")
def by_mail() -> str:
    """What can be written to us, as `help` tells it by mail."""
    return render_template("help/by_email.html", commands=COMMANDS, games=GAMES.values(), desk=site().settings.desk)


@pages.get("/rules/<game>")
def page(game: str) -> str:
    """One game's rules."""
    if game not in GAMES:
        abort(404)
    return render_template("help/game.html", game=GAMES[game])
