"""When a letter may go: what its reader has chosen, and what forbids it altogether."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from service.play import clocks
from service.play.announce import ANSWERS, UNASKED, owe
from service.play.house import House, Nudges
from service.store.models import Letter, Match, Player, Seat

CHOICES = ("instant", "unseen", "digest", "off")
"""Every mail at once; a turn only if the page was not looked at for a while; turns once or more a day; none."""

UNSEEN_FOR = timedelta(minutes=30)

TURNS = ("turn", "begun")
"""The letters that wait to be seen, and that a digest replaces. A reminder is never held back for either."""

RETURNS = "mail to this address comes back"
ENOUGH = "this address had its automatic answers for the day"


class ChoiceError(ValueError):
    """Hours or a choice there are none of. The message is one sentence for the player."""


def choose(player: Player, post: str, hours: str = "") -> None:
    """Sets when the player gets mails; `hours` are those of a digest, such as `8 20`. Raises ChoiceError."""
    if post not in CHOICES:
        raise ChoiceError(f"{post[:40]!r} is no way to get mails; choose {', '.join(CHOICES[:-1])} or {CHOICES[-1]}.")
    if post == "digest" and hours.strip():
        player.digest_hours = " ".join(map(str, _hours(hours)))
    player.post = post


def keep(house: House, player_id: int, post: str, hours: str) -> None:
    """`choose` for a player by id; raises ChoiceError."""
    with house.store.writing() as session:
        choose(session.get_one(Player, player_id), post, hours)


def wanted(session: Session, now: datetime, letter: Letter) -> datetime | None:
    """When its reader wants a letter: now, later, or None for never. What answers their own mail is always wanted."""
    if letter.kind not in UNASKED:
        return now
    player = session.get_one(Player, letter.player_id)
    seats = select(Seat).where(Seat.match_id == letter.match_id, Seat.player_id == letter.player_id)
    seat = session.scalars(seats).first()
    if player.post == "off" or (seat is not None and seat.muted):
        return None
    if letter.kind not in TURNS or player.post == "instant":
        return now
    if player.post == "digest" or (seat is not None and seat.seen is not None and seat.seen >= letter.created):
        return None
    return letter.created + UNSEEN_FOR


def forbidden(session: Session, now: datetime, letter: Letter, limit: int) -> str:
    """What forbids to send this letter at all; "" if nothing does.

    An address that bounces gets what its owner asks for and nothing else. Of automatic answers there are `limit` in
    24 hours: two machines must not write to each other for ever.
    """
    if letter.kind in UNASKED and session.get_one(Player, letter.player_id).bounced is not None:
        return RETURNS
    if letter.kind not in ANSWERS:
        return ""
    sent = select(func.count()).where(
        Letter.player_id == letter.player_id, Letter.kind.in_(ANSWERS), Letter.sent > now - timedelta(days=1)
    )
    return ENOUGH if (session.scalar(sent) or 0) >= limit else ""


def saw(house: House, match_id: int, player_id: int) -> None:
    """Notes that a player looked at a match, where a letter may wait for that."""
    caring = (
        select(Seat.number)
        .join(Seat.player)
        .where(Seat.match_id == match_id, Seat.player_id == player_id, Seat.to_move, Player.post == "unseen")
    )
    with house.store.reading() as session:
        number = session.scalars(caring).first()
    if number is not None:
        with house.store.writing() as session:
            own = update(Seat).where(Seat.match_id == match_id, Seat.number == number)
            session.execute(own.values(seen=house.now()))


def send_digests(house: House) -> Nudges:
    """Owes a digest to everybody whose hour it is and for whom a match waits: once in each hour chosen."""
    now, nudges = house.now(), Nudges()
    with house.store.reading() as session:
        due = [
            player.id
            for player in session.scalars(select(Player).where(Player.post == "digest"))
            if _is_hour(player, now)
        ]
    for player_id in due:
        with house.store.writing() as session:
            local = now.astimezone(clocks.zone(session.get_one(Player, player_id)))
            key = f"digest:{player_id}:{local:%Y-%m-%dT%H%z}"
            if rows := _waiting(session, player_id):
                nudges += owe(session, now, "digest", key, player_id, rows=rows)
    return nudges


def _is_hour(player: Player, now: datetime) -> bool:
    return player.bounced is None and now.astimezone(clocks.zone(player)).hour in map(int, player.digest_hours.split())


def _waiting(session: Session, player_id: int) -> list[list[int]]:
    """Match, ply and seat of each match that waits for the player and is not muted."""
    waiting = (
        select(Match.id, Match.ply, Seat.number)
        .join(Seat.match)
        .where(Seat.player_id == player_id, Seat.to_move, Seat.muted.is_(False), Match.state == "running")
    )
    return [list(row) for row in session.execute(waiting.order_by(Match.moved).limit(50))]


def _hours(text: str) -> Sequence[int]:
    words = re.split(r"[\s,]+", text.strip())
    if not all(re.fullmatch(r"\d{1,2}", word) and int(word) < 24 for word in words):
        raise ChoiceError("Write the hours of the day from 0 to 23, for example digest 8 20.")
    return sorted({int(word) for word in words})
