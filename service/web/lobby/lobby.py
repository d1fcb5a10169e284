"""The front page, and how a match begins: the form, the invitation and its answer."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.bots.roster import OPPONENTS
from service.clock.control import DEFAULT, EXAMPLES, Control
from service.engine.game import Game
from service.games import GAMES
from service.play.accounts import identity
from service.play.accounts.identity import AccountError
from service.play.company import wishes
from service.play.match import invitations, lobby, proposal, substitutes
from service.play.pages import match_lists, match_page
from service.play.table import press
from service.render.orientation import Sight
from service.web import board_images, idempotency
from service.web.current_player import Answer, Player, signed_in, site, visitor
from service.web.form_errors import refuse
from service.web.match.page import mark, show_match
from service.web.security import limiter, requester, row_number

pages = Blueprint("lobby", __name__)

CLOCKS = (DEFAULT, "3d/move", "1d/move", "fischer 14d+2d cap 21d", "byoyomi 14d 5x3d", "canadian 14d 5/7d", "none")
"""What the form of a new match offers, the first chosen already."""

GROWN = 20
"""From which round on a board is worth looking at."""

ROUNDS = ("2d/round", "rounds at 18:00", "rounds at 18:00 mon wed fri")
"""More clocks for games in which all players choose at the same time."""


def _addresses() -> int:
    """How many people a form invites by email address, in all its fields."""
    fields = ("address", "mates", "heir")
    return sum(text.count("@") for name, text in request.form.items() if name.startswith(fields))


_invitation_limit = limiter.shared_limit(
    "30 per hour; 100 per day", "invitations", key_func=requester, cost=_addresses, exempt_when=lambda: not _addresses()
)
"""The limit for all players of one address block together: accounts cost nothing, and each has its own limit."""


@pages.get("/")
def front() -> str:
    """My matches, open invitations, and matches to watch."""
    player = visitor()
    recent = match_lists.recent_matches(site(), player.id if player else None)
    shown = match_page.match_page(site(), _showpiece(recent), None) if recent and player is None else None
    mine = match_lists.my_matches(site(), player.id) if player else ()
    return render_template(
        "lobby/front.html",
        mine=mine,
        sections=_sections(mine),
        listed=match_lists.LISTED,
        offers=match_lists.open_matches(site(), player.id if player else None),
        seekers=wishes.seekers(site(), player.id if player else None),
        recent=recent,
        shown=shown,
        board=board_images.board(shown.scene, Sight(coordinates=False)) if shown else "",
        at=mark(shown.line.round, shown.line.state, shown.newest) if shown else "",
        games=GAMES.values(),
        now=site().now(),
    )


def _sections(mine: Sequence[match_lists.MatchLine]) -> list[tuple[str, list[match_lists.MatchLine]]]:
    """The player's matches by what they wait for, each with its heading."""
    sections: dict[str, list[match_lists.MatchLine]] = {"Your turn": [], "Waiting for others": [], "Over": []}
    for match in mine:
        is_yours, is_over = match.my_turn or match.invited, match.state in ("over", "declined")
        sections["Over" if is_over else "Your turn" if is_yours else "Waiting for others"].append(match)
    return [*sections.items()]


def _showpiece(recent: Sequence[match_lists.MatchLine]) -> int:
    """The match whose board greets strangers: preferably past round GROWN, then one being played, then the latest."""
    best = max(recent, key=lambda line: (min(line.round, GROWN), line.state == "running", line.id))
    return best.id


@pages.get("/new")
def new() -> str:
    """The page that asks which game to play."""
    return render_template("lobby/new.html", games=GAMES.values())


@pages.get("/new/<game>")
@signed_in
def new_match(_player: Player, game: str) -> Answer:
    """The form of a new match."""
    return _form(_known(game))


@pages.post("/new/<game>")
@_invitation_limit
@limiter.limit("30 per hour")
@signed_in
def open_match(player: Player, game: str) -> Answer:
    """Opens the match and shows it."""
    known = _known(game)
    options = {option.name: request.form.get(option.name, option.default).strip() for option in known.options}
    try:
        chairs = _chairs(_seats(known))
        inviting = any(one.kind == "email" for chair in chairs for one in (chair, *chair.mates))
        player.name = identity.introduce(site(), player.id, request.form.get("name", ""), inviting=inviting)
        key, again = f"web:{player.id}:{idempotency.key()}", "second" in request.form
        match_id = lobby.open_match(
            site(),
            player.id,
            game,
            options,
            chairs,
            _clock(),
            _press(),
            key,
            _substitutes(),
            again=again,
            rated="rated" in request.form,
        )
    except lobby.Twin as twin:
        return _form(known, twin.match_id), 422
    except AccountError as error:
        refuse(error, "name")
    except invitations.LobbyError as error:
        own_clock = error.field == "clock" and request.form.get("own_clock", "").strip()
        refuse(error, "own_clock" if own_clock else error.field)
    else:
        return redirect(url_for("match.show", match_id=match_id), 303)
    return _form(known), 422


