"""The page on which a player sets, sees and ends a standing wish, and the buttons that answer somebody else's."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from service.clock.duration import read_amount, write_amount
from service.games import GAMES
from service.play.company import pairing, wishes
from service.play.company.wish_text import MOST, Wanted, WishError
from service.play.match.invitations import LobbyError
from service.play.notify import preferences
from service.web import form_errors, idempotency
from service.web.current_player import Answer, Player, signed_in, site
from service.web.security import limiter

pages = Blueprint("wishes", __name__, url_prefix="/wishes")

TIMES = ("12h", "1d", "2d", "3d", "5d", "7d", "10d", "14d", "30d")
"""The times for a move that the form offers."""


@pages.get("")
@signed_in
def show(player: Player) -> Answer:
    """What the player is looking for, and who is looking for what."""
    wish = wishes.shown(site(), player.id)
    return _page(player, wish, wish.wanted if wish else Wanted(()))


@pages.post("")
@limiter.limit("60 per hour")
@signed_in
def make(player: Player) -> Answer:
    """Sets the wish."""
    filled = _filled()
    if not form_errors.found():
        try:
            wishes.make(site(), player.id, filled)
            return redirect(url_for("wishes.show"), 303)
        except WishError as error:
            form_errors.refuse(error, error.field)
    return _page(player, wishes.shown(site(), player.id), filled), 422


@pages.post("/end")
@signed_in
def end(player: Player) -> Answer:
    """Ends the wish."""
    wishes.end(site(), player.id)
    return redirect(url_for("wishes.show"), 303)


@pages.post("/meet/<game>")
@limiter.limit("30 per hour")
@signed_in
def meet(player: Player, game: str) -> Answer:
    """Begins a match with the player who has been looking for this game the longest."""
    if game not in GAMES:
        abort(404)
    try:
        match_id = pairing.meet(site(), player.id, game, f"web:{player.id}:{idempotency.key()}")
    except LobbyError as error:
        flash(str(error))
        return redirect(url_for("wishes.show"), 303)
    return redirect(url_for("match.show", match_id=match_id), 303)


@pages.post("/notices")
@signed_in
def choose_notices(player: Player) -> Answer:
    """Sets for which games the player wants notices."""
    preferences.choose_notices(site(), player.id, [game for game in request.form.getlist("about") if game in GAMES])
    flash(render_template("lobby/notices_saved.txt", games=preferences.notices_of(site(), player.id)))
    return redirect(url_for("wishes.show"), 303)


def _page(player: Player, wish: wishes.Shown | None, filled: Wanted) -> str:
    times = sorted({*map(read_amount, TIMES), filled.shortest, filled.longest})
    return render_template(
        "lobby/wishes.html",
        wish=wish,
        filled=filled,
        typed=request.form,
        games=GAMES.values(),
        times=[(write_amount(time), time) for time in times],
        most=MOST,
        seekers=wishes.seekers(site(), player.id),
        notices=preferences.notices_of(site(), player.id),
    )


def _filled() -> Wanted:
    """The wish in the form. A value that can't be read is refused beside its field, and left out."""
    form = request.form
    chosen = form.getlist("game")
    return Wanted(
        tuple(game for game in GAMES if game in chosen),
        _time("shortest", "1d"),
        _time("longest", "7d"),
        form_errors.number("most", "Write how many matches at once as a number, not as {}.") or 0,
        form_errors.number("lowest", "Write the lowest rating as a number, not as {}."),
        form_errors.number("highest", "Write the highest rating as a number, not as {}."),
        "bots" in form,
        "rated" in form,
    )


def _time(field: str, usual: str) -> timedelta:
    try:
        return read_amount(request.form.get(field, usual))
    except ValueError as error:
        form_errors.refuse(error, field)
        return read_amount(usual)
