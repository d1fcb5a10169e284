"""The clocks of a running match: who has how much time, since when, and until when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Integer, Row, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from service.clock.control import UTC_ZONE, Control
from service.clock.hours import NEVER, Stretch
from service.clock.systems import Budget
from service.clock.vacation import vacation_day
from service.play.site import Transaction, going_on
from service.play.table.press import hides_names, named
from service.store.insert import insert_once
from service.store.models import Match, Player, Seat, TimeOff

_OFF = (
    select(TimeOff.begins, TimeOff.ends)
    .where(
        TimeOff.ends > bindparam("since"),
        or_(
            TimeOff.match_id.is_(None) & TimeOff.player_id.is_(None),
            (TimeOff.match_id == bindparam("match")) & TimeOff.player_id.is_(None),
            (TimeOff.match_id == bindparam("match")) & (TimeOff.player_id == bindparam("player", type_=Integer)),
            TimeOff.match_id.is_(None) & (TimeOff.player_id == bindparam("everywhere", type_=Integer)),
        ),
    )
    .order_by(TimeOff.begins)
)
"""Selects the times that don't count in a turn that began at `since`. Built once: building it takes longer than running
it."""


def control(match: Match) -> Control:
    """The clock of a match."""
    return _parsed(match.clock)


@lru_cache(maxsize=1000)
def _parsed(clock: str) -> Control:
    return Control.parse(clock)


def zone(player: Player | None) -> ZoneInfo:
    """The player's time zone; UTC where it is not known."""
    return zone_called(_zone(player))


def _zone(player: Player | None) -> str:
    return "" if player is None else player.zone


def _zone_of_turn(budget: dict[str, Any] | None, latest: str) -> ZoneInfo:
    """The zone in which a turn began; `latest` if it isn't known. Players can't gain time by changing zones."""
    return zone_called((budget or {}).get("zone", latest))


def zone_called(name: str) -> ZoneInfo:
    """The time zone of this name; UTC for ""."""
    return ZoneInfo(name) if name else UTC_ZONE


def begin(tx: Transaction, match: Match) -> None:
    """Gives every seat its time and starts the clocks of those to move."""
    for seat in match.seats:
        seat.budget = _kept(control(match).begin())
    follow(tx, match)


def press(session: Session, match: Match, seat: Seat, at: datetime) -> None:
    """Stops a seat's clock for a move received at `at`. Nothing happens where it is not running."""
    if seat.since is not None:
        here, off = _zone_of_turn(seat.budget, _zone(seat.player)), times_off(session, match, seat)
        seat.budget = _kept(control(match).press(_budget(seat), seat.since, at, here, off))
    seat.since = seat.deadline = seat.remind = None


def follow(tx: Transaction, match: Match) -> None:
    """Starts the clocks of the players the match waits for, and stops all others. Bots have no clock."""
    for seat in match.seats:
        waited = match.state == "running" and seat.to_move and not (seat.player and seat.player.bot)
        if waited and seat.since is None:
            seat.since, seat.budget = tx.now, {**_kept(_budget(seat)), "zone": _zone(seat.player)}
            compute(tx.session, match, seat, tx.now)
        elif not waited:
            press(tx.session, match, seat, tx.now)


def compute(session: Session, match: Match, seat: Seat, now: datetime) -> None:
    """Recomputes when a running clock ends and when to send the next reminder."""
    if seat.since is not None:
        running = (match.clock, _budget(seat), seat.since, _zone_of_turn(seat.budget, _zone(seat.player)), match.paused)
        seat.deadline, seat.remind = _ends(*running, times_off(session, match, seat), now)


def compute_many(session: Session, match_ids: Sequence[int], now: datetime) -> set[int]:
    """As `compute`, for all running clocks of several matches in four statements. Returns which matches were done.

    Matches that are locked elsewhere are left out: waiting for one while holding others could cause a deadlock. A
    clock that can't be read is logged, and the others go on.
    """
    free = select(Match.id).where(Match.id.in_(match_ids)).with_for_update(key_share=True, skip_locked=True)
    done = set(session.scalars(free))
    running = select(*_RUNNING).join(Seat.match).outerjoin(Player, Player.id == Seat.player_id)
    seats = session.execute(running.where(Seat.match_id.in_(done), Seat.since.is_not(None))).all()
    off = _times_off_of(session, seats)
    ends = []
    for seat in seats:
        with going_on("the clock of match", seat.match_id):
            known = sorted({*off[None, None], *off[seat.match_id, None], *_vacation(seat, off)})
            here = _zone_of_turn(seat.budget, seat.zone)
            deadline, remind = _ends(seat.clock, _read(seat.budget), seat.since, here, seat.paused, known, now)
            ends.append({"match_id": seat.match_id, "number": seat.number, "deadline": deadline, "remind": remind})
    if ends:
        session.execute(update(Seat), ends)
    return done


