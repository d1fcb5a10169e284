"""What the log says of sign-ins that failed and of changed accounts: numbers of players, never addresses or secrets."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)
# An operator wants these lines beside the warnings of everything else.
log.setLevel(logging.INFO)


def refused(how: str, player_id: int | None, why: str) -> None:
    """A sign-in failed. `how` is password, passkey or link; `player_id` is whose account it was for, if known."""
    log.info("sign-in by %s refused for %s: %s", how, "nobody" if player_id is None else f"player {player_id}", why)


def changed(event: str, player_id: int) -> None:
    """An account changed, or somebody asked for that: `event` is as letters call it, such as `password-changed`."""
    log.info("account of player %s: %s", player_id, event)
