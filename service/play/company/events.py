"""Cups: founded by anybody, joined, left and ended.

A cup begins when four have joined, or as many as one table has seats if these are more than two. Everybody then plays
everybody, all matches at once. The matches are ordinary ones; `event_matches` starts them and notes what came of them,
and `event_pages` shows who is ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session

from service.clock.control import Control
from service.clock.duration import ClockError
from service.contests.draws import draw
from service.games import GAMES
from service.play.accounts import display_names
from service.play.company.wishes import UNRATED
from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.site import Transaction, transactional
from service.store.insert import insert_once
from service.store.models import Match, Player
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from service.store.tables.player_data import Block
from service.store.tables.ratings import PlayerRating, RatedSeat

ENOUGH = 4
"""How many entrants begin a cup of matches for two."""

KIND = "cup"
"""The word that every name of an event has, so that commands about events are told from others."""

LISTED = 50
FOUNDED_AT_ONCE = 3
"""How many cups of one founder may wait for entrants."""

BARRED = timedelta(days=365)
"""How far back matches lost on time keep somebody out."""


class EventError(ValueError):
    """What can't be done with an event: one or two sentences for the player, and the part of a Plan they are about."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(why)
        self.field = field


@dataclass(frozen=True, slots=True)
class Plan:
    """An event as its founder describes it."""

    name: str
    game: str
    clock: str
    seats: int = 2
    rated: bool = True
    lowest: int | None = None
    highest: int | None = None


@transactional
def found(tx: Transaction, founder_id: int, plan: Plan, key: str | None = None) -> int:
    """Founds a cup and returns its id, the same for the same `key`; raises EventError."""
    founder = tx.session.get_one(Player, founder_id, with_for_update=True)
    made = None if key is None else tx.session.scalars(select(Event.id).where(Event.key == key)).first()
    if made is not None:
        return made
    if founder.is_guest:
        raise EventError("Sign in with your email address first.")
    name, clock = _checked(plan)
    waiting = select(func.count()).where(Event.founder_id == founder_id, Event.state == "open")
    if (tx.session.scalar(waiting) or 0) >= FOUNDED_AT_ONCE:
        raise EventError(f"You can have up to {FOUNDED_AT_ONCE} cups waiting for players.")
    row = {"game": plan.game, "seats": plan.seats, "clock": clock, "rated": plan.rated, "state": "open"}
    row |= {"lowest": plan.lowest, "highest": plan.highest, "founder_id": founder_id, "made": tx.now}
    event = insert_once(tx.session, Event, name=name, name_key=display_names.key(name), key=key, **row)
    if event is None:
        raise EventError(f"There's already an event called {name}. Please choose another name.", "name")
    return event.id


def _checked(plan: Plan) -> tuple[str, str]:
    """The name and the clock as they are kept; raises EventError."""
    if plan.game not in GAMES:
        raise EventError("Choose one of the games.", "game")
    game = GAMES[plan.game]
    if not game.min_seats <= plan.seats <= game.max_seats:
        most = f"2 to {game.max_seats}" if game.max_seats > 2 else "2"
        raise EventError(f"{game.title} is for {most} players at a table.", "seats")
    try:
        name, control = display_names.clean(plan.name), Control.parse(plan.clock)
    except (display_names.AccountError, ClockError) as error:
        raise EventError(str(error), "clock" if isinstance(error, ClockError) else "name") from error
    if KIND not in display_names.key(name).split() or name[0].isdigit():
        why = f"The name must contain the word {KIND} in it and can't begin with a number, as in Winter {KIND}."
        raise EventError(why, "name")
    if control.system is None:
        raise EventError("A cup needs a clock, so that it ends.", "clock")
    bounds = [bound for bound in (plan.lowest, plan.highest) if bound is not None]
    if bounds != sorted(bounds):
        raise EventError("The lowest rating can't be above the highest one.", "lowest")
    return name, control.write()


def needed(event: Event) -> int:
    """With how many entrants an event begins."""
    return ENOUGH if event.seats == 2 else event.seats


@transactional
def join(tx: Transaction, event_id: int, player_id: int) -> Event:
    """Enters an event, or says that one plays on in it; raises EventError. Twice is once. The last one begins it."""
    event = _locked(tx, event_id)
    player = tx.session.get_one(Player, player_id)
    own = tx.session.get(Entrant, (event_id, player_id))
    if own is not None and own.state == "in":
        own.asked = None
        return event
    if event.state != "open":
        raise EventError(f"{event.name} has begun." if event.state == "running" else f"{event.name} is over.")
    if player.is_guest:
        raise EventError("Sign in with your email address first.")
    _check_entry(tx, event, player_id)
    tx.session.add(Entrant(event_id=event_id, player_id=player_id, joined=tx.now, state="in"))
    tx.session.flush()
    entrants = _present(tx.session, event_id)
    if len(entrants) == needed(event):
        _begin(tx, event, entrants)
    return event


def _locked(tx: Transaction, event_id: int) -> Event:
    event = tx.session.get(Event, event_id, with_for_update=True, populate_existing=True)
    if event is None:
        raise EventError("There's no such event.")
    return event


def _present(session: Session, event_id: int) -> list[int]:
    """Those who are in an event and still play here."""
    there = select(Entrant.player_id).join(Player, Player.id == Entrant.player_id)
    there = there.where(Entrant.event_id == event_id, Entrant.state == "in", Player.left.is_(None))
    return list(session.scalars(there.order_by(Entrant.player_id)))


