"""Events: anybody can create, join, leave and end them.

In a cup and in each division of a league everybody plays everybody, all matches at once; a tour has a part for each
game; on a ladder people challenge each other. The matches are ordinary ones: `seasons` and `ladders` say who plays who,
`event_matches` starts them and notes their results, and `event_pages` shows who is ahead.

A block keeps messages and invitations away, and changes nothing about who plays who: otherwise it would decide events.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from service.clock.control import Control, choose
from service.clock.duration import ClockError
from service.games import GAMES
from service.play import audit, bans, names
from service.play.accounts import display_names
from service.play.company import ladders, seasons
from service.play.company.seasons import EventError as EventError
from service.play.company.seasons import NoSuchEvent as NoSuchEvent
from service.play.company.wishes import UNRATED
from service.play.company_letters import EventNews
from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.site import Transaction, transactional
from service.play.table import lost_on_time
from service.store.insert import insert_once
from service.store.models import Match, Player
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from service.store.tables.ratings import PlayerRating

KINDS = ("cup", "league", "ladder", "tour")
"""The name of an event contains the word for its kind, so that commands about events can be recognized."""

FOUNDED_AT_ONCE = 3
"""How many of one player's events may wait for entrants."""

LADDERS_AT_ONCE = 2
"""How many of one player's ladders may run: each game has only one, and nobody should decide how all are played."""

SLOWEST_LADDER = timedelta(days=21)
"""How long a turn on a ladder may last."""

MOST_SEATS = {"cup": 8, "league": 4, "ladder": 2, "tour": 2}
"""How many seats a table may have. In a tour each game has its usual number."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An event as its creator describes it."""

    name: str
    """Ladders have none of their own: there is one for each game."""
    game: str
    """Tours have all games, whatever it says here."""
    clock: str
    seats: int = 2
    rated: bool = True
    lowest: int | None = None
    highest: int | None = None
    kind: str = "cup"


@transactional
def found(tx: Transaction, founder_id: int, plan: Plan, key: str | None = None) -> int:
    """Creates an event and returns its id, the same for the same `key`; raises EventError."""
    founder = tx.session.get_one(Player, founder_id, with_for_update=True)
    made = None if key is None else tx.session.scalars(select(Event.id).where(Event.key == key)).first()
    if made is not None:
        return made
    bans.refuse_banned(tx, founder_id, EventError)
    if founder.is_guest:
        raise EventError("Sign in with your email address first.")
    if founder.is_bot:
        raise EventError("Only people can take part in events.")
    name, clock = _checked(plan, tx.now)
    _check_patience(tx.session, founder_id, plan.kind)
    _release(tx.session, names.key(name))
    row = {"game": plan.game, "seats": plan.seats, "clock": clock, "rated": plan.rated, "season": 1, "part": 0}
    row |= {"lowest": plan.lowest, "highest": plan.highest, "founder_id": founder_id, "made": tx.now}
    # A player can be challenged on a ladder as soon as they're on it.
    row |= {"state": "open"} if plan.kind != "ladder" else {"state": "running", "began": tx.now, "part": 1}
    event = insert_once(tx.session, Event, name=name, name_key=names.key(name), key=key, kind=plan.kind, **row)
    if event is None:
        raise EventError(f"There's already an event called {name}. {_INSTEAD[plan.kind == 'ladder']}", "name")
    return event.id


def _check_patience(session: Session, founder_id: int, kind: str) -> None:
    """Raises EventError for a player who has created too many events for now."""
    own = select(func.count()).where(Event.founder_id == founder_id)
    waiting = own.where(Event.state == "open", Event.season == 1)
    if (session.scalar(waiting) or 0) >= FOUNDED_AT_ONCE:
        raise EventError(f"You can have up to {FOUNDED_AT_ONCE} events waiting for players.")
    ladders_run = own.where(Event.kind == "ladder", Event.state == "running")
    if kind == "ladder" and (session.scalar(ladders_run) or 0) >= LADDERS_AT_ONCE:
        raise EventError(f"You've created {LADDERS_AT_ONCE} ladders. Other players can create the rest.", "kind")


def _release(session: Session, name_key: str) -> None:
    """Takes a name from an event that was ended. Its new key can't be a name: names contain a kind of event."""
    ended = session.scalars(select(Event).where(Event.name_key == name_key, Event.state == "ended")).first()
    if ended is not None:
        ended.name_key = f"ended {ended.id}"
        session.flush()


