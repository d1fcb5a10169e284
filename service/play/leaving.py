"""All that is kept of a player, for them to take away; and leaving for good."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Table, delete, select, update
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play import browse, press
from service.play.house import House
from service.play.submit import Order, keep
from service.store.access import AddressChange, Passkey, Password
from service.store.models import (
    IncomingMail,
    Letter,
    Match,
    Note,
    Player,
    PostedMail,
    Row,
    Saying,
    Seat,
    Variation,
    Visit,
)

NAME = "A former player"
"""What others see of somebody who has left."""

_SECRET = {"key", "hash", "public_key", "credential"}
"""Columns that open something, and so are not copied out."""


def everything(house: House, player_id: int) -> dict[str, Any]:
    """All that is kept of a player, as JSON: their rows by table, and their matches as they may see them."""
    with house.store.reading() as session:
        kept = {table.name: _own_rows(session, table, player_id) for table in Row.metadata.sorted_tables}
        own = select(Match).join(Seat).where(Seat.player_id == player_id).order_by(Match.id)
        return {
            "player": _own_rows(session, Row.metadata.tables["player"], player_id),
            "matches": [_match(session, match, player_id) for match in session.scalars(own)],
            **{name: rows for name, rows in kept.items() if rows and name != "player"},
        }


def leave(house: House, player_id: int) -> None:
    """Resigns a player's running matches, calls off those not begun, and forgets who they were. Twice is once."""
    now = house.now()
    with house.store.writing() as session:
        player = session.get_one(Player, player_id, with_for_update=True)
        if player.left is not None:
            return
        running = [_give_up(session, seat, now) for seat in _seats(session, player_id, "running")]
        for seat in _seats(session, player_id, "open"):
            seat.match.state, seat.match.moved = "declined", now
        _forget(session, player)
        player.left = now
    house.nudge_all([("adjudicate", match_id) for match_id in running])


def _seats(session: Session, player_id: int, state: str) -> list[Seat]:
    return list(session.scalars(select(Seat).join(Match).where(Seat.player_id == player_id, Match.state == state)))


def _give_up(session: Session, seat: Seat, now: datetime) -> int:
    """Resigns by the door that all orders come in by; returns the match's id."""
    key = f"leave:{seat.match_id}:{seat.player_id}"
    assert seat.player_id is not None, "Only those who sit there resign."
    keep(session, Order(key, seat.match_id, seat.number, seat.player_id, None, "resign", "web"), now)
    return seat.match_id


def _forget(session: Session, player: Player) -> None:
    """Removes what tells who somebody was. Moves, remarks and what was said at tables stay with the matches."""
    session.execute(delete(PostedMail).where(PostedMail.recipient == player.email))
    for row in (Visit, Password, Passkey, AddressChange):
        session.execute(delete(row).where(row.player_id == player.id))
    session.execute(delete(Note).where(Note.player_id == player.id))
    session.execute(delete(Variation).where(Variation.player_id == player.id))
    session.execute(update(Letter).where(Letter.player_id == player.id, Letter.sent.is_(None)).values(due=None))
    mails = update(IncomingMail).where(IncomingMail.player_id == player.id)
    session.execute(mails.values(raw=b"", verdict="forgotten"))
    player.name, player.email, player.zone, player.bounced = NAME, None, "", None


def _own_rows(session: Session, table: Table, player_id: int) -> list[dict[str, Any]]:
    owner = next((column for column in table.columns if column.name == "player_id"), None)
    if table.name == "player":
        owner = table.c.id
    if owner is None:
        return []
    shown = [column for column in table.columns if column.name not in _SECRET]
    return [
        {column.name: _plain(value) for column, value in zip(shown, row, strict=True)}
        for row in session.execute(select(*shown).where(owner == player_id))
    ]


def _match(session: Session, match: Match, player_id: int) -> dict[str, Any]:
    own = next(seat.number for seat in match.seats if seat.player_id == player_id)
    sides = GAMES[match.game].sides(len(match.seats))
    entries = browse.visible_entries(session, match, own)
    said = select(Saying).where(Saying.match_id == match.id, Saying.player_id == player_id).order_by(Saying.id)
    return {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "state": match.state,
        "players": {sides[seat.number]: "" if press.hides_names(match) else browse.name(seat) for seat in match.seats},
        "moves": [f"{entry.side}: {entry.move}" for entry in entries],
        "said": [{"text": saying.text, "said": saying.said.isoformat()} for saying in session.scalars(said)],
    }


def _plain(value: object) -> object:
    """A value as JSON knows it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