def _check_entry(tx: Transaction, event: Event, player_id: int) -> None:
    """Raises EventError for somebody who may not enter."""
    rating = tx.session.get(PlayerRating, (player_id, event.game))
    points = UNRATED if rating is None else rating.rating
    if not (event.lowest or 0) <= points <= (event.highest or points):
        title = GAMES[event.game].title
        raise EventError(f"Your rating at {title} is {points:.0f}, which isn't in the range of {event.name}.")
    others = select(Entrant.player_id).where(Entrant.event_id == event.id)
    away = or_(
        and_(Block.player_id == player_id, Block.other_id.in_(others)),
        and_(Block.other_id == player_id, Block.player_id.in_(others)),
    )
    if tx.session.scalars(select(Block.player_id).where(away).limit(1)).first() is not None:
        raise EventError(f"You can't enter {event.name}, because you and one of its players don't play each other.")
    missing = owed(tx, player_id)
    if missing > 0:
        raise EventError(
            f"You've lost event matches on time. You can enter again once you've finished {missing} rated matches "
            "without running out of time."
        )


def owed(tx: Transaction, player_id: int) -> int:
    """How many rated matches somebody must finish in time before they may enter again: as many as they lost on time in
    events in the last year, less those finished since the first of these."""
    lost = (
        select(func.count(), func.min(Event.began))
        .select_from(EventSeat)
        .join(Event, Event.id == EventSeat.event_id)
        .where(EventSeat.player_id == player_id, EventSeat.late, Event.began > tx.now - BARRED)
    )
    count, first = tx.session.execute(lost).one()
    if not count:
        return 0
    finished = select(func.count()).select_from(RatedSeat)
    finished = finished.where(RatedSeat.player_id == player_id, RatedSeat.ended > first, RatedSeat.absence.is_(None))
    return int(count - (tx.session.scalar(finished) or 0))


def _begin(tx: Transaction, event: Event, entrants: Sequence[int]) -> None:
    """Draws all matches; the sweep starts them. For two seats everybody plays everybody; at larger tables everybody has
    each seat once."""
    rounds = None if event.seats == 2 else event.seats
    drawn = draw([str(player_id) for player_id in entrants], rounds, event.seats, event.id)
    tables = [table for tables in drawn for table in tables]
    for number, table in enumerate(tables, start=1):
        tx.session.add(EventMatch(event_id=event.id, number=number, void=False, noted=False))
        for seat, name in enumerate(table):
            row = {"event_id": event.id, "number": number, "seat": seat, "player_id": int(name)}
            tx.session.add(EventSeat(**row, share=None, late=False))
    event.state, event.began = "running", tx.now


@transactional
def withdraw(tx: Transaction, event_id: int, player_id: int) -> Event:
    """Leaves an event; raises EventError. Once it runs, anybody may take over the seats."""
    event = _locked(tx, event_id)
    own = tx.session.get(Entrant, (event_id, player_id))
    if own is None or own.state != "in" or event.state not in ("open", "running"):
        raise EventError(f"You aren't taking part in {event.name}.")
    if event.state == "open":
        tx.session.delete(own)
        return event
    own.state, own.asked = "withdrawn", None
    for row, match in unfinished(tx.session, event_id, player_id):
        if match is None:
            row.void = row.noted = True
        elif match.state == "running":
            try:
                with tx.savepoint():
                    substitutes.offer(tx, match.id, player_id, "anybody")
            except LobbyError:
                continue  # They have resigned it, or somebody else has the seat already.
    finish(tx, event)
    return event


def unfinished(session: Session, event_id: int, player_id: int) -> list[tuple[EventMatch, Match | None]]:
    """A player's matches in an event of which the result isn't noted."""
    own = select(EventSeat.number).where(EventSeat.event_id == event_id, EventSeat.player_id == player_id)
    rows = select(EventMatch, Match).outerjoin(Match, Match.id == EventMatch.match_id)
    rows = rows.where(EventMatch.event_id == event_id, EventMatch.number.in_(own), EventMatch.noted.is_(False))
    return [(row, match) for row, match in session.execute(rows.order_by(EventMatch.number))]


@transactional
def end(tx: Transaction, event_id: int, player_id: int, *, is_operator: bool) -> None:
    """Ends an event early: operators any, a founder their own while it is open. Its running matches go on."""
    event = _locked(tx, event_id)
    if not is_operator and not (event.founder_id == player_id and event.state == "open"):
        raise EventError("Only an operator can end an event that has begun, or somebody else's.")
    if event.state in ("open", "running"):
        event.state, event.over = "ended", tx.now
        rows = update(EventMatch).where(EventMatch.event_id == event_id, EventMatch.noted.is_(False))
        tx.session.execute(rows.values(void=True, noted=True))


def finish(tx: Transaction, event: Event) -> bool:
    """Ends a running event of which every match is noted, and returns whether it did."""
    left = select(EventMatch.number).where(EventMatch.event_id == event.id, EventMatch.noted.is_(False)).limit(1)
    tx.session.flush()
    if event.state != "running" or tx.session.scalars(left).first() is not None:
        return False
    event.state, event.over = "over", tx.now
    return True


def named(session: Session, name: str) -> Event:
    """An event by its name; raises EventError."""
    event = session.scalars(select(Event).where(Event.name_key == display_names.key(name.strip(" .?!")))).first()
    if event is None:
        raise EventError(f"There's no event called {name[:60]!r}. Write events to see those there are.")
    return event
