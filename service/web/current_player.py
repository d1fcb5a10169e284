"""Who is looking, and at which site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Concatenate, ParamSpec, TypeAlias, cast

from flask import current_app, g, redirect, request, session, url_for
from flask_limiter.util import get_remote_address
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.wrappers import Response

from service.play.accounts import guests, sessions
from service.play.operations import announcements
from service.play.pages import match_lists
from service.play.site import Site
from service.store.models import Player as Player  # what the views are given
from service.web import cookies

LONGEST_PATH = 200
"""The characters of a page's address that are kept to come back to it."""

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
    """Who is signed in on this browser, be it since before sessions had their present form."""
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
    """The block of addresses that a request came from: of IPv6 the /64 that one customer has, of IPv4 the address."""
    address = ip_address(get_remote_address())
    if not isinstance(address, IPv6Address):
        return str(address)
    # A socket for both families has IPv4 addresses within one block of IPv6 (RFC 4291, 2.5.5.2).
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))


def admit(player: Player) -> None:
    """Signs a player in on this browser; whatever another person left in the session is dropped."""
    known = session.get("visit")
    _know(player, sessions.begin(site(), player.id, request.user_agent.string, known, requester()))


def admit_guest() -> Player:
    """Makes the person at this browser a guest: one guest, however often they press the button.

    The second press comes with the cookie of the first, and the secret in it that guards forms shows that it is the
    second.
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
    """Whether somebody is an operator, who still has to open the operators' pages with a passkey."""
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
    """A view given the player signed in; guests and others are asked to, and brought back to the page they wanted."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        player = visitor()
        return _ask() if player is None or player.is_guest else view(player, *args, **kwargs)

    return guarded


def is_fresh() -> bool:
    """Whether the visitor signed in on this browser so lately that they may change the account itself."""
    return sessions.is_fresh(site(), session["visit"])


def ask_again() -> Response:
    """To the page that has the visitor sign in again, and from there back to the page they come from."""
    session["wanted"] = url_for({"leaving": "leaving.ask"}.get(request.blueprint or "", "keys.show"))
    return redirect(url_for("keys.prove"), 303)


def _ask() -> Response:
    session.pop("came_from", None)
    if request.method == "GET":
        session["wanted"] = request.full_path.rstrip("?")
    elif request.view_args and "match_id" in request.view_args:
        # A button of a match, such as that which accepts an invitation: it is there again after signing in.
        session["wanted"] = url_for("match.show", match_id=request.view_args["match_id"])
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
    """Whether the page's script is asking, and not the browser for a page."""
    return request.accept_mimetypes.best == "application/json"
