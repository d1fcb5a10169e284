"""From which side a visitor sees the board of a match, and whether it has coordinates."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, session, url_for
from werkzeug.wrappers import Response

from service.play.pages import match_lists
from service.play.pages.match_lists import MatchLine
from service.play.table import board_view as kept
from service.render.orientation import Sight
from service.web.current_player import site, visitor, visitor_id
from service.web.security import limiter

pages = Blueprint("sight", __name__)

REMEMBERED = 20
"""For how many matches a browser remembers that a spectator has turned the board."""

_ASKED = {"yes": True, "no": False}


def sight(line: MatchLine) -> Sight:
    """How the board is drawn for the visitor: as `?turned=` and `?coordinates=` say, or else as saved."""
    usual = _kept(line)
    return Sight(
        _ASKED.get(request.args.get("turned", ""), usual.turned),
        _ASKED.get(request.args.get("coordinates", ""), usual.coordinates),
    )


def asked() -> dict[str, str]:
    """These parameters of the request, for other addresses of the same board."""
    return {name: request.args[name] for name in ("turned", "coordinates") if request.args.get(name) in _ASKED}


@pages.post("/match/<int:match_id>/sight")
@limiter.limit("240 per hour")
def choose(match_id: int) -> Response:
    """Saves the side, for this match, or coordinates, for all matches, and goes back to the page.

    A player's choice is saved in the account, a spectator's in the browser.
    """
    line = match_lists.match_line(site(), match_id, visitor_id()) or abort(404)
    given = {name: _ASKED[value] for name, value in request.form.items() if value in _ASKED}
    wanted = _kept(line)._replace(**{name: given[name] for name in Sight._fields if name in given})
    player = visitor()
    if player is None:
        session["coordinates"] = wanted.coordinates
    if player is None or not kept.choose(site(), player.id, match_id, wanted):
        others = [number for number in session.get("turned", ()) if number != match_id]
        session["turned"] = [*others, match_id][-REMEMBERED:] if wanted.turned else others
    here, back = url_for("match.show", match_id=match_id), request.form.get("back", "")
    return redirect(back if back.startswith(f"{here}/") and back.isprintable() else here, 303)


def _kept(line: MatchLine) -> Sight:
    player = visitor()
    coordinates = bool(session.get("coordinates", True)) if player is None else player.coordinates
    return Sight(line.turned if line.my_seat is not None else line.id in session.get("turned", ()), coordinates)