_INSTEAD = {True: "Each game has one ladder, so please join that one.", False: "Please choose another name."}


def _checked(plan: Plan, now: datetime) -> tuple[str, str]:
    """The name and the clock as stored; raises EventError."""
    if plan.kind not in KINDS:
        raise EventError("Choose a cup, a league, a ladder or a tour.", "kind")
    if plan.game not in GAMES:
        raise EventError("Choose one of the games.", "game")
    _check_seats(plan)
    name = f"{GAMES[plan.game].title} ladder" if plan.kind == "ladder" else _name(plan)
    try:
        control = choose(plan.clock)
    except ClockError as error:
        raise EventError(str(error), "clock") from error
    if control.system is None:
        raise EventError("An event needs a clock, so that its matches end.", "clock")
    bounds = [bound for bound in (plan.lowest, plan.highest) if bound is not None]
    if bounds != sorted(bounds):
        raise EventError("The lowest rating can't be above the highest one.", "lowest")
    if bounds and plan.kind in ("ladder", "tour"):
        raise EventError("Everybody can join a ladder or a tour. Leave both ratings empty.", "lowest")
    if plan.kind == "ladder" and _is_slow(control, now):
        days = SLOWEST_LADDER.days
        raise EventError(f"A ladder can give players up to {days} days for a move. Choose a faster clock.", "clock")
    return name, control.write()


def _is_slow(control: Control, now: datetime) -> bool:
    """Whether a first turn may last too long for a ladder, or one after it that has all of its time left as well. A
    turn that is prolonged if its player is late counts with the time it then has."""
    budgets = (control.begin(), control.press(control.begin(), now, now))
    ends = [control.deadline(control.prolonged(budget) or budget, now) for budget in budgets]
    return any(end is None or end > now + SLOWEST_LADDER for end in ends)


def _check_seats(plan: Plan) -> None:
    game = GAMES[plan.game]
    if not game.min_seats <= plan.seats <= game.max_seats:
        most = f"2 to {game.max_seats}" if game.max_seats > 2 else "2"
        raise EventError(f"{game.title} is for {most} players at a table.", "seats")
    if plan.seats > MOST_SEATS[plan.kind]:
        most = f"2 to {MOST_SEATS[plan.kind]}" if plan.kind == "league" else "2"
        raise EventError(f"The tables of a {plan.kind} have {most} players.", "seats")


def _name(plan: Plan) -> str:
    try:
        name = display_names.clean(plan.name)
    except display_names.AccountError as error:
        raise EventError(str(error), "name") from error
    if plan.kind not in names.key(name).split() or name[0].isdigit():
        why = f"The name must contain the word {plan.kind} and can't begin with a number, as in Winter {plan.kind}."
        raise EventError(why, "name")
    return name


@transactional
def join(tx: Transaction, event_id: int, player_id: int) -> Event:
    """Enters an event, or confirms that the player stays in it; raises EventError. Repeating it changes nothing. The
    last entrant begins a cup. Players who join a league during a season enter the next one."""
    event = _locked(tx, event_id)
    if event.state in ("over", "ended"):
        raise EventError(f"{event.name} is over.")
    player = tx.session.get_one(Player, player_id)
    own = tx.session.get(Entrant, (event_id, player_id))
    if own is not None and own.state in seasons.PLAYING:
        own.asked = None
        if event.state == "open" and event.season > 1:
            _check_owed(tx, player_id)
        return event
    if event.kind == "cup" and event.state == "running":
        raise EventError(f"{event.name} has begun, so it's too late to enter it.")
    if event.kind == "tour" and event.state == "running" and event.begins is None:
        raise EventError(f"{event.name} has no game left to begin. You can join the next one once this one is over.")
    if player.is_guest:
        raise EventError("Sign in with your email address first.")
    if player.is_bot:
        raise EventError("Only people can take part in events.")
    _check_entry(tx, event, player_id)
    if own is None:
        own = Entrant(event_id=event_id, player_id=player_id, joined=tx.now)
        tx.session.add(own)
    elif own.state == "leaving":
        raise EventError(f"You're leaving the {event.name}. You can join it again once your matches there are over.")
    own.state, own.asked = "next" if event.kind == "league" and event.state == "running" else "in", None
    if event.kind == "ladder":
        ladders.enter(tx, event, own)
    seasons.schedule(tx, event)
    return event


def _locked(tx: Transaction, event_id: int) -> Event:
    event = tx.session.get(Event, event_id, with_for_update=True, populate_existing=True)
    if event is None:
        raise NoSuchEvent("There's no such event.")
    return event


