"""When a letter may go: what its reader has chosen, and what forbids it altogether."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session

from service.play.announce import ANSWERS, UNASKED
from service.play.house import House
from service.store.models import Letter, Match, Place, Player, Seat, Teammate

CHOICES = ("instant", "unseen", "digest", "off")
"""Every mail at once; a turn only if the page was not looked at for a while; turns once or more a day; none."""

HERE = ("", "instant", "unseen", "digest", "mute", "off")
"""The same for one match: as everywhere; with `mute` nothing but reminders, with `off` not even these."""

UNSEEN_FOR = timedelta(minutes=30)

TURNS = ("turn", "begun")
"""The letters that wait to be seen, and that a digest replaces."""

URGENT = ("reminder", "digest")
"""The letters that neither a digest nor the most letters of a day holds back: time is running out, or it is them."""

MOST = 10_000
QUESTIONS = 10
ENOUGH = "this address had its automatic answers for the day"


class ChoiceError(ValueError):
    """Hours or a choice there are none of. The message is one sentence for the player."""


def choose(session: Session, player: Player, post: str, hours: str = "") -> None:
    """Sets when the player gets mails; raises ChoiceError.

    `hours`, such as `8 20`, are those of a digest and of what was too much for a day; "" keeps the former ones.
    To be rid of all mails, what was chosen for single matches is forgotten too.
    """
    if post not in CHOICES:
        raise ChoiceError(f"{post[:40]!r} is no way to get mails; choose {', '.join(CHOICES[:-1])} or {CHOICES[-1]}.")
    if hours.strip():
        player.digest_hours = " ".join(map(str, _hours(hours)))
    if post == "off":
        for place in (Seat, Teammate):
            session.execute(update(place).where(place.player_id == player.id).values(post=""))
    player.post = post


def choose_here(seat: Place, post: str) -> None:
    """Sets when the player gets mails about one match; raises ChoiceError."""
    if post not in HERE:
        raise ChoiceError(f"{post[:40]!r} is no way to get mails about a match; choose {', '.join(HERE[1:])}.")
    seat.post = post


def choose_most(player: Player, most: str) -> None:
    """Sets how many letters a day the player gets at most, "" for as many as there are; raises ChoiceError."""
    if most.strip() and not (most.strip().isdecimal() and 0 < int(most.strip()[:9]) <= MOST):
        raise ChoiceError(f"Write a number of mails a day from 1 to {MOST:,}, or none for no limit of yours.")
    player.most = int(most) if most.strip() else None


def keep_here(house: House, match_id: int, player_id: int, post: str) -> None:
    """`choose_here` for the player's seat in a match; raises ChoiceError."""
    with house.store.writing() as session:
        # A move must not pass the seat on meanwhile.
        match = session.get(Match, match_id, with_for_update=True)
        seat = None if match is None else match.place_of(player_id)
        if seat is None:
            raise ChoiceError("You have no seat in this match.")
        choose_here(seat, post)


def wanted(session: Session, now: datetime, letter: Letter, limit: int) -> datetime | Literal["held"] | None:
    """When its reader wants a letter: now, later, held for their digest, or None for never.

    What answers their own mail is always wanted; an address that bounces gets nothing else for now. A day has `limit`
    letters (0: any number), or what the reader chose.
    """
    if letter.kind not in UNASKED:
        return now
    player = session.get_one(Player, letter.player_id)
    match = None if letter.match_id is None else session.get_one(Match, letter.match_id)
    seat = None if match is None else match.place_of(letter.player_id)
    post = (seat.post if seat is not None else "") or player.post
    if post == "off" or (post == "mute" and letter.kind != "reminder"):
        return None
    if letter.kind in URGENT:
        return now if player.bounced is None else None
    if player.bounced is not None:
        return "held"
    if letter.kind in TURNS and post == "digest":
        return "held"
    if letter.kind in TURNS and post == "unseen":
        if seat is not None and seat.seen is not None and seat.seen >= letter.created:
            return None
        if now < letter.created + UNSEEN_FOR:
            return letter.created + UNSEEN_FOR
    return "held" if _had_enough(session, now, player, limit) else now


def _had_enough(session: Session, now: datetime, player: Player, limit: int) -> bool:
    most = min(filter(None, (player.most, limit)), default=0)
    if not most:
        return False
    counted = [kind for kind in UNASKED if kind not in URGENT]
    today = (Letter.player_id == player.id, Letter.sent > now - timedelta(days=1), Letter.kind.in_(counted))
    return (session.scalar(select(func.count()).where(*today)) or 0) >= most


def forbidden(session: Session, now: datetime, letter: Letter, limit: int) -> str:
    """What forbids to send this letter at all; "" if nothing does.

    Of automatic answers there are `limit` in 24 hours, of questions whether a mail is the reader's, which anybody can
    provoke, few: two machines must not write to each other for ever, and nobody through us to a third.
    """
    if letter.kind not in ANSWERS:
        return ""
    kinds: tuple[str, ...] = ANSWERS
    if letter.kind == "confirm":
        limit, kinds = min(limit, QUESTIONS), ("confirm",)
    sent = select(func.count()).where(
        Letter.player_id == letter.player_id, Letter.kind.in_(kinds), Letter.sent > now - timedelta(days=1)
    )
    return ENOUGH if (session.scalar(sent) or 0) >= limit else ""


def saw(house: House, match_id: int, player_id: int) -> None:
    """Notes that a player looked at a match, where a letter may wait for that."""
    caring = (
        select(Seat.number)
        .join(Seat.player)
        .where(Seat.match_id == match_id, Seat.player_id == player_id, Seat.to_move)
        .where(or_(Seat.post == "unseen", and_(Seat.post == "", Player.post == "unseen")))
    )
    with house.store.reading() as session:
        number = session.scalars(caring).first()
    if number is not None:
        with house.store.writing() as session:
            own = update(Seat).where(Seat.match_id == match_id, Seat.number == number, Seat.player_id == player_id)
            session.execute(own.values(seen=house.now()))


def _hours(text: str) -> Sequence[int]:
    words = re.split(r"[\s,]+", text.strip())
    if not all(re.fullmatch(r"\d{1,2}", word) and int(word) < 24 for word in words):
        raise ChoiceError("Write the hours of the day from 0 to 23, for example digest 8 20.")
    return sorted({int(word) for word in words})
