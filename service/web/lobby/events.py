"""Pages of events: the list, the form for a new one, and each event with its standings and matches."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from service.clock.control import Control
from service.contests.ladders import REACH
from service.games import GAMES
from service.play.company import event_pages, events, ladders
from service.play.company.events import EventError, NoSuchEvent, Plan
from service.play.notify import following
from service.web import form_errors, idempotency
from service.web.current_player import Answer, Player, is_operator, signed_in, site, visitor, visitor_id
from service.web.security import limiter, row_number

pages = Blueprint("events", __name__, url_prefix="/events")

CLOCKS = ("3d/move", "7d/move", "1d/move", "fischer 14d+2d cap 21d")
"""What the form offers."""
RATING = "Write a rating as a number, such as 1500, not as {}."


@pages.get("")
def index() -> str:
    """All events, and the form for a new one."""
    return _index()


@pages.post("")
@limiter.limit("20 per hour")
@signed_in
def found(player: Player) -> Answer:
    """Creates an event and shows it."""
    form = request.form
    plan = Plan(
        form.get("name", ""),
        form.get("game", ""),
        form.get("clock", ""),
        form.get("seats", 2, type=row_number) or 0,
        "rated" in form,
        form_errors.number("lowest", RATING),
        form_errors.number("highest", RATING),
        form.get("kind", "cup"),
    )
    if not form_errors.found():
        try:
            event_id = events.found(site(), player.id, plan, f"web:{player.id}:{idempotency.key()}")
            return redirect(url_for("events.show", event_id=event_id), 303)
        except EventError as error:
            form_errors.refuse(error, error.field)
    return _index(), 422


@pages.get("/<int:event_id>")
def show(event_id: int) -> str:
    """One event, with its latest season or another one."""
    season = request.args.get("season", type=row_number)
    page = event_pages.page(site(), event_id, visitor_id(), season) or abort(404)
    event = page.line.event
    player = visitor()
    is_new = event.state == "open" and event.season == 1
    may_end = event.state in ("open", "running") and (
        is_operator(player) or (player is not None and event.founder_id == player.id and is_new)
    )
    return render_template(
        "lobby/event.html",
        page=page,
        event=event,
        clock=Control.parse(event.clock),
        may_end=may_end,
        own=page.states.get(visitor_id() or 0, ""),
        games=GAMES,
        reach=REACH,
        follows=player is not None and following.follows_event(site(), player.id, event_id),
    )


@pages.get("/<int:event_id>/feed.xml")
def feed(event_id: int) -> Response:
    """The latest news of an event, for feed readers (Atom, RFC 4287)."""
    found = event_pages.feed(site(), event_id) or abort(404)
    updated = max((item.at for item in found.items), default=found.event.made)
    text = render_template(
        "feeds/event.xml", event=found.event, items=found.items, updated=updated, games=[*GAMES.values()]
    )
    return Response(text, mimetype="application/atom+xml")


@pages.get("/<int:event_id>/calendar.ics")
def calendar(event_id: int) -> Response:
    """When the next parts of an event begin, for calendars (RFC 5545)."""
    found = event_pages.feed(site(), event_id) or abort(404)
    text = render_template(
        "feeds/event.ics", event=found.event, dates=found.dates, now=site().now(), games=[*GAMES.values()]
    )
    return Response("\r\n".join(line for line in text.splitlines() if line) + "\r\n", mimetype="text/calendar")


@pages.post("/<int:event_id>/join")
@limiter.limit("60 per hour")
@signed_in
def join(player: Player, event_id: int) -> Answer:
    """Joins an event, or confirms that the player plays on."""
    return _done(event_id, lambda: events.join(site(), event_id, player.id))


@pages.post("/<int:event_id>/withdraw")
@limiter.limit("60 per hour")
@signed_in
def withdraw(player: Player, event_id: int) -> Answer:
    """Leaves an event."""
    return _done(event_id, lambda: events.withdraw(site(), event_id, player.id))


@pages.post("/<int:event_id>/challenge/<int:other_id>")
@limiter.limit("60 per hour")
@signed_in
def challenge(player: Player, event_id: int, other_id: int) -> Answer:
    """Challenges somebody on a ladder."""
    return _done(event_id, lambda: ladders.challenge(site(), event_id, player.id, other_id))


@pages.post("/<int:event_id>/end")
@signed_in
def end(player: Player, event_id: int) -> Answer:
    """Ends an event early."""
    return _done(event_id, lambda: events.end(site(), event_id, player.id, is_operator=is_operator(player)))


def _done(event_id: int, act: Callable[[], object]) -> Answer:
    """The page of the event after the act, with the reason if it was refused."""
    try:
        act()
    except NoSuchEvent as error:
        form_errors.refuse(error)
        abort(404)
    except EventError as error:
        flash(str(error))
    return redirect(url_for("events.show", event_id=event_id), 303)


def _index() -> str:
    current, past = event_pages.all_listed(site(), visitor_id())
    return render_template(
        "lobby/events.html",
        current=current,
        past=past,
        filled=request.form,
        games=GAMES.values(),
        clocks=[(text, Control.parse(text)) for text in CLOCKS],
        most=max(game.max_seats for game in GAMES.values()),
        kinds=events.KINDS,
    )