def why_not(tx: Transaction, event: Event, player_id: int) -> EventError | None:
    """Why a player may not enter an event."""
    try:
        _check_entry(tx, event, player_id)
    except EventError as error:
        return error
    return None


def _check_entry(tx: Transaction, event: Event, player_id: int) -> None:
    """Raises EventError for somebody who may not enter."""
    bans.refuse_banned(tx, player_id, EventError)
    rating = tx.session.get(PlayerRating, (player_id, event.game))
    points = round(UNRATED if rating is None else rating.rating)  # As players see it.
    if not (event.lowest or 0) <= points <= (event.highest or points):
        title = GAMES[event.game].title
        raise EventError(f"Your rating at {title} is {points}, which isn't in the range of {event.name}.")
    _check_owed(tx, player_id)


def _check_owed(tx: Transaction, player_id: int) -> None:
    """Raises EventError for somebody who owes matches that they lost on time."""
    missing = lost_on_time.owed(tx.session, player_id, tx.now)
    if missing > 0:
        raise EventError(
            f"You've lost event matches on time. You can enter again once you've finished {missing} rated "
            f"{'match' if missing == 1 else 'matches'} without running out of time."
        )


@transactional
def withdraw(tx: Transaction, event_id: int, player_id: int) -> Event:
    """Leaves an event; raises EventError. In one that is being played, anybody may take over the seats.

    A player who leaves a ladder still finishes their matches.
    """
    event = _locked(tx, event_id)
    own = tx.session.get(Entrant, (event_id, player_id))
    if own is None or own.state not in seasons.PLAYING or event.state not in ("open", "running"):
        raise EventError(f"You aren't taking part in {event.name}.")
    if event.kind == "ladder":
        ladders.leave(tx, event, own)
        return event
    if event.state == "open" or own.state == "next":
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
    seasons.close(tx, event)
    return event


def unfinished(session: Session, event_id: int, player_id: int) -> list[tuple[EventMatch, Match | None]]:
    """A player's matches in an event of which the result isn't noted."""
    own = select(EventSeat.number).where(EventSeat.event_id == event_id, EventSeat.player_id == player_id)
    rows = select(EventMatch, Match).outerjoin(Match, Match.id == EventMatch.match_id)
    rows = rows.where(EventMatch.event_id == event_id, EventMatch.number.in_(own), EventMatch.noted.is_(False))
    return [(row, match) for row, match in session.execute(rows.order_by(EventMatch.number))]


@transactional
def end(tx: Transaction, event_id: int, player_id: int, *, is_operator: bool) -> None:
    """Ends an event early: an operator any, a creator their own while it is open. Its running matches go on, and its
    other players get an email."""
    event = _locked(tx, event_id)
    if not is_operator and not (event.founder_id == player_id and event.state == "open" and event.season == 1):
        raise EventError("Only an operator can end an event that has begun, or somebody else's.")
    if event.state in ("open", "running"):
        if is_operator:
            audit.note(tx, player_id, "event-ended", "event", event_id, event.name)
        event.season -= event.state == "open" and event.season > 1  # A season that hasn't begun is never played.
        event.state, event.over, event.begins = "ended", tx.now, None
        rows = update(EventMatch).where(EventMatch.event_id == event_id, EventMatch.noted.is_(False))
        tx.session.execute(rows.values(void=True, noted=True))
        news = EventNews(event=event_id, name=event.name, what="ended", of_kind=event.kind, part=event.part)
        for other_id in seasons.present(tx.session, event):
            if other_id != player_id:
                seasons.tell(tx, event, "ended", other_id, news)


def named(session: Session, name: str) -> Event:
    """An event by its name, or the only one of a kind for a game that isn't over; raises EventError."""
    key = names.key(name.strip(" .?!"))
    bare = key.removeprefix("the ")
    meant = select(Event).where(Event.name_key.in_([key, bare])).order_by(Event.name_key != key)
    event = session.scalars(meant).first()
    if event is not None:
        return event
    game, _, kind = bare.rpartition(" ")
    games = [one.name for one in GAMES.values() if game in (one.name, names.key(one.title))]
    current = select(Event).where(Event.kind == kind, Event.game.in_(games), Event.state.in_(("open", "running")))
    found = session.scalars(current.order_by(Event.state != "open", Event.id.desc()).limit(1)).first()
    if found is None:
        raise EventError(f"There's no event called {name[:60]!r}. Write events to see them all.")
    return found
