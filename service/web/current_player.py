"""The visitor of a page, and the site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Concatenate, ParamSpec, TypeAlias, cast

from flask import abort, current_app, g, redirect, request, session, url_for
from flask_limiter.util import get_remote_address
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.wrappers import Response

from service.play.accounts import guests, sessions
from service.play.operations import announcements
from service.play.pages import match_lists
from service.play.site import Site, Transaction
from service.store.models import Player as Player  # what the views are given
from service.web import cookies

LONGEST_PATH = 200
"""The most characters of a page's address that is remembered to come back to."""

P = ParamSpec("P")
Answer: TypeAlias = str | Response | tuple[str, int]
"""What a view returns: a page, a redirect, or a page with its status."""


def site() -> Site:
    """The site this application serves."""
    return cast(Site, current_app.extensions["site"])


def visitor() -> Player | None:
    """The player signed in on this request, or the guest of this browser, looked up once."""
    if "visitor" not in g:
        g.visitor = _signed_in()
    return cast("Player | None", g.visitor)


def _signed_in() -> Player | None:
    """Who is signed in on this browser, even since before sessions had their present form."""
    key = session.get("visit")
    player = None if key is None else sessions.player(site(), key)
    former = session.pop(cookies.FORMER, None) or (key if player is None else None)
    if former is None:
        return player
    if not sessions.take_over(site(), former):
        session.pop("visit", None)
        return None
    session["visit"], session.permanent = former, True
    return sessions.player(site(), former)


def visitor_id() -> int | None:
    """The id of the player signed in, if any."""
    player = visitor()
    return None if player is None else player.id


def needs_you() -> int:
    """How many matches and invitations wait for the visitor; counted once, when a page asks."""
    if "needs_you" not in g:
        player_id = visitor_id()
        g.needs_you = 0 if player_id is None else match_lists.needing(site(), player_id)
    return cast(int, g.needs_you)


def announced() -> str:
    """What operators announce on every page, looked up once."""
    if "announced" not in g:
        g.announced = announcements.current(site())
    return cast(str, g.announced)


def guest_id() -> int | None:
    """The guest of this browser, whose matches a sign-in takes over."""
    player = visitor()
    return player.id if player is not None and player.is_guest else None


def requester() -> str:
    """The address block that a request came from: an IPv4 address, or the /64 of IPv6 that one customer has."""
    address = ip_address(get_remote_address())
    if not isinstance(address, IPv6Address):
        return str(address)
    # A socket for both families maps IPv4 addresses into one block of IPv6 (RFC 4291, 2.5.5.2).
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))


def begin(tx: Transaction, player_id: int) -> None:
    """Begins a player's session on this browser, which `admit` gives its key once that is committed."""
    g.key = sessions.begin(tx, player_id, request.user_agent.string, session.get("visit"), requester())


def admit(player: Player) -> None:
    """Signs in a player for who `begin` was called; whatever another person left in the session is dropped."""
    _know(player, g.key)


def admit_guest() -> Player:
    """Makes the person at this browser a guest: one guest, however often they press the button.

    A second press comes with the same cookie as the first, so the CSRF secret in it shows that it's a second one.
    """
    key = sessions.key_of(session["csrf_token"])
    guest = guests.enter(site(), key, request.user_agent.string)
    _know(guest, key)
    return guest


def _know(player: Player, visit: str) -> None:
    session.clear()
    session["visit"] = visit
    session.permanent = True
    g.visitor = player


def may_operate(player: Player | None) -> bool:
    """Whether somebody is an operator, even if they have yet to open the operators' pages with a passkey."""
    return player is not None and player.email in site().settings.operators


def is_operator(player: Player | None) -> bool:
    """Whether somebody acts as an operator: they are one, and have opened the operators' pages on this browser."""
    return may_operate(player) and sessions.is_operating(site(), session["visit"])


def seated(view: Callable[Concatenate[Player, P], Answer]) -> Callable[P, Answer]:
    """A view for anybody who may have a seat: a player who is signed in, or a guest. Others are asked to sign in."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        player = visitor()
        return _ask() if player is None else view(player, *args, **kwargs)

    return guarded


def signed_in(view: Callable[Concatenate[Player, P], Answer]) -> Callable[P, Answer]:
    """A view for a player who is signed in. Guests and others are asked to sign in, and then get the page they
    wanted."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        player = visitor()
        return _ask() if player is None or player.is_guest else view(player, *args, **kwargs)

    return guarded


def is_fresh() -> bool:
    """Whether the visitor signed in on this browser recently enough to change the account itself."""
    return sessions.is_fresh(site(), session["visit"])


def ask_again() -> Response:
    """Redirects to the page where the visitor signs in again, and from there back to the page they came from."""
    session["wanted"] = url_for({"leaving": "leaving.ask"}.get(request.blueprint or "", "keys.show"))
    return redirect(url_for("keys.prove"), 303)


def _ask() -> Response:
    session.pop("came_from", None)
    if request.method == "GET" and request.path.isprintable():  # Anything else has no place in a header.
        session["wanted"] = request.full_path.rstrip("?")
    elif request.view_args and "match_id" in request.view_args:
        # A match's button, such as one that accepts an invitation: after signing in, the match's page has it.
        session["wanted"] = url_for("match.show", match_id=request.view_args["match_id"])
    if wants_json():
        abort(401)
    return redirect(url_for("auth.ask"), 303)


def come_back_to(path: str) -> None:
    """Notes the page that somebody was on when they went to sign in, if it is one of our pages."""
    try:
        endpoint, _ = current_app.url_map.bind("").match(path.partition("?")[0], method="GET")
    except (HTTPException, RequestRedirect):
        return
    if path.startswith("/") and path.isprintable() and len(path) <= LONGEST_PATH and not endpoint.startswith("auth."):
        session["wanted"], session["came_from"] = path, True


def wanted_page(otherwise: str = "") -> str:
    """Where somebody was going before being asked to sign in; by default `otherwise`, or the front page.

    The session is signed and only our own paths are written to it, so it never leads to another site.
    """
    return cast(str, session.get("wanted", otherwise or url_for("lobby.front")))


def wants_json() -> bool:
    """Whether a page's script asks for JSON, rather than the browser for a page."""
    return request.accept_mimetypes.best == "application/json"
