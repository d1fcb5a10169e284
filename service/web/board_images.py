"""Boards in pages: inline SVG whose colours come from one stylesheet."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, abort, request, url_for
from markupsafe import Markup

from service.engine.scene import Scene
from service.games import GAMES
from service.render.orientation import Sight, seen
from service.render.stylesheet import Theme, style
from service.render.svg import svg
from service.web.current_player import visitor

pages = Blueprint("pictures", __name__)

ALONE = "default-src 'none'; style-src 'unsafe-inline'"
"""The policy for a picture as a file: it holds its own style sheet, which the policy of pages would forbid."""

_THEMES: dict[str, Theme] = {"light": "light", "dark": "dark"}


def hang(app: Flask) -> None:
    """Gives templates `emblem`."""
    app.jinja_env.globals.update(emblem=emblem)


@pages.get("/ink.css")
def ink() -> Response:
    """The colours of boards, of `?theme=light` or `dark`; without it, for what the device prefers."""
    sheet = Response(style(_theme()), mimetype="text/css")
    sheet.headers["Cache-Control"] = "public, max-age=600"
    return sheet


def board(scene: Scene, sight: Sight = Sight()) -> Markup:  # noqa: B008 (it never changes)
    """A scene as inline SVG, each cell of which can be pressed."""
    return Markup(svg(seen(scene, sight), standalone=False))  # noqa: S704 (svg escapes every word that is not its own)


def emblem(game: str) -> Markup:
    """A board of `game`, as its picture in lists, in the light the visitor likes."""
    player = visitor()
    theme = player.look if player and player.look in _THEMES else None
    return Markup('<img src="{}" alt="" width="160" height="160" loading="lazy">').format(
        url_for("pictures.sample", game=game, theme=theme)
    )


@pages.get("/rules/<game>.svg")
def sample(game: str) -> Response:
    """A board of a game, as a file that browsers keep: of `?theme=`, or for what the device prefers."""
    if game not in GAMES:
        abort(404)
    scene = seen(GAMES[game].sample().view(None), Sight(coordinates=False))
    picture = Response(svg(scene, theme=_theme()), mimetype="image/svg+xml")
    picture.headers["Cache-Control"] = "public, max-age=86400"
    picture.headers["Content-Security-Policy"] = ALONE
    return picture


def _theme() -> Theme | None:
    return _THEMES.get(request.args.get("theme", ""))
