"""Ladders: who may challenge who, and what a result does to the order.

Nobody may decline. Players who leave keep their place until their matches are over, so that nobody plays for nothing.
Players who run out of time go to the bottom and leave in the same way; they may join again. During a vacation a player
can't be challenged, and keeps their place whatever others win or lose among themselves. Their own results count as
always: a vacation can begin in any of their matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from service.contests.ladders import REACH, after
from service.games import GAMES
from service.play import bans, names
from service.play.company import seasons
from service.play.company.seasons import EventError, NoSuchEvent
from service.play.company_letters import EventNews
from service.play.site import Transaction, transactional
from service.play.table import press
from service.store.models import Match, Player, Seat, TimeOff
from service.store.tables.events import UNNOTED, Entrant, Event, EventMatch, EventSeat

AT_ONCE = 2
"""How many challenges by a player may run at the same time, and how many against them."""


@dataclass(frozen=True, slots=True)
class Rungs:
    """A ladder as everybody sees it: who is in which place, who is `leaving` or `away`, and who challenged who."""

    order: tuple[int, ...]
    leaving: frozenset[int]
    away: frozenset[int]
    running: tuple[tuple[int, int], ...]

    def why_not(self, player_id: int, other_id: int) -> str:
        """Why a player can't challenge another, as a key of WHY; "" if they can."""
        there = [one for one in self.order if one not in self.leaving]
        if player_id not in there:
            return "off"
        if player_id == other_id:
            return "self"
        if other_id not in there:
            return "gone"
        if not 0 < self.order.index(player_id) - self.order.index(other_id) <= REACH:
            return "far"
        made, had = Counter(one for one, _ in self.running), Counter(other for _, other in self.running)
        reasons = {
            "playing": any({*two} == {player_id, other_id} for two in self.running),
            "vacation": player_id in self.away,
            "away": other_id in self.away,
            "busy": made[player_id] >= AT_ONCE,
            "taken": had[other_id] >= AT_ONCE,
        }
        return next((reason for reason, is_so in reasons.items() if is_so), "")

    def open_to(self, player_id: int) -> list[int]:
        """The players that a player can challenge now, the nearest first."""
        return [one for one in reversed(self.order) if not self.why_not(player_id, one)]


WHY = {
    "off": "You aren't on the {ladder}. Join it first.",
    "self": "You can't challenge yourself. You can challenge players up to {reach} places above you on the {ladder}.",
    "gone": "{name} isn't on the {ladder}.",
    "far": "You can challenge players up to {reach} places above you on the {ladder}. {name} isn't one of them.",
    "playing": "You're already playing {name} on the {ladder}.",
    "vacation": "Your time has run out in a match, so a day of your vacation is being used. Once you've moved there, "
    "you can challenge others again.",
    "away": "{name} is on vacation and can't be challenged until it's over.",
    "busy": "You have two challenges running on the {ladder}. You can make another once one of them is over.",
    "taken": "{name} has been challenged twice already. You can try again once one of those matches is over.",
}
"""What a player reads who can't make a challenge."""


def rungs(session: Session, event: Event, now: datetime) -> Rungs:
    """The ladder as it is now."""
    found = select(Entrant, Player.left).join(Player, Player.id == Entrant.player_id)
    found = found.where(Entrant.event_id == event.id, Entrant.place.is_not(None)).order_by(Entrant.place)
    entrants = session.execute(found).all()
    order = tuple(one.player_id for one, _ in entrants)
    leaving = frozenset(one.player_id for one, left in entrants if one.state != "in" or left is not None)
    return Rungs(order, leaving, _away(session, order, now), tuple(_running(session, event)))


def _away(session: Session, players: Sequence[int], now: datetime) -> frozenset[int]:
    """Those who are on vacation as far as a match page shows it: where somebody waits for them and nobody else.

    In a secret round, a vacation would reveal who hasn't chosen yet.
    """
    off = select(TimeOff.player_id).where(TimeOff.player_id.in_(players), TimeOff.match_id.is_(None))
    off = off.where(TimeOff.begins <= now, TimeOff.ends > now)
    resting = session.scalars(off.distinct()).all()
    if not resting:
        return frozenset()
    awaited = select(Seat).join(Seat.match).where(Match.state == "running", Seat.player_id.in_(resting))
    awaited = awaited.where(Seat.awaited, Seat.deadline.is_not(None))
    return frozenset(
        seat.player_id or 0
        for seat in session.scalars(awaited)
        if sum(one.awaited for one in seat.match.seats) == 1 and not press.hides_names(seat.match)
    )


def _running(session: Session, event: Event) -> list[tuple[int, int]]:
    """The challenger and the challenged of each match whose result isn't noted yet."""
    its = and_(EventSeat.event_id == EventMatch.event_id, EventSeat.number == EventMatch.number)
    seats = select(EventSeat, EventMatch.challenger).join(EventMatch, its)
    seats = seats.where(EventMatch.event_id == event.id, UNNOTED)
    found: dict[int, dict[bool, int]] = {}
    for seat, challenger in session.execute(seats.order_by(EventMatch.number)):
        found.setdefault(seat.number, {})[seat.seat == challenger] = seat.player_id
    return [(two[True], two[False]) for two in found.values()]


def of_game(session: Session, name: str) -> Event | None:
    """The ladder of a game by the game's name."""
    key = names.key(f"{name} ladder")
    titles = {game.name: names.key(f"{game.title} ladder") for game in GAMES.values()}
    meant = select(Event).where(Event.kind == "ladder", Event.state == "running")
    return session.scalars(meant.where(Event.name_key == titles.get(names.key(name), key))).first()


