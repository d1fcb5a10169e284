"""What the log says of sign-ins that failed and of changed accounts, with numbers of players and never addresses or
secrets; and the emails about such changes."""

from __future__ import annotations

import logging
import secrets

from service.play.letter_kinds import Account
from service.play.notify.announce import owe
from service.play.site import Transaction

log = logging.getLogger(__name__)
# An operator wants these lines beside the warnings of everything else.
log.setLevel(logging.INFO)


def refused(how: str, player_id: int | None, why: str) -> None:
    """A sign-in failed. `how` is password, passkey or link; `player_id` is whose account it was for, if known."""
    log.info("sign-in by %s refused for %s: %s", how, "nobody" if player_id is None else f"player {player_id}", why)


def changed(event: str, player_id: int) -> None:
    """An account changed, or somebody asked for that: `event` is as letters call it, such as `password-changed`."""
    log.info("account of player %s: %s", player_id, event)


def tell(tx: Transaction, player_id: int, told: Account) -> None:
    """Logs a change of an account, and sends its player an email about it."""
    changed(told.event, player_id)
    owe(tx, f"account:{player_id}:{secrets.token_urlsafe(12)}", player_id, told)
