"""Everything kept about a player, for them to download (GDPR, Article 20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play.accounts.deletion import columns, fate
from service.play.site import Site
from service.play.table import press, teams
from service.play.table.log import visible_entries
from service.store.entries import Logged, of_all
from service.store.models import Match
from service.store.rows import Row
from service.store.tables.player_data import Saying

_SECRET = {"key", "keys", "seed", "hash", "public_key", "credential", "log", "trail"}
"""Columns that are left out: secrets; the packed log, which `matches` has as moves; and the trail of a letter, whose
number would count the hidden orders of others."""


_OTHERS = {"ply", "rows", "submission", "saying", "mail", "held", "change"}
"""Columns of letters that would reveal what others do: the length of a log with their sealed choices, and row
numbers."""


_NAMES = {"player.owner_id": "bots", "match.creator_id": "opened", "match.importer_id": "imported"}
"""The names of rows that aren't called like their table: the player's bots, and what they made of matches."""


AT_ONCE = 200
"""How many matches are read at a time: a few statements for all of them."""


def everything(site: Site, player_id: int) -> dict[str, Any]:
    """Everything stored about a player, as JSON: their rows by table, and their matches as they may see them."""
    with site.store.reading() as session:
        kept = {
            _NAMES.get(str(column), column.table.name): _own_rows(session, column, player_id)
            for column in columns()
            if fate(column).exported
        }
        for letter in kept["letter"]:
            if letter["kind"] == "account":
                # The result of asking for another address would reveal whether somebody has that address.
                letter["data"] = {}
        return {
            "player": _own_rows(session, Row.metadata.tables["player"].c.id, player_id),
            "matches": [*_matches(session, player_id)],
            **{name: rows for name, rows in kept.items() if rows},
        }


def _own_rows(session: Session, owner: Column[Any], player_id: int) -> list[dict[str, Any]]:
    """The rows in order. Row numbers, except those of players and matches, are replaced by a count of the player's own
    rows from 1."""
    secret = _SECRET | ({"ply"} if owner.table.name in ("submission", "match") else set())
    shown = [column for column in owner.table.columns if column.name not in secret]
    numbers = {column.name: _numbers(session, column, player_id) for column in shown}
    rows = session.execute(select(*shown).where(owner == player_id).order_by(*owner.table.primary_key)).all()
    return [
        {
            column.name: _plain(value) if (known := numbers[column.name]) is None else known.get(value)
            for column, value in zip(shown, row, strict=True)
        }
        for row in rows
    ]


def _numbers(session: Session, column: Column[Any], player_id: int) -> dict[int, int] | None:
    """The new numbers of the player's rows that this column refers to; None if it refers to none."""
    named = next((key.column for key in column.foreign_keys), column if column.name == "id" else None)
    if named is None or named.table.name in ("player", "match") or "player_id" not in named.table.c:
        return None
    own = select(named).where(named.table.c.player_id == player_id).order_by(named)
    return {number: place for place, number in enumerate(session.scalars(own), start=1)}


def _matches(session: Session, player_id: int) -> Iterator[dict[str, Any]]:
    numbers = sorted({*session.scalars(teams.matches_of([player_id]))})
    for begin in range(0, len(numbers), AT_ONCE):
        some = select(Match).where(Match.id.in_(numbers[begin : begin + AT_ONCE])).order_by(Match.id)
        matches = session.scalars(some).all()
        teams.load(session, matches)
        logs, said = of_all(session, matches), _said(session, matches, player_id)
        for match in matches:
            yield _match(session, match, player_id, logs[match.id]) | {"said": said[match.id]}
        session.expunge_all()


def _match(session: Session, match: Match, player_id: int, log: Sequence[Logged]) -> dict[str, Any]:
    own = next(place.number for place in match.places if place.player_id == player_id)
    sides = GAMES[match.game].sides(len(match.seats))
    entries = visible_entries(session, match, own, log=log)
    return {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "state": match.state,
        "players": {
            sides[seat.number]: "" if press.hides_names(match) else teams.names(match, seat.number)
            for seat in match.seats
        },
        "moves": [f"{entry.side}: {entry.move}{' (taken back)' if entry.undone else ''}" for entry in entries],
    }


def _said(session: Session, matches: Sequence[Match], player_id: int) -> dict[int, list[dict[str, str]]]:
    said: dict[int, list[dict[str, str]]] = defaultdict(list)
    own = select(Saying).where(Saying.match_id.in_([match.id for match in matches]), Saying.player_id == player_id)
    for saying in session.scalars(own.order_by(Saying.id)):
        said[saying.match_id].append({"text": saying.text, "said": saying.said.isoformat()})
    return said


def _plain(value: object) -> object:
    """A value that JSON can represent."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name not in _OTHERS}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
