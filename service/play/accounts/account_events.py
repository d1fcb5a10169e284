"""Logs failed sign-ins and changes of accounts, with ids of players and never addresses or secrets; counts the
failures; and owes the emails about changes."""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from datetime import timedelta
from functools import cache

from limits.errors import StorageError
from limits.storage import Storage, storage_from_string

from service import broker
from service.config import Settings
from service.play.letter_kinds import Account
from service.play.notify.announce import owe
from service.play.site import Site, Transaction

log = logging.getLogger(__name__)
# Operators want these lines in the log, which otherwise has only warnings.
log.setLevel(logging.INFO)


WAYS = ("password", "passkey", "link")
"""How players sign in."""

COUNTED = timedelta(days=30)
"""How long refused sign-ins are counted before the count begins again."""


def refused(site: Site, how: str, player_id: int | None, why: str) -> None:
    """A sign-in failed. `how` is one of WAYS; `player_id` is whose account it was for, if known."""
    log.info("sign-in by %s refused for %s: %s", how, "nobody" if player_id is None else f"player {player_id}", why)
    with suppress(StorageError):
        _counts(site.settings).incr(f"refused:{how}", int(COUNTED.total_seconds()))


def refusals(site: Site) -> dict[str, int]:
    """How many sign-ins were refused since the count began, by the way in WAYS; empty while Redis is down."""
    with suppress(StorageError):
        return {how: _counts(site.settings).get(f"refused:{how}") for how in WAYS}
    return {}


@cache
def _counts(settings: Settings) -> Storage:
    url, options = broker.counter(settings)
    return storage_from_string(url, wrap_exceptions=True, **options)  # type: ignore[return-value]


def changed(event: str, player_id: int) -> None:
    """An account changed, or somebody asked for that: `event` is as letters call it, such as `password-changed`."""
    log.info("account of player %s: %s", player_id, event)


def tell(tx: Transaction, player_id: int, told: Account) -> None:
    """Logs a change of an account, and sends its player an email about it."""
    changed(told.event, player_id)
    owe(tx, f"account:{player_id}:{secrets.token_urlsafe(12)}", player_id, told)
