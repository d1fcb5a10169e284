"""Which players have blocked which. A block between people applies to all bots of both, also those made later, because
their owners answer for them and read what they receive. A block of a bot, or by a bot, applies to that bot only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from sqlalchemy import (
    ColumnElement,
    Integer,
    ScalarSelect,
    Select,
    SQLColumnExpression,
    bindparam,
    exists,
    literal,
    or_,
    select,
)
from sqlalchemy.orm import Session, aliased

from service.store.models import Player
from service.store.tables.player_data import Block

Who: TypeAlias = int | SQLColumnExpression[int] | SQLColumnExpression[int | None]
"""A player's id, or the SQL expression for it. If that is NULL, there's no block."""

_BOT = aliased(Player)
"""A player whose owner is asked for. To make another alias for each statement would take a millisecond each time."""


def apart(one: Who, other: Who) -> ColumnElement[bool]:
    """Whether one of two players has blocked the other."""
    return or_(between(one, other), between(other, one))


def between(keeper: Who, other: Who) -> ColumnElement[bool]:
    """Whether a player has blocked another. Nobody blocks themselves, though an owner may have blocked their own
    bot."""
    keeper, other = (literal(who) if isinstance(who, int) else who for who in (keeper, other))
    keeping, kept = Block.player_id.in_((keeper, _owner(keeper))), Block.other_id.in_((other, _owner(other)))
    return exists().where(keeping, kept, keeper != other).correlate_except(Block)


def _owner(player_id: Who) -> ScalarSelect[int | None]:
    return select(_BOT.owner_id).where(_BOT.id == player_id).correlate_except(_BOT).scalar_subquery()


_AMONG = select(Player.id).where(Player.id.in_(bindparam("among", expanding=True)))
_KEPT_AWAY = _AMONG.where(between(bindparam("one", type_=Integer), Player.id))
_KEEPING_AWAY = _AMONG.where(between(Player.id, bindparam("one", type_=Integer)))


def is_between(session: Session, keeper_id: int, other_id: int) -> bool:
    """Whether a player keeps another away."""
    return other_id in kept_away(session, keeper_id, [other_id])


def kept_away(session: Session, keeper_id: int, among: Iterable[int]) -> set[int]:
    """Those of some players that a player has blocked."""
    return _found(session, _KEPT_AWAY, among, keeper_id)


def keeping_away(session: Session, among: Iterable[int], other_id: int) -> set[int]:
    """Those of some players who have blocked a player."""
    return _found(session, _KEEPING_AWAY, among, other_id)


def _found(session: Session, statement: Select[int], among: Iterable[int], one: int) -> set[int]:
    """Those of some players that a statement finds. It never finds the one they are compared with."""
    others = [*{*among} - {one}]
    return set(session.scalars(statement, {"among": others, "one": one})) if others else set()
