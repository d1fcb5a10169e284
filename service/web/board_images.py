"""Boards in pages: inline SVG whose colours come from one stylesheet."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, Response, abort, request, url_for
from markupsafe import Markup

from service.engine.scene import Scene
from service.games import GAMES
from service.play.table import board_view
from service.render.board_art import DEFINITIONS
from service.render.orientation import Sight, seen
from service.render.palette import BOARD_THEMES, STONE_SETS, Design, Theme
from service.render.stylesheet import style
from service.render.svg import svg
from service.web.current_player import visitor

pages = Blueprint("pictures", __name__)

ALONE = "default-src 'none'; style-src 'unsafe-inline'"
"""The policy for a picture as a file: it holds its own style sheet, which the policy of pages would forbid."""

_THEMES: dict[str, Theme] = {"light": "light", "dark": "dark"}


def hang(app: Flask) -> None:
    """Gives templates `emblem`, `board_colours`, and `light_and_shade`, which a page with boards has once."""
    light_and_shade = Markup(DEFINITIONS)  # noqa: S704 (a constant)
    app.jinja_env.globals.update(emblem=emblem, board_colours=board_colours, light_and_shade=light_and_shade)


@pages.get("/ink.css")
def ink() -> Response:
    """The colours of boards, of `?theme=light` or `dark`; without it, for what the device prefers."""
    sheet = Response(style(_theme(), _design()), mimetype="text/css")
    sheet.headers["Cache-Control"] = "public, max-age=600"
    return sheet


def board(scene: Scene, sight: Sight = Sight()) -> Markup:  # noqa: B008 (it never changes)
    """A scene as inline SVG, each cell of which can be pressed."""
    return Markup(svg(seen(scene, sight), standalone=False))  # noqa: S704 (svg escapes every word that is not its own)


def board_colours(theme: Theme) -> str:
    """The address of the stylesheet with the board theme and stones of the visitor."""
    return url_for("pictures.ink", **_asked(board_view.design(visitor()), theme))


def emblem(game: str, *design: str) -> Markup:
    """A board of `game`, as its picture in lists, the way the visitor likes boards, or else in this `Design`."""
    chosen = Design._make(design) if design else board_view.design(visitor())
    address = url_for("pictures.sample", game=game, **_asked(chosen, board_view.theme(visitor())))
    return Markup('<img src="{}" alt="" width="160" height="160" loading="lazy">').format(address)


def _asked(design: Design, theme: Theme | None) -> dict[str, Any]:
    """What an address says of them: nothing of what is usual."""
    return {"theme": theme} | {name: chosen for name, chosen in design._asdict().items() if chosen != "classic"}


@pages.get("/rules/<game>.svg")
def sample(game: str) -> Response:
    """A board of a game, as a file that browsers keep: of `?theme=`, `?boards=` and `?stones=`."""
    if game not in GAMES:
        abort(404)
    scene = seen(GAMES[game].sample().view(None), Sight(coordinates=False))
    picture = Response(svg(scene, theme=_theme(), design=_design()), mimetype="image/svg+xml")
    picture.headers["Cache-Control"] = "public, max-age=86400"
    picture.headers["Content-Security-Policy"] = ALONE
    return picture


def _theme() -> Theme | None:
    return _THEMES.get(request.args.get("theme", ""))


def _design() -> Design:
    """The design that the address asks for, the classic one where it asks for none there is."""
    return Design(
        next((known for known in BOARD_THEMES if known == request.args.get("boards")), "classic"),
        next((known for known in STONE_SETS if known == request.args.get("stones")), "classic"),
    )