def shared(session: Session, player_id: int, other_id: int) -> list[Event]:
    """The ladders that both are on."""
    on = [
        select(Entrant.event_id).where(Entrant.player_id == one, Entrant.state == "in") for one in (player_id, other_id)
    ]
    found = select(Event).where(Event.kind == "ladder", Event.state == "running", *(Event.id.in_(one) for one in on))
    return list(session.scalars(found.order_by(Event.id)))


@transactional
def challenge(tx: Transaction, event_id: int, player_id: int, other_id: int) -> Event:
    """Challenges somebody on a ladder; the sweep starts the match. Raises EventError."""
    event = tx.session.get(Event, event_id, with_for_update=True, populate_existing=True)
    if event is None:
        raise NoSuchEvent("There's no such event.")
    if event.kind != "ladder" or event.state != "running":
        raise EventError("There's no such ladder.")
    bans.refuse_banned(tx, player_id, EventError)
    other = tx.session.get(Player, other_id)
    if other is None:
        raise NoSuchEvent(f"There's no such player on the {event.name}.")
    why = rungs(tx.session, event, tx.now).why_not(player_id, other_id)
    if why:
        raise EventError(WHY[why].format(name=other.name, ladder=event.name, reach=REACH))
    first = _first(tx.session, event, player_id, other_id)
    number = seasons.add(tx, event, [(str(first), str(player_id + other_id - first))])
    tx.session.get_one(EventMatch, (event.id, number)).challenger = int(first != player_id)
    name = tx.session.get_one(Player, player_id).name
    news = EventNews(event=event.id, name=event.name, what="challenged", best=(name,))
    seasons.tell(tx, event, f"challenged:{number}", other_id, news)
    return event


def _first(session: Session, event: Event, challenger: int, challenged: int) -> int:
    """Who gets the first seat: the one who has had it less often on this ladder, or else the one who is challenged.

    That can't keep everybody within one: when two meet who have both played once, each in the first seat, one of them
    has it a second time, however it is chosen. Only refusing that challenge, or playing it twice, would avoid it.
    """

    def lead(player_id: int) -> int:
        seats = select(EventSeat.seat, func.count()).group_by(EventSeat.seat)
        had = session.execute(seats.where(EventSeat.event_id == event.id, EventSeat.player_id == player_id))
        times = {seat: count for seat, count in had}  # noqa: C416 - rows are no pairs to mypy
        return times.get(0, 0) - times.get(1, 0)

    return challenger if lead(challenger) < lead(challenged) else challenged


def enter(tx: Transaction, event: Event, own: Entrant) -> None:
    """Puts somebody at the bottom of the ladder, unless they are on it."""
    lowest = select(func.max(Entrant.place)).where(Entrant.event_id == event.id)
    if own.place is None:
        own.place = 1 + (tx.session.scalar(lowest) or 0)


def leave(tx: Transaction, event: Event, own: Entrant) -> None:
    """Takes somebody off the ladder, once their last match there is over."""
    own.state = "leaving"
    _clear(tx, event)


def settle(tx: Transaction, event: Event, row: EventMatch, seats: Sequence[EventSeat]) -> None:
    """What a match that is over does to the ladder."""
    if not row.void:
        now = rungs(tx.session, event, tx.now)
        order = _after(now, seats)
        late = [seat.player_id for seat in seats if seat.late and seat.player_id in order]
        for player_id in late:
            order.remove(player_id)
            order.append(player_id)
            _put_out(tx, event, row, player_id)
        _renumber(tx, event, order)
        for seat in seats:
            seat.place = order.index(seat.player_id) + 1 if seat.player_id in order else None
    _clear(tx, event)


def _after(now: Rungs, seats: Sequence[EventSeat]) -> list[int]:
    """The order after a match: as before if nobody won it alone, or one of the two is off the ladder."""
    winners = [seat.player_id for seat in seats if seat.share == "1"]
    losers = [seat.player_id for seat in seats if seat.share == "0"]
    if len(winners) != 1 or len(losers) != 1 or not {*winners, *losers} <= {*now.order}:
        return list(now.order)
    names = after([str(one) for one in now.order], str(winners[0]), str(losers[0]), {str(one) for one in now.away})
    return [int(name) for name in names]


def _put_out(tx: Transaction, event: Event, row: EventMatch, player_id: int) -> None:
    """Takes somebody off whose time ran out, and tells them."""
    tx.session.get_one(Entrant, (event.id, player_id)).state = "leaving"
    news = EventNews(event=event.id, name=event.name, what="off")
    seasons.tell(tx, event, f"off:{row.number}", player_id, news)


def _clear(tx: Transaction, event: Event) -> None:
    """Takes those off the ladder who are leaving and have no match there any more."""
    tx.session.flush()
    now = rungs(tx.session, event, tx.now)
    playing = {player_id for two in now.running for player_id in two}
    gone = [one for one in now.order if one in now.leaving and one not in playing]
    for player_id in gone:
        own = tx.session.get_one(Entrant, (event.id, player_id))
        own.state, own.place = "withdrawn", None
    if gone:
        _renumber(tx, event, [one for one in now.order if one not in gone])


def _renumber(tx: Transaction, event: Event, order: Sequence[int]) -> None:
    found = select(Entrant).where(Entrant.event_id == event.id, Entrant.player_id.in_(order))
    entrants = {one.player_id: one for one in tx.session.scalars(found)}
    for place, player_id in enumerate(order, start=1):
        if entrants[player_id].place != place:
            entrants[player_id].place = place
    tx.session.flush()
