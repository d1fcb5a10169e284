"""The rules of every game, and how to play by email, as pages."""

from __future__ import annotations

from flask import Blueprint, abort, render_template

from service.games import GAMES
from service.mail.grammar.command_words import COMMANDS, RULES
from service.web.current_player import site

pages = Blueprint("rules", __name__)


@pages.get("/rules")
def index() -> str:
    """All games."""
    return render_template("help/rules.html", games=GAMES.values())


@pages.get("/by-mail")
def by_mail() -> str:
    """Everything you can write to us and how it's read, as `help` says by email."""
    shown = {"commands": COMMANDS, "rules": RULES, "games": GAMES.values()}
    return render_template("help/by_email.html", desk=site().settings.desk, **shown)


@pages.get("/rules/<game>")
def page(game: str) -> str:
    """One game's rules."""
    if game not in GAMES:
        abort(404)
    return render_template("help/game.html", game=GAMES[game])
