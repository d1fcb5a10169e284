"""A player's settings, saved all at once on the account page, and one by one by email."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clock.vacation import days_left
from service.mail.grammar import command_words
from service.play import bans
from service.play.accounts import display_names, identity
from service.play.accounts.identity import AccountError
from service.play.notify import preferences
from service.play.orders import undo
from service.play.site import Site, Transaction
from service.render.art.palette import BOARD_THEMES, STONE_SETS
from service.store.models import Player, TimeOff

LOOKS = ("auto", "light", "dark")
_SAID = {"": None, "on": True, "yes": True, "off": False, "no": False}


@dataclass(frozen=True, slots=True)
class Habits:
    """The form of the account page, as filled in; `grace` is in seconds."""

    name: str
    zone: str
    vacation: bool
    post: str
    hours: str
    most: str
    receipts: bool
    gazette: bool
    look: str
    boards: str
    stones: str
    sound: bool
    at_once: bool
    grace: int


class SettingsRefused(ValueError):
    """Settings that can't be kept: for each such field of Habits, a sentence for the player."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(errors)
        self.errors = errors


def of(player: Player) -> Habits:
    """What a player has set."""
    return Habits(
        name=player.name,
        zone=player.zone or "UTC",
        vacation=player.vacation,
        post=player.post,
        hours=player.digest_hours,
        most=str(player.most or ""),
        receipts=player.receipts,
        gazette=player.gazette is not None,
        look=player.look,
        boards=player.boards,
        stones=player.stones,
        sound=player.sound,
        at_once=player.at_once,
        grace=player.grace,
    )


def keep(site: Site, player_id: int, wanted: Habits) -> None:
    """Sets all of them or, raising SettingsRefused, none.

    A turn that has begun keeps the time zone in which it began (`play/timekeeping/clocks.py`).
    """
    errors: dict[str, str] = {}
    if wanted.look not in LOOKS:
        errors["look"] = "Choose light, dark, or your device's setting."
    if wanted.boards not in BOARD_THEMES or wanted.stones not in STONE_SETS:
        errors["boards"] = "Choose one of the boards and one of the sets of stones shown."
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id)
        with _noted(errors, "name"):
            if wanted.name != player.name:
                rename(tx, player, wanted.name)
        with _noted(errors, "zone"):
            player.zone = identity.clean_zone(wanted.zone)
        with _noted(errors, "most"):
            preferences.choose_most(tx, player, wanted.most)
        with _noted(errors, "hours"):
            if (wanted.post, wanted.hours) != (player.post, player.digest_hours):
                preferences.choose(tx, player, wanted.post, wanted.hours)
        if errors:
            raise SettingsRefused(errors)
        player.vacation, player.receipts = wanted.vacation, wanted.receipts
        preferences.choose_gazette(tx, player, wanted=wanted.gazette)
        player.look, player.at_once = wanted.look, wanted.at_once
        player.boards, player.stones, player.sound = wanted.boards, wanted.stones, wanted.sound
        player.grace = wanted.grace if wanted.grace in undo.CHOICES else 0


def rename(tx: Transaction, player: Player, name: str) -> str:
    """Gives a player the name they want, and returns it as stored; raises AccountError.

    A banned player keeps the name that others know.
    """
    bans.refuse_banned(tx, player.id, AccountError)
    return display_names.take(tx.session, player, name)


@contextmanager
def _noted(errors: dict[str, str], field: str) -> Iterator[None]:
    """Collects why a field is refused, so that the player reads about all of them at once."""
    try:
        yield
    except (AccountError, preferences.ChoiceError) as error:
        errors[field] = str(error)


def vacation(tx: Transaction, player: Player, said: str) -> dict[str, Any]:
    """Sets whether vacation days are spent, if a value is given, and returns the current state."""
    why = (
        "Vacation is used automatically, one day at a time. "
        "Write vacation on, vacation off, or vacation to see how much is left."
    )
    if (wanted := _chosen(said, why)) is not None:
        player.vacation = wanted
    return {"on": player.vacation, "left": _left(tx.session, tx.now, player.id), "year": tx.now.year}


def receipts(player: Player, said: str) -> dict[str, Any]:
    """Sets whether orders by email get receipts, if a value is given, and returns the current state."""
    why = "Write receipts on, receipts off, or receipts to see whether they're on."
    if (wanted := _chosen(said, why)) is not None:
        player.receipts = wanted
    return {"on": player.receipts}


def gazette(tx: Transaction, player: Player, said: str) -> dict[str, Any]:
    """Sets whether the player gets the gazette, if a value is given, and returns the current state."""
    why = "Write gazette on, gazette off, or gazette to see whether you get it."
    if (wanted := _chosen(said, why)) is not None:
        preferences.choose_gazette(tx, player, wanted=wanted)
    return {"on": player.gazette is not None, "off": player.post == "off"}


def _chosen(said: str, why: str) -> bool | None:
    """Whether something is to be on; None if nothing is said. Raises AccountError, which says `why`."""
    word = said.strip(".,;:!? ").lower()
    if word not in _SAID:
        raise AccountError(why)
    return _SAID[word]


def vacation_left(site: Site, player_id: int) -> int:
    """How many days of this year's vacation a player has left."""
    with site.store.reading() as session:
        return _left(session, site.now(), player_id)


def _left(session: Session, now: datetime, player_id: int) -> int:
    spent = select(TimeOff.begins, TimeOff.ends).where(TimeOff.player_id == player_id, TimeOff.match_id.is_(None))
    return days_left(now.year, [(begins, ends) for begins, ends in session.execute(spent)])


def zone(player: Player, said: str) -> dict[str, Any]:
    """Sets the time zone, if one is given, and returns the current one; raises AccountError."""
    if said:
        player.zone = identity.clean_zone(said)
    return {"zone": player.zone or "UTC"}


def hold(player: Player, said: str) -> dict[str, Any]:
    """Sets for how many seconds a move can be withdrawn, if a number is given, and returns the current one; raises
    AccountError."""
    word = said.strip(" .").lower()
    found = re.fullmatch(command_words.GRACE, word)
    wanted = None if found is None else int(found[1] or 0)
    if wanted not in undo.CHOICES:
        raise AccountError(f"Write one of {', '.join(map(str, undo.CHOICES))} seconds, for example grace 60.")
    if word:
        player.grace = wanted
    return {"seconds": player.grace}
