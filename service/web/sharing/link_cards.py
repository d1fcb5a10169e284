"""Cards with a picture for links to our pages (Open Graph), and what a phone needs to install us (Web App Manifest)."""

from __future__ import annotations

from functools import lru_cache

from flask import Blueprint, abort, jsonify, url_for
from werkzeug.wrappers import Response

from service.games import GAMES
from service.play.pages import match_page
from service.render.card import PAPER, card, icon
from service.web.current_player import site
from service.web.security import limiter

pages = Blueprint("cards", __name__)

A_DAY = 86_400
SIZES = (180, 192, 512)
"""Pixels of our icons: for Apple's home screens, and the two that a browser wants before it installs an app."""


@pages.get("/card.png")
def house() -> Response:
    """The card of pages that aren't about a game or a match."""
    return picture(_sample(next(iter(GAMES))))


@pages.get("/rules/<game>/card.png")
def game(game: str) -> Response:
    """The card of a game."""
    return picture(_sample(game)) if game in GAMES else abort(404)


@pages.get("/match/<int:match_id>/at/<int:ply>/card.png")
@limiter.limit("120 per minute")
def match(match_id: int, ply: int) -> Response:
    """The card of a match after `ply` moves, as everybody may see it."""
    page = match_page.match_page(site(), match_id, None, ply) or abort(404)
    return picture(card(page.scene))


@pages.get("/icon-<int:size>.png")
def app_icon(size: int) -> Response:
    """Our logo, as the icon of the app."""
    return picture(_icon(size)) if size in SIZES else abort(404)


@pages.get("/manifest.webmanifest")
def manifest() -> Response:
    """What a browser needs to install Stonepost as an app."""
    icons = [_icon_of(size, "any") for size in SIZES] + [_icon_of(max(SIZES), "maskable")]
    about = {
        "id": "/",
        "name": "Stonepost",
        "short_name": "Stonepost",
        "description": "Correspondence play of unusual abstract games, by email and on the web.",
        "lang": "en",
        "start_url": url_for("lobby.front"),
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "icons": icons,
    }
    answer = jsonify(about)
    answer.mimetype = "application/manifest+json"
    answer.headers["Cache-Control"] = f"public, max-age={A_DAY}"
    return answer


def picture(content: bytes) -> Response:
    """A PNG that everybody may see, that caches keep, and that pages of other sites may show."""
    answer = Response(content, mimetype="image/png")
    answer.headers["Cache-Control"] = f"public, max-age={A_DAY}"
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


def _icon_of(size: int, purpose: str) -> dict[str, str]:
    address = url_for("cards.app_icon", size=size)
    return {"src": address, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}


@lru_cache(maxsize=16)
def _sample(game: str) -> bytes:
    return card(GAMES[game].sample().view(None))


@lru_cache(maxsize=len(SIZES))
def _icon(size: int) -> bytes:
    return icon(size)
