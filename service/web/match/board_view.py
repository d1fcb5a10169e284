"""From which side a visitor sees the board of a match, and whether with coordinates."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, session, url_for
from werkzeug.wrappers import Response

from service.play.pages import match_lists
from service.play.table import board_view as kept
from service.render.orientation import Sight
from service.web.current_player import site, visitor, visitor_id
from service.web.security import limiter

pages = Blueprint("sight", __name__)

_ASKED = {"yes": True, "no": False}


def sight(seat: int | None) -> Sight:
    """How the board is drawn for the visitor in this seat: as `?turned=` and `?coordinates=` say, else as kept."""
    usual = _kept(seat)
    return Sight(
        _ASKED.get(request.args.get("turned", ""), usual.turned),
        _ASKED.get(request.args.get("coordinates", ""), usual.coordinates),
    )


def asked() -> dict[str, str]:
    """What the address says of it, for addresses of the same board."""
    return {name: request.args[name] for name in ("turned", "coordinates") if request.args.get(name) in _ASKED}


@pages.post("/match/<int:match_id>/sight")
@limiter.limit("240 per hour")
def choose(match_id: int) -> Response:
    """Keeps one thing of it, for a player with the account and for others in the browser; goes back to the page."""
    line = match_lists.match_line(site(), match_id, visitor_id()) or abort(404)
    given = {name: _ASKED[value] for name, value in request.form.items() if value in _ASKED}
    wanted = _kept(line.my_seat)._replace(**{name: given[name] for name in Sight._fields if name in given})
    player = visitor()
    if player is None:
        session["sight"] = list(wanted)
    else:
        kept.choose(site(), player.id, line.my_seat, wanted)
    here, back = url_for("match.show", match_id=match_id), request.form.get("back", "")
    return redirect(back if back.startswith(f"{here}/") and back.isprintable() else here, 303)


def _kept(seat: int | None) -> Sight:
    player = visitor()
    return kept.of(player, seat) if player else Sight(*session.get("sight", ()))
