"""A match on other sites: a board to embed, oEmbed for sites that turn a link into one, and text for forums."""

from __future__ import annotations

import re

from flask import Blueprint, abort, jsonify, make_response, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from service.engine.scene import Scene
from service.play.pages import match_page
from service.play.pages.match_page import MatchPage
from service.render.card import HEIGHT, WIDTH
from service.render.text import text
from service.web.current_player import site
from service.web.security import limiter

pages = Blueprint("share", __name__)

EMBEDDED = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
)
"""The policy of the one page that others may put into a frame. It has no scripts, forms or session."""

WIDEST, NARROWEST, CAPTION = 480, 200, 110
"""Pixels: how wide an embedded board is, how wide at least, and how much higher than wide."""


@pages.get("/match/<int:match_id>/at/<int:ply>/share")
@limiter.limit("120 per minute")
def show(match_id: int, ply: int) -> str:
    """How a position can be shown elsewhere."""
    page = _public(match_id, ply)
    frame = str(_frame(match_id, ply, WIDEST))  # Shown as text here, and so escaped again.
    return render_template("match/share.html", page=page, frame=frame, board=_in_words(page))


@pages.get("/match/<int:match_id>/embed", defaults={"ply": None})
@pages.get("/match/<int:match_id>/at/<int:ply>/embed")
@limiter.limit("240 per minute")
def embed(match_id: int, ply: int | None) -> Response:
    """The board alone, as it is now or after `ply` moves, for a frame on any site."""
    page = _public(match_id, ply)
    answer = make_response(render_template("match/embed.html", page=page, ply=ply, board=_lettered(page.scene)))
    answer.headers["Content-Security-Policy"] = EMBEDDED
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    answer.headers["Cache-Control"] = "public, max-age=60"
    return answer


@pages.get("/oembed")
@limiter.limit("120 per minute")
def oembed() -> Response:
    """What to embed for the address of a match (oEmbed 1.0)."""
    if request.args.get("format", "json") != "json":
        abort(501)
    found = re.fullmatch(
        rf"{re.escape(site().settings.public_url)}/match/(\d{{1,9}})(?:/at/(\d{{1,9}}))?/?(?:[?#].*)?",
        request.args.get("url", ""),
        re.DOTALL,
    )
    if found is None:
        abort(404)
    ply = int(found[2]) if found[2] else None
    page = _public(int(found[1]), ply)
    wide = max(NARROWEST, min(_most("maxwidth"), _most("maxheight") - CAPTION, WIDEST))
    answer = jsonify(
        version="1.0",
        type="rich",
        provider_name="Stonepost",
        provider_url=site().settings.public_url,
        title=_title(page),
        html=_frame(page.line.id, ply, wide),
        width=wide,
        height=wide + CAPTION,
        thumbnail_url=_outside(url_for("cards.match", match_id=page.line.id, ply=page.ply)),
        thumbnail_width=WIDTH,
        thumbnail_height=HEIGHT,
        cache_age=3600,
    )
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


def _public(match_id: int, ply: int | None) -> MatchPage:
    """The match as everybody may see it, no matter who asks."""
    return match_page.match_page(site(), match_id, None, ply) or abort(404)


def _most(name: str) -> int:
    """The largest width or height that the asking site has room for."""
    given = request.args.get(name, "")
    return int(given) if re.fullmatch(r"\d{1,6}", given) else 10 * WIDEST


def _title(page: MatchPage) -> str:
    return f"{page.line.title} {page.line.id}"


def _frame(match_id: int, ply: int | None, wide: int) -> Markup:
    """The HTML that shows a board on another site."""
    address, high = _outside(url_for("share.embed", match_id=match_id, ply=ply)), wide + CAPTION
    title = "A board at Stonepost"
    code = Markup('<iframe src="{}" width="{}" height="{}" title="{}" frameborder="0" loading="lazy"></iframe>')
    return code.format(address, wide, high, title)


def _in_words(page: MatchPage) -> str:
    """The board for a forum: text in fixed width, and the match's address."""
    address = _outside(url_for("match.at", match_id=page.line.id, ply=page.ply))
    board = f"{_title(page)}\n\n{_lettered(page.scene)}\n{' '.join(page.scene.notes)}".rstrip()
    return f"[code]\n{board}\n[/code]\n{address}\n"


def _lettered(scene: Scene) -> str:
    """The board as text, and below it the numbers beside the board, without which a position may not be complete."""
    return "\n".join([text(scene), *(f"{label}: {words}." for label, words in scene.facts)])


def _outside(path: str) -> str:
    return f"{site().settings.public_url}{path}"
