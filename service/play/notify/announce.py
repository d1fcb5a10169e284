"""Who is owed which letter after something happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from service.engine.game import Position
from service.play.orders.submit import mark
from service.play.site import Nudges
from service.play.table import teams
from service.store.insert import insert_once
from service.store.models import Letter, Match, Place, Player, Seat, Submission

UNASKED = (
    *("turn", "reminder", "result", "begun", "declined", "invitation", "said", "extended", "agreement"),
    *("bounces", "late", "digest", "seat", "sought", "taken", "substitute", "released", "left", "fewer"),
)
"""The kinds of letters that a player may stop. One not sent for this reason has no error and is not due."""

ANSWERS = ("answer", "refusal", "noted", "confirm", "ahead", "unheard", "undone", "rematch", "receipt")
"""The kinds of letters that answer a mail."""

NOTHING_AHEAD: Mapping[int, str] = {}


def owe(
    session: Session, now: datetime, kind: str, key: str, player_id: int, match_id: int | None = None, **data: object
) -> Nudges:
    """Owes a player the letter `key`, once."""
    values = {"kind": kind, "player_id": player_id, "match_id": match_id, "data": data, "created": now, "due": now}
    letter = insert_once(session, Letter, key=key, attempts=0, error="", **values)
    return [] if letter is None else [("deliver", letter.id)]


def tell(session: Session, now: datetime, kind: str, key: str, seats: Iterable[Place], **data: object) -> Nudges:
    """Owes the players of these places a letter about their match, each once: for seat 2 it is `key:2`."""
    return [nudge for seat in seats for nudge in tell_seat(session, now, kind, f"{key}:{seat.label}", seat, **data)]


def tell_about(
    session: Session, now: datetime, kind: str, key: str, seats: Iterable[Place], about: Place, **data: object
) -> Nudges:
    """`tell` of the player of one place: of a team by name, where none are hidden, and to a partner as of a partner."""
    name = teams.called(about.match, about)
    named, nudges = {"who": name} if name else {}, Nudges()
    for seat in seats:
        mate = {"mate": 1} if seat is not about and seat.number == about.number else {}
        more = {"by": about.number, **named, **mate, **data}
        nudges += tell_seat(session, now, kind, f"{key}:{seat.label}", seat, **more)
    return nudges


def tell_seat(session: Session, now: datetime, kind: str, key: str, seat: Place, **data: object) -> Nudges:
    """Owes the player of a place the letter `key`, once, about the match as it stands; bots are owed none."""
    if seat.player is None or seat.player.email is None:
        return []
    return owe(session, now, kind, key, seat.player.id, seat.match_id, ply=seat.match.ply, seat=seat.number, **data)


def until(seat: Place) -> dict[str, str]:
    """When the clock of a seat ends, as letters keep it; nothing where it does not run, or for another of the team."""
    return {} if not isinstance(seat, Seat) or seat.deadline is None else {"deadline": seat.deadline.isoformat()}


def announce(
    session: Session,
    now: datetime,
    match: Match,
    before: Position | None,
    after: Position,
    ahead: Mapping[int, str] = NOTHING_AHEAD,
) -> Nudges:
    """Owes the letters that the step from `before` (None: the match begins) to `after` calls for.

    `ahead` is what `ahead.fire` returned: who has replied already need not be called.
    """
    if after.outcome is not None:
        return _owe_seats(session, now, "result", match, match.places)
    called = set(after.turns)
    if before is not None and after.round == before.round:
        called -= set(before.turns)
    called -= {seat for seat, dropped in ahead.items() if not dropped}
    nudges = _owe_seats(session, now, "turn", match, (seat for seat in match.seats if seat.number in called), ahead)
    if before is None:
        called = {id(match.seats[number]) for number in after.turns}
        nudges += _owe_seats(session, now, "begun", match, (one for one in match.places if id(one) not in called))
    if any(seat.player and seat.player.bot for seat in match.seats if seat.number in after.turns):
        nudges.append(("think", match.id))
    return nudges


def answer_mail(session: Session, now: datetime, submission: Submission, kind: str, **data: object) -> Nudges:
    """Owes the writer of a mailed order its answer: `refusal`, or `noted` for a choice nobody else sees yet, which is
    a receipt.

    An order given ahead has nobody waiting for its verdict, so a letter tells it too. An order among other commands
    has no mail of its own: the one answer to them all tells what became of it.
    """
    if submission.mail_id is None and submission.door != "ahead":
        return []
    key, writer = f"{kind}:{mark(submission)}", submission.player_id
    if kind == "noted" and not session.get_one(Player, writer).receipts:
        return []
    own = session.get_one(Match, submission.match_id).place_of(writer)
    # Whose seat it was once sees what everybody does.
    outside = {} if own is not None and own.number == submission.seat else {"outside": 1}
    return owe(session, now, kind, key, writer, submission.match_id, submission=submission.id, **outside, **data)


def _owe_seats(
    session: Session,
    now: datetime,
    kind: str,
    match: Match,
    seats: Iterable[Place],
    dropped: Mapping[int, str] = NOTHING_AHEAD,
) -> Nudges:
    key, nudges = f"{kind}:{match.id}:{match.round}", Nudges()
    for seat in seats:
        more = {"dropped": dropped[seat.number]} if seat.number in dropped else {}
        nudges += tell_seat(session, now, kind, f"{key}:{seat.label}", seat, **until(seat), **more)
    return nudges
