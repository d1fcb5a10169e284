"""Boards in pages: inline SVG whose colours come from one stylesheet."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, abort, g, redirect, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from service.engine.scene import Scene
from service.games import GAMES
from service.play.pages import match_page
from service.play.table import board_view
from service.render.art.board_art import DEFINITIONS
from service.render.art.palette import BOARD_THEMES, STONE_SETS, Design, Theme
from service.render.art.stylesheet import style
from service.render.orientation import Sight, seen
from service.render.svg import svg
from service.web.current_player import site, visitor

pages = Blueprint("pictures", __name__)

ALONE = "default-src 'none'; style-src 'unsafe-inline'"
"""The policy for a picture as a file: it contains a stylesheet, which the policy for pages would forbid."""

_THEMES: dict[str, Theme] = {"light": "light", "dark": "dark"}


def hang(app: Flask) -> None:
    """Gives templates `emblem`, `board_colours`, and `light_and_shade`, which a page with boards has once."""
    light_and_shade = Markup(DEFINITIONS)  # noqa: S704 (a constant)
    shown = {"emblem": emblem, "thumbnail": thumbnail, "board_colours": board_colours}
    app.jinja_env.globals.update(shown, light_and_shade=light_and_shade)


@pages.get("/ink.css")
def ink() -> Response:
    """The stylesheet of boards for `?theme=light` or `dark`, by default for the device's preference."""
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
    """A board of `game`, as its picture in lists, in this `Design` or, by default, the visitor's."""
    chosen = Design._make(design) if design else board_view.design(visitor())
    address = url_for("pictures.sample", game=game, **_asked(chosen, board_view.theme(visitor())))
    return Markup('<img src="{}" alt="" width="160" height="160" loading="lazy">').format(address)


def thumbnail(match_id: int, round_: int) -> Markup:
    """The board of a match as its picture in lists. A list has many, so what they share is computed once."""
    if "wanted_picture" not in g:
        wanted = _asked(board_view.design(visitor()), board_view.theme(visitor()))
        g.wanted_picture = urlencode({name: value for name, value in wanted.items() if value})
    address = f"/match/{match_id}/round/{round_}/board.svg{'?' if g.wanted_picture else ''}{g.wanted_picture}"
    return Markup('<img class="thumb" src="{}" alt="" width="72" height="72" loading="lazy">').format(address)


def _asked(design: Design, theme: Theme | None) -> dict[str, Any]:
    """The parameters of an address for this design and theme, without defaults."""
    return {"theme": theme} | {name: chosen for name, chosen in design._asdict().items() if chosen != "classic"}


@pages.get("/rules/<game>.svg")
def sample(game: str) -> Response:
    """A board of a game in this `?theme=`, `?boards=` and `?stones=`, as a file that browsers cache."""
    if game not in GAMES:
        abort(404)
    scene = seen(GAMES[game].sample().view(None), Sight(coordinates=False))
    picture = Response(svg(scene, theme=_theme(), design=_design()), mimetype="image/svg+xml")
    picture.headers["Cache-Control"] = "public, max-age=86400"
    picture.headers["Content-Security-Policy"] = ALONE
    return picture


@pages.get("/match/<int:match_id>/round/<int:round_>/board.svg")
def match_board(match_id: int, round_: int) -> BaseResponse:
    """The board of a match as everybody may see it in this round. It never changes, so browsers cache it forever."""
    found = match_page.public_board(site(), match_id, round_)
    if found is None:
        abort(404)
    now, scene = found
    if scene is None:
        # Not all parameters: `_scheme` and the like would be options of `url_for`.
        wanted: dict[str, Any] = {
            name: request.args[name] for name in ("theme", "boards", "stones") if name in request.args
        }
        return redirect(url_for("pictures.match_board", match_id=match_id, round_=now, **wanted), 307)
    picture = Response(svg(seen(scene, Sight(coordinates=False)), theme=_theme(), design=_design()))
    picture.mimetype = "image/svg+xml"
    picture.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    picture.headers["Content-Security-Policy"] = ALONE
    picture.add_etag()
    return picture.make_conditional(request)


def _theme() -> Theme | None:
    return _THEMES.get(request.args.get("theme", ""))


def _design() -> Design:
    """The design that the address asks for; the classic one if it asks for none or for one that doesn't exist."""
    return Design(
        next((known for known in BOARD_THEMES if known == request.args.get("boards")), "classic"),
        next((known for known in STONE_SETS if known == request.args.get("stones")), "classic"),
    )
