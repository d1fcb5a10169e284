"""Digests: one email, at the hours a player has chosen, with all waiting turns and all letters held back."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from math import ceil
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, CompoundSelect, and_, exists, func, or_, select, union, update
from sqlalchemy.orm import Session

from service.play.letter_kinds import Digest, Turn
from service.play.notify import following, preferences
from service.play.notify.announce import owe
from service.play.outbox import deliver
from service.play.site import Site, Transaction, going_on
from service.play.timekeeping import clocks
from service.store.models import DIGEST, Match, Player, Seat
from service.store.session import Store
from service.store.tables.mail_rows import HELD, Letter

AT_ONCE = 50
"""How many matches, and how many letters, one digest lists. The rest wait for the next one."""

AT_A_TIME = 250
"""How many players are read at once, which is also the least in a sweep if more are due."""

ROUND = timedelta(minutes=5)
"""The time in which all players who are due are checked, if that is possible."""

SPENT = 1 / 2
"""The share of the time between two sweeps that a sweep may spend on digests. The next one continues from there."""

_latest = WeakKeyDictionary[Store, int]()
"""The last player checked by this process's last sweep. The next one begins after them."""


def send_digests(site: Site) -> None:
    """Owes a digest to each player who is due and has something to read: once in each hour they chose."""
    now, until = site.now(), time.monotonic() + SPENT * site.settings.sweep_seconds
    with site.store.reading() as session:
        players = _of_this_hour(session, now)
    for some in _in_turn(players, _latest.get(site.store, 0), site.settings.sweep_seconds / ROUND.total_seconds()):
        with site.store.reading() as session:
            readers = session.scalars(select(Player).where(Player.id.in_(some)).order_by(Player.id))
            due = [player.id for player in readers if _is_due(session, player, now)]
        for player_id in due:
            with going_on("the digest of player", player_id), site.transaction() as tx:
                _send(tx, player_id)
        _latest[site.store] = some[-1]
        if time.monotonic() > until:
            return


# Conditions as the indexes have them, so that they are recognised.
_IDS: CompoundSelect[Any] = union(
    select(Seat.player_id).where(DIGEST),
    select(Player.id).where(DIGEST),
    select(Letter.player_id).where(HELD),
)
_READERS = (
    select(Player.id, Player.zone, Player.digest_hours)
    .where(Player.id.in_(_IDS), Player.bounced.is_(None), Player.email.is_not(None))
    .order_by(Player.id)
)
"""Selects players who get digests, for all matches or some, and players with held letters. Built once, as every sweep
uses it."""


def _of_this_hour(session: Session, now: datetime) -> list[int]:
    """The readers who are due. Many share a time zone and hours, so each pair is checked once.

    An hour that is skipped when clocks are put forward is the one that they show instead.
    """

    @cache
    def is_hour(zone: str, hours: str) -> bool:
        here = clocks.zone_called(zone)
        today = now.astimezone(here)
        shown = (today.replace(hour=int(hour)).astimezone(UTC).astimezone(here) for hour in hours.split())
        return any(chosen.hour == today.hour for chosen in shown)

    return [number for number, zone, hours in session.execute(_READERS) if is_hour(zone, hours)]


def _in_turn(players: Sequence[int], after: int, part: float) -> Iterator[Sequence[int]]:
    """At least this share of the players, AT_A_TIME at once, starting after the last one checked."""
    first = bisect_right(players, after)
    turn = [*players[first:], *players[:first]][: max(AT_A_TIME, ceil(part * len(players)))]
    return (turn[at : at + AT_A_TIME] for at in range(0, len(turn), AT_A_TIME))


def _is_due(session: Session, player: Player, now: datetime) -> bool:
    """Whether there is something to report, and no digest has been sent in this hour."""
    if session.scalar(select(exists().where(Letter.key == _key(player, now)))):
        return False
    held = exists().where(Letter.player_id == player.id, HELD, _wants(player))
    return bool(session.scalar(select(held)) or _waiting(session, player) or _news(session, player))


def _key(player: Player, now: datetime) -> str:
    return f"digest:{player.id}:{now.astimezone(clocks.zone(player)):%Y-%m-%dT%H}"


def _send(tx: Transaction, player_id: int) -> None:
    # Locked as by a change of their choices, which may release the letters that this lists.
    player = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
    rows = _waiting(tx.session, player)
    told = [letter.id for letter in _held(tx.session, player) if deliver.is_readable(letter)]
    news = _news(tx.session, player)
    here = player.post != "digest" and bool(tx.session.scalar(select(preferences.digests_some(player.id))))
    digest = Digest(rows=tuple(rows), held=tuple(told), news=news, here=here)
    if not (rows or told or news) or owe(tx, _key(player, tx.now), player.id, digest) is not None:
        _release(tx.session, player, [row[0] for row in rows], told)


def _release(session: Session, player: Player, matches: list[int], told: list[int]) -> None:
    """Stops holding back what a digest contains: letters, and turns, which come with their match.

    If the match no longer waits, there is nothing left to say about a turn.
    """
    turns = update(Letter).where(Letter.player_id == player.id, HELD, Letter.kind == Turn.kind)
    session.execute(turns.where(or_(Letter.match_id.in_(matches), ~_waits(player))).values(held=False))
    session.execute(update(Letter).where(Letter.id.in_(told)).values(held=False))


def _waits(player: Player) -> ColumnElement[bool]:
    """Whether the match of a letter still waits for the player."""
    return exists().where(Seat.match_id == Letter.match_id, Seat.player_id == player.id, Seat.to_move)


def _wants(player: Player) -> ColumnElement[bool]:
    """Whether the player still wants the letter. One who gets no emails wants those about the matches they chose."""
    if player.post == "off":
        return preferences.keeps_some(player.id, Letter.match_id)
    return ~preferences.is_silent(player.id, Letter.match_id)


def _waiting(session: Session, player: Player) -> list[tuple[int, int, int, str]]:
    """Match, ply, seat and deadline of each match that waits for the player and belongs in the digest."""
    chosen = Seat.post == "digest"
    if player.post == "digest":
        chosen = or_(chosen, Seat.post == "")
    held = and_(
        Seat.post.in_(preferences.KEPT) if player.post == "off" else Seat.post.not_in(("mute", "off")),
        exists().where(Letter.player_id == player.id, HELD, Letter.match_id == Seat.match_id),
    )
    waiting = (
        select(Match.id, Match.ply, Seat.number, Seat.deadline)
        .join(Seat.match)
        .where(Seat.player_id == player.id, Seat.to_move, or_(chosen, held), Match.state == "running")
    )
    found = session.execute(waiting.order_by(Match.moved).limit(AT_ONCE))
    return [(match_id, ply, seat, until.isoformat() if until else "") for match_id, ply, seat, until in found]


def _news(session: Session, player: Player) -> tuple[tuple[str, str, str, str], ...]:
    """What followed players have done since the latest digest, oldest first: what, the title, its path, and who."""
    if player.post == "off":
        return ()
    own = select(func.max(Letter.created)).where(Letter.player_id == player.id, Letter.kind == Digest.kind)
    found = following.news(session, player.id, session.scalar(own))
    return tuple((news.what, news.title, news.path, " and ".join(news.who)) for news in reversed(found))


def _held(session: Session, player: Player) -> list[Letter]:
    held = select(Letter).where(Letter.player_id == player.id, HELD, Letter.kind != Turn.kind, _wants(player))
    return list(session.scalars(held.order_by(Letter.id).limit(AT_ONCE)))