@pages.post("/match/<int:match_id>/join")
@limiter.limit("30 per hour")
@signed_in
def join(player: Player, match_id: int) -> Answer:
    """Takes an open seat."""
    try:
        substitutes.join(site(), match_id, player.id, request.form.get("side", type=row_number))
    except invitations.LobbyError as error:
        flash(str(error))
    return redirect(url_for("match.show", match_id=match_id), 303)


@pages.post("/match/<int:match_id>/seat")
@_invitation_limit
@limiter.limit("30 per hour")
@signed_in
def offer_seat(player: Player, match_id: int) -> Answer:
    """Offers the player's seat to anybody or to an address, or withdraws the offer."""
    to = request.form.get("heir", "")
    # An offer to an address left empty mustn't be taken for "", which ends an offer.
    to = request.form.get("address", "").strip() or " " if to == "somebody" else to
    try:
        substitutes.offer(site(), match_id, player.id, to)
    except (invitations.LobbyError, AccountError) as error:
        about_address = isinstance(error, AccountError) or error.field == "address"
        refuse(error, "heir" if about_address else "")
        return show_match(match_id), 422
    return redirect(url_for("match.show", match_id=match_id), 303)


@pages.post("/match/<int:match_id>/withdraw")
@signed_in
def withdraw(player: Player, match_id: int) -> Answer:
    """Withdraws a match of the player's own that hasn't begun."""
    try:
        invitations.withdraw(site(), match_id, player.id)
        flash(render_template("lobby/withdrawn.txt").strip())
    except invitations.LobbyError as error:
        flash(str(error))
    return redirect(url_for("lobby.front"), 303)


@pages.post("/match/<int:match_id>/answer")
@signed_in
def answer(player: Player, match_id: int) -> Answer:
    """Accepts or declines an invitation."""
    try:
        invitations.answer(site(), match_id, player.id, request.form.get("answer") == "accept")
    except invitations.LobbyError as error:
        flash(str(error))
    return redirect(url_for("match.show", match_id=match_id), 303)


def _known(game: str) -> Game:
    return GAMES[game] if game in GAMES else abort(404)


def _seats(game: Game) -> int:
    """How many players the form is for: the number asked for, within what the game allows."""
    wanted = request.values.get("seats", game.usual_seats, type=row_number)
    return min(max(wanted, game.min_seats), game.max_seats)


def _form(game: Game, twin: int | None = None) -> str:
    seats = _seats(game)
    first = game.start(seats).turns
    return render_template(
        "lobby/new_match.html",
        game=game,
        seats=seats,
        sides=game.sides(seats),
        opponents=OPPONENTS[game.name],
        first=first,
        clocks=[(text, Control.parse(text)) for text in (*CLOCKS, *(ROUNDS if len(first) > 1 else ()))],
        examples=EXAMPLES,
        levels=press.LEVELS,
        names=press.NAMES,
        twin=twin,
        teamed=any(request.form.get(f"mates{number}", "").strip() for number in range(seats)),
        filled=request.form,
    )


def _clock() -> str:
    """The clock that was typed or chosen, with the options that were ticked below it."""
    clock = request.form.get("own_clock", "").strip() or request.form.get("clock", DEFAULT)
    clauses = ["weekends off"] if request.form.get("weekends") else []
    if (late := request.form.get("late")) in ("passes", "extends"):
        clauses.append(f"late {late}")
    return ", ".join([clock, *clauses])


def _substitutes() -> bool | None:
    """Whether seats may change hands; None if the form doesn't ask."""
    return bool(request.form.get("substitutes")) if "press" in request.form else None


def _press() -> str:
    """What may be said, and under which name."""
    return f"{request.form.get('press', '')} {request.form.get('names', '')}".strip() or press.DEFAULT


def _chairs(seats: int) -> list[lobby.Chair]:
    """One chair per seat in turn order: the others as listed in the form, and the creator's own where they chose it."""
    chairs = [replace(_other(number), mates=_mates(number)) for number in range(1, seats)]
    own, me = request.form.get("own", type=row_number), lobby.Chair("me", mates=_mates(0))
    chairs.insert(secrets.randbelow(seats) if own is None else min(max(own, 0), seats - 1), me)
    return chairs


def _mates(number: int) -> tuple[lobby.Chair, ...]:
    """The players who share a seat of the form; seat 0 is the creator's."""
    field = f"mates{number}"
    return tuple(replace(chair, field=field) for chair in proposal.chairs(request.form.get(field, "")))


def _other(number: int) -> lobby.Chair:
    match request.form.get(f"other{number}", "").split():
        case ["email"]:
            return lobby.Chair("email", request.form.get(f"address{number}", ""), field=f"address{number}")
        case ["bot", *name]:
            return lobby.Chair("bot", bot=" ".join(name), field=f"other{number}")
        case _:
            return lobby.Chair("open")