_RUNNING = (
    Seat.match_id,
    Seat.number,
    Seat.player_id,
    Seat.budget,
    Seat.since,
    Match.clock,
    Match.paused,
    named().label("named"),
    Player.zone,
)


_Off: TypeAlias = dict[tuple[int | None, int | None], list[Stretch]]
"""By match and player, what doesn't count of running turns: under (None, None), what doesn't for anybody."""


def _vacation(seat: Row[Any], off: _Off) -> list[Stretch]:
    """The days of vacation that count for a running clock."""
    if not _parsed(seat.clock).spends_vacation:
        return []
    return off[seat.match_id, seat.player_id] + (off[None, seat.player_id] if seat.named else [])


def _ends(
    clock: str,
    budget: Budget,
    since: datetime,
    zone: ZoneInfo,
    paused: datetime | None,
    off: Sequence[Stretch],
    now: datetime,
) -> tuple[datetime | None, datetime | None]:
    """When a turn that began at `since` runs out of time, and when to send its next reminder."""
    rules = _parsed(clock)
    deadline = rules.deadline(budget, since, zone, off)
    moments = [max(moment, paused or moment) for moment in rules.reminders(budget, since, zone, off)]
    return deadline, next((moment for moment in moments if now < moment < (deadline or now)), None)


def _times_off_of(session: Session, seats: Sequence[Row[Any]]) -> _Off:
    found = defaultdict[tuple[int | None, int | None], list[Stretch]](list)
    if seats:
        nobodys = TimeOff.match_id.is_(None) & TimeOff.player_id.is_(None)
        matches, players = {seat.match_id for seat in seats}, {seat.player_id for seat in seats} - {None}
        theirs = or_(nobodys, TimeOff.match_id.in_(matches), TimeOff.player_id.in_(players))
        known = select(TimeOff.match_id, TimeOff.player_id, TimeOff.begins, TimeOff.ends)
        for row in session.execute(known.where(theirs, TimeOff.ends > min(seat.since for seat in seats))):
            found[row.match_id, row.player_id].append((row.begins, row.ends))
    return found


def standing_time(match: Match, seat: Seat, now: datetime) -> timedelta | None:
    """How long a seat would have if its turn began `now`; None if it has no clock."""
    ends = control(match).deadline(_budget(seat), now, zone(seat.player)) if seat.budget else None
    return None if ends is None else ends - now


def stand(seat: Seat) -> dict[str, Any] | None:
    """The time on a running clock when the turn began, and when that was; None if it isn't running."""
    return {**seat.budget, "since": seat.since.isoformat()} if seat.budget and seat.since else None


def set_back(seat: Seat, clock: dict[str, Any]) -> None:
    """Gives a seat the time it had when a turn began that has been taken back; `clock` is what `stand` said then."""
    seat.budget = {name: value for name, value in clock.items() if name != "since"}


def let_run_on(session: Session, match: Match, seat: Seat, clock: dict[str, Any], now: datetime) -> None:
    """Restarts a clock as if it had never been stopped in the turn for which `stand` returned this."""
    set_back(seat, clock)
    seat.since = datetime.fromisoformat(clock["since"])
    compute(session, match, seat, now)


def pause(session: Session, match: Match, begins: datetime, ends: datetime, key: str) -> None:
    """Stops all clocks of the match from `begins` to `ends`, replacing any current pause."""
    resume(session, match, begins)
    session.add(TimeOff(key=key, begins=begins, ends=ends, match_id=match.id))
    match.paused = ends
    _compute_all(session, match, begins)


def resume(session: Session, match: Match, at: datetime) -> None:
    """Ends the match's current pause early."""
    pauses = update(TimeOff).where(TimeOff.match_id == match.id, TimeOff.player_id.is_(None))
    session.execute(pauses.where(TimeOff.begins <= at, TimeOff.ends > at).values(ends=at))
    match.paused = None
    _compute_all(session, match, at)


def paused_until(match: Match, now: datetime) -> datetime | None:
    """When the match's current pause ends; None if it isn't paused."""
    return match.paused if match.paused is not None and match.paused > now else None


def _compute_all(session: Session, match: Match, now: datetime) -> None:
    session.flush()
    for seat in match.seats:
        compute(session, match, seat, now)


def hand_over(tx: Transaction, match: Match, seat: Seat) -> None:
    """Gives a seat that has a new player the time it had in the beginning.

    A clock shared by all keeps running when a player joins: nobody gets longer for a round than the others, even if
    what the former player had sealed in it lapses. One that has run out begins again.
    """
    rules = control(match)
    if not rules.by_round or seat.deadline is None or seat.deadline < tx.now:
        seat.budget = _kept(rules.begin())
        seat.since = seat.deadline = seat.remind = None
    if rules.by_round and seat.to_move and seat.since is None:
        _share(match, seat, tx.now)
    follow(tx, match)
    compute(tx.session, match, seat, tx.now)


