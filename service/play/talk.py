"""What the players of a match say to each other, and what each notes for themselves alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play import peace
from service.play.announce import owe
from service.play.house import House, Nudges
from service.play.submit import insert_once
from service.store.models import Block, Match, Note, Saying, Seat

LONGEST_SAYING = 2_000
LONGEST_NOTE = 20_000
HEARD = 200
"""How many of the latest messages a page shows."""


class TalkError(ValueError):
    """A message or note that cannot be taken. The message is one sentence for its writer."""


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A message the viewer may read; `to` is a side's name, or "" if it was for the whole table."""

    side: str
    name: str
    to: str
    text: str
    said: datetime


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation of a match as one viewer may read it. `may_speak` where somebody would listen."""

    lines: tuple[SaidLine, ...]
    may_speak: bool
    may_note: bool
    note: str


def heard(house: House, match_id: int, player_id: int | None) -> Talk:
    """The conversation and the viewer's own note. Watchers hear the table once the match is over, and no whispers."""
    with house.store.reading() as session:
        match = session.get_one(Match, match_id)
        own = _seat(match, player_id)
        note = None if player_id is None or own is None else session.get(Note, (player_id, match_id))
        return Talk(
            lines=_lines(session, match, own) if own or match.state == "over" else (),
            may_speak=own is not None and own.accepted and bool(_listeners(match, own)),
            may_note=own is not None,
            note=note.text if note else "",
        )


def say(house: House, match_id: int, player_id: int, text: str, key: str) -> None:
    """Says something to everybody at the table, once for each key; raises TalkError."""
    with house.store.writing() as session:
        match = session.get(Match, match_id)
        own = None if match is None else _seat(match, player_id)
        if match is None or own is None or not own.accepted:
            raise TalkError("Only those who have a seat in this match talk at its table.")
        nudges = speak(session, house.now(), match, own, text, key)
    house.nudge_all(nudges)


def speak(
    session: Session, now: datetime, match: Match, own: Seat, text: str, key: str, to: Seat | None = None
) -> Nudges:
    """`say` within a transaction of the caller's, to one other seat if wanted; raises TalkError."""
    text = _measured(text, LONGEST_SAYING, "A message")
    if not text.strip():
        raise TalkError("A message needs at least one word.")
    number = None if to is None else to.number
    saying = {"match_id": match.id, "seat": own.number, "to": number, "text": text, "said": now}
    if not insert_once(session, Saying, key=key, **saying):
        return []
    away = peace.keeping_away(session, match, own.player_id)
    return [
        nudge
        for seat in _listeners(match, own)
        if seat.player_id not in away
        and to in (None, seat)
        and seat.player is not None
        and seat.player.email is not None
        for nudge in owe(
            session,
            now,
            "said",
            f"said:{key}:{seat.number}"[:200],
            seat.player.id,
            match.id,
            seat=seat.number,
            by=own.number,
            text=text,
            ply=match.ply,
            only=to is not None,
        )
    ]


def keep_note(house: House, match_id: int, player_id: int, text: str) -> None:
    """Keeps a player's own note on a match in place of the one before; raises TalkError."""
    text = _measured(text, LONGEST_NOTE, "A note")
    with house.store.writing() as session:
        match = session.get(Match, match_id)
        if match is None or _seat(match, player_id) is None:
            raise TalkError("Only those who have a seat in this match keep notes on it.")
        session.execute(delete(Note).where(Note.player_id == player_id, Note.match_id == match_id))
        if text.strip():
            session.add(Note(player_id=player_id, match_id=match_id, text=text))


def _seat(match: Match, player_id: int | None) -> Seat | None:
    return next((seat for seat in match.seats if player_id is not None and seat.player_id == player_id), None)


def _listeners(match: Match, own: Seat) -> list[Seat]:
    """The other people at the table. Who has not accepted an invitation yet is not talked to."""
    others = [seat for seat in match.seats if seat is not own and seat.accepted]
    return [seat for seat in others if seat.player is not None and seat.player.bot is None]


def _lines(session: Session, match: Match, own: Seat | None) -> tuple[SaidLine, ...]:
    sides = GAMES[match.game].sides(len(match.seats))
    latest = select(Saying).where(Saying.match_id == match.id).order_by(Saying.id.desc()).limit(HEARD)
    away = set() if own is None else _kept_away(session, own.player_id)
    return tuple(
        SaidLine(
            side=sides[saying.seat],
            name=_name(match, saying.seat),
            to="" if saying.to is None else sides[saying.to],
            text=saying.text,
            said=saying.said,
        )
        for saying in reversed(session.scalars(latest).all())
        if match.seats[saying.seat].player_id not in away
        and (saying.to is None or (own is not None and own.number in (saying.seat, saying.to)))
    )


def _kept_away(session: Session, player_id: int | None) -> set[int]:
    return set(session.scalars(select(Block.other_id).where(Block.player_id == player_id)))


def _name(match: Match, seat: int) -> str:
    player = match.seats[seat].player
    return player.name if player else ""


def _measured(text: str, longest: int, what: str) -> str:
    """The text as typed, with the line ends of our own; raises TalkError if it is too long."""
    text = text.replace("\r\n", "\n").replace("\0", "")
    if len(text) > longest:
        raise TalkError(f"{what} has at most {longest:,} characters; this one has {len(text):,}.")
    return text
