"""The rules of every game, as pages."""

from __future__ import annotations

from flask import Blueprint, abort, render_template

from service.games import GAMES

pages = Blueprint("rules", __name__)


@pages.get("/rules")
def index() -> str:
    """All games."""
    return render_template("lobby/rules.html", games=GAMES.values())


@pages.get("/rules/<game>")
def page(game: str) -> str:
    """One game's rules."""
    if game not in GAMES:
        abort(404)
    return render_template("lobby/rules_of.html", game=GAMES[game])