def _share(match: Match, seat: Seat, now: datetime) -> None:
    """Runs the clock of a seat together with the others', if any is running: with the one that ends last."""
    others = [other for other in match.seats if other.deadline is not None and other.deadline >= now]
    if others:
        last = max(others, key=lambda other: other.deadline or NEVER)
        seat.budget, seat.since = last.budget, last.since


def prolong(session: Session, match: Match, seat: Seat, now: datetime) -> bool:
    """Gives a late turn its one extension; False if the match has none or it was used."""
    more = control(match).prolonged(_budget(seat))
    if more is None:
        return False
    seat.budget = {**(seat.budget or {}), **_kept(more)}
    compute(session, match, seat, now)
    return True


def is_late(seat: Seat) -> bool:
    """Whether a seat is in the extension that a match gives once after a turn's time is up."""
    return seat.since is not None and _is_prolonged(seat)


def _is_prolonged(seat: Seat) -> bool:
    return seat.budget is not None and seat.budget["count"] == 1 and control(seat.match).late == "extend"


def stop_for_takeback(seat: Seat) -> None:
    """Stops a seat's clock because its turn didn't count. If the turn was late, its time in the next one is as usual,
    and may be extended again."""
    if _is_prolonged(seat):
        seat.budget = _kept(control(seat.match).begin())
    seat.since = seat.deadline = seat.remind = None


def extend(session: Session, match: Match, seat: Seat, by: timedelta, now: datetime) -> None:
    """Gives time to a seat whose clock is running."""
    seat.budget = {**(seat.budget or {}), **_kept(_budget(seat).extended(by))}
    compute(session, match, seat, now)


def spend_vacation(session: Session, match: Match, seat: Seat) -> bool:
    """Spends a day of the player's vacation when time has run out; False if there is none to spend.

    If everybody may notice, the day stops the player's clocks in other matches too, and these have to be calculated
    again. If not, it counts in this match alone.
    """
    player = seat.player
    if player is None or seat.deadline is None or not (player.vacation and control(match).spends_vacation):
        return False
    day = vacation_day(seat.deadline, vacation_of(session, match, player.id))
    if day is None:
        return False
    only = None if is_absence_public(match) else match.id
    key = f"vacation:{player.id}:{day[0].isoformat()}" + (f":{only}" if only else "")
    spent = insert_once(session, TimeOff, key=key, begins=day[0], ends=day[1], player_id=player.id, match_id=only)
    # Another sweep may have spent the same day for another match, whose time ran out at the same moment.
    return spent is not None or day in vacation_of(session, match, player.id)


def is_absence_public(match: Match) -> bool:
    """Whether everybody sees who the match waits for. If several are awaited, some of them may have chosen."""
    return sum(seat.awaited for seat in match.seats) == 1 and not hides_names(match)


def vacation_of(session: Session, match: Match, player_id: int) -> list[Stretch]:
    """The days of vacation that a player has spent and that count in a match, in order."""
    spent = select(TimeOff.begins, TimeOff.ends).where(_counts_in(match, player_id)).order_by(TimeOff.begins)
    return [(begins, ends) for begins, ends in session.execute(spent)]


def on_vacation_until(session: Session, match: Match, player_id: int, now: datetime) -> datetime | None:
    """When the vacation that now stops a player's clock in a match ends; None if there is none."""
    days = select(func.max(TimeOff.ends)).where(_counts_in(match, player_id))
    until: datetime | None = session.scalar(days.where(TimeOff.begins <= now, TimeOff.ends > now))
    return until


def _counts_in(match: Match, player_id: int) -> ColumnElement[bool]:
    """A player's days of vacation that count in a match. Days spent elsewhere would show who plays anonymously."""
    here = TimeOff.match_id == match.id
    counts = here if hides_names(match) else or_(here, TimeOff.match_id.is_(None))
    return and_(TimeOff.player_id == player_id, counts)


def times_off(session: Session, match: Match, seat: Seat) -> Sequence[Stretch]:
    """The times that don't count in a running turn: outages, pauses of the match, the player's vacation."""
    player = seat.player_id if control(match).spends_vacation else None
    everywhere = None if hides_names(match) else player
    # What a move changes doesn't affect this query, so it needn't be flushed first, and again after. The connection
    # runs it in half the session's time.
    wanted = {"since": seat.since, "match": match.id, "player": player, "everywhere": everywhere}
    return [(begins, ends) for begins, ends in session.connection().execute(_OFF, wanted)]


def _budget(seat: Seat) -> Budget:
    return _read(seat.budget)


def _read(kept: dict[str, Any] | None) -> Budget:
    return Budget(timedelta(seconds=kept["main"]), timedelta(seconds=kept["over"]), kept["count"]) if kept else Budget()


def _kept(budget: Budget) -> dict[str, Any]:
    return {"main": budget.main.total_seconds(), "over": budget.over.total_seconds(), "count": budget.count}
