"""How long data is kept that isn't kept for good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


class KeepingError(ValueError):
    """A setting that can't be used. The message is one sentence that names it."""


def _days(usual: int, least: int) -> int:
    found: int = field(default=usual, metadata={"usual": usual, "least": least})
    return found


@dataclass(frozen=True)
class Keeping:
    """Days after which what is deleted, each set by its name in capitals and `_DAYS`. 0: never.

    The least of each is what something else relies on: links in emails that are good for days, a week in which a change
    can be undone, a digest once a week.
    """

    raw_mail: int = _days(30, 1)
    """The text of incoming mail, unless it is still needed."""
    letter: int = _days(90, 30)
    """Letters about no match, once they are settled."""
    hook_call: int = _days(30, 7)
    """Calls to hooks and devices, once they are over."""
    session: int = _days(30, 1)
    """Browsers that somebody is signed in on, since they were last seen."""
    used_link: int = _days(200, 200)
    """What signed somebody in and can't again: longer than any cookie lives that it could be tried with."""
    repeat: int = _days(7, 1)
    """What came with an Idempotency-Key."""
    news: int = _days(90, 7)
    """What the players that a player follows have begun and ended."""
    address_change: int = _days(30, 14)
    """Changes of email addresses that were made."""
    unconfirmed: int = _days(7, 7)
    """Addresses that nobody has confirmed, since the last letter to them, and changes to such."""
    pack: int = _days(30, 14)
    """Orders and letters of a match that is over, since its end, and its log as rows: it is packed into one."""
    report: int = _days(730, 1)
    """Reports about players that an operator has closed."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Keeping:
        """Reads the environment; raises KeepingError."""
        found: dict[str, int] = {
            one.name: _read(environment, f"{one.name.upper()}_DAYS", one.metadata["usual"], one.metadata["least"])
            for one in fields(cls)
        }
        if found["letter"] and not 0 < found["news"] <= found["letter"]:
            raise KeepingError("NEWS_DAYS must not be more than LETTER_DAYS, or digests would tell old news again.")
        return cls(**found)


def _read(environment: Mapping[str, str], name: str, usual: int, least: int) -> int:
    text = environment.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 6 and (int(text) == 0 or int(text) >= least)):
        raise KeepingError(f"{name} must be a number of days, {least} or more, or 0 to keep it for good, not {text!r}.")
    return int(text)
