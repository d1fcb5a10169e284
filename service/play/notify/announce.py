"""Who is owed which letter after something happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from service.clock.control import Control
from service.engine.game import Position
from service.play.letter_contents import Contents, OfPlayer, OrderAnswer, Seen
from service.play.letter_kinds import Account, AccountEvent, Begun, Departed, Result, Reviewed, Saved, Turn
from service.play.links import mark
from service.play.notify import doors
from service.play.site import Transaction
from service.play.table import teams
from service.store.entries import timed_out
from service.store.insert import insert_once
from service.store.models import Match, Place, Player, Seat, Submission
from service.store.tables.mail_rows import Letter

NOTHING_AHEAD: Mapping[int, str] = {}


def owe(tx: Transaction, key: str, player_id: int, contents: Contents, match_id: int | None = None) -> Letter | None:
    """Owes a player the letter `key`, once: returns None the second time."""
    values = {"kind": contents.kind, "data": contents.to_json(), "player_id": player_id, "match_id": match_id}
    values |= {"created": tx.now, "due": tx.now, "trail": tx.trail}
    letter = insert_once(tx.session, Letter, key=key, attempts=0, error="", **values)
    if letter is not None:
        tx.nudge("deliver", letter.id, letter)
    return letter


def owe_owner(tx: Transaction, key: str, player_id: int, event: AccountEvent, name: str) -> None:
    """Owes an email, once, about a token or a hook of a player: to the player or, if it's a bot, to its owner."""
    player = tx.session.get_one(Player, player_id)
    reader = player if player.owner_id is None else tx.session.get_one(Player, player.owner_id)
    if reader.email is not None:
        owe(tx, f"account:{reader.id}:{key}", reader.id, Account(event=event, name=name, holder=player.name))


def tell(tx: Transaction, key: str, seats: Iterable[Place], contents: Seen) -> None:
    """Owes the players of these places a letter about their match, each once: for seat 2 it is `key:2`."""
    for seat in seats:
        tell_seat(tx, f"{key}:{seat.label}", seat, contents)


def tell_about(tx: Transaction, key: str, seats: Iterable[Place], about: Place, contents: OfPlayer) -> None:
    """`tell` about the player of one place: a team's player by name, unless names are hidden, and as a partner to a
    partner."""
    named = replace(contents, who=teams.called(about.match, about) or "")
    for seat in seats:
        is_mate = seat is not about and seat.number == about.number
        tell_seat(tx, f"{key}:{seat.label}", seat, replace(named, mate=is_mate))


def tell_seat(tx: Transaction, key: str, seat: Place, contents: Seen) -> None:
    """Owes the player of a place the letter `key`, once, about the current match, and notifies their hooks and devices.
    Players without an address, such as bots, are owed no email."""
    if seat.player is None:
        return
    seen = replace(contents, ply=seat.match.ply, seat=seat.number)
    if seat.player.email is not None:
        owe(tx, key, seat.player.id, seen, seat.match_id)
    doors.call(tx, key, seat.player.id, seen, seat.match)


def until(seat: Place) -> datetime | None:
    """When the clock of a seat ends; None if it isn't running, or if it's another team member's turn."""
    return seat.deadline if isinstance(seat, Seat) else None


def announce(
    tx: Transaction,
    match: Match,
    before: Position | None,
    after: Position,
    ahead: Mapping[int, str] = NOTHING_AHEAD,
    remark: str = "",
) -> None:
    """Owes the letters that the step from `before` (None: the match begins) to `after` calls for.

    `ahead` is what `conditional.fire` returned: a seat that has replied already needn't be called. A `remark` is read
    by all that are still to answer.
    """
    if after.outcome is not None:
        tell(tx, f"result:{match.id}:{match.round}", match.places, Result())
        return
    called = set(after.turns)
    if before is not None and (after.round == before.round or (not remark and _is_asked_still(before, after))):
        called -= set(before.turns)
    called -= {seat for seat, dropped in ahead.items() if not dropped}
    sealed = _still_sealed(tx, match, before, after)
    # In the order of the seats: the first letter is sent before the others, so it mustn't depend on who has chosen.
    for seat in (match.seats[number] for number in sorted(called | sealed)):
        turn = Turn(deadline=until(seat), dropped=ahead.get(seat.number, ""))
        news = Departed() if seat.number in sealed else turn
        tell_seat(tx, f"{news.kind}:{match.id}:{match.round}:{seat.label}", seat, news)
    call_bots(tx, match, after)


def _still_sealed(tx: Transaction, match: Match, before: Position | None, after: Position) -> set[int]:
    """The seats that have sealed a choice for a round that goes on although somebody has left in it. None if time was
    up on a clock that all share, because the round is about to end. What decides is public, or the players who get no
    letter would learn that others have sealed a choice."""
    if before is None or not after.sealed_since <= before.round < after.round:
        return set()
    gone = {*before.active} - {*after.active}
    if Control.parse(match.clock).by_round and gone <= timed_out(tx.session, match):
        return set()
    return {*after.public_turns} - {*after.turns}


def _is_asked_still(before: Position, after: Position) -> bool:
    """Whether the same proposal is still on the table, so that those who haven't accepted it needn't be asked again.

    They are if somebody has left, because the count is another one then; and so is the last of them, since all the
    others wait for that player now.
    """
    then, now = ((one.phase, one.asked_since, one.active) for one in (before, after))
    return then == now and after.phase == "scoring" and len(after.turns) > 1


def tell_begun(tx: Transaction, match: Match, position: Position) -> None:
    """Tells those who aren't the first to move that a match has begun."""
    called = {id(match.seats[number]) for number in position.turns}
    waiting = (one for one in match.places if id(one) not in called)
    tell(tx, f"begun:{match.id}:{match.round}", waiting, Begun())


def call_bots(tx: Transaction, match: Match, position: Position) -> None:
    """Nudges the computer opponents that the match waits for, or that were offered a draw."""
    asked = {*position.turns} if position.offer is None else {*position.active} - {position.offer} | {*position.turns}
    if any(seat.player and seat.player.bot for seat in match.seats if seat.number in asked):
        tx.nudge("think", match.id)


def answer_mail(tx: Transaction, submission: Submission, contents: OrderAnswer) -> None:
    """Owes the sender of an emailed order its answer.

    Nobody is waiting for the verdict on a conditional move, so that is emailed too. An order among other commands gets
    no separate email: the answer to all of them has its result. Only a review comes later, in one of its own.
    """
    is_review = isinstance(contents, Reviewed) and submission.door == "mail"
    if submission.mail_id is None and submission.door != "ahead" and not is_review:
        return
    writer = tx.session.get_one(Player, submission.player_id)
    # A guest's conditional move gets no email, nor does a player who has deleted the account meanwhile.
    if writer.email is None or (isinstance(contents, Saved) and not writer.receipts):
        return
    own = tx.session.get_one(Match, submission.match_id).place_of(writer.id)
    # A former player of the seat sees what everybody sees.
    outside = own is None or own.number != submission.seat
    key = f"{contents.category}:{mark(submission)}"
    owe(tx, key, writer.id, replace(contents, outside=outside), submission.match_id)
