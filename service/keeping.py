"""How long data is kept before it is deleted."""

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
    """How many days each kind of data is kept, set by its name in capitals plus `_DAYS`. 0: forever.

    Each minimum is what something else relies on: links in emails that work for days, a week in which a change can be
    undone, a weekly digest.
    """

    raw_mail: int = _days(30, 1)
    """The text of incoming mail, unless it is still needed."""
    letter: int = _days(90, 30)
    """Letters that aren't about a match, once they are settled."""
    hook_call: int = _days(30, 7)
    """Calls to hooks and devices, once they are over."""
    session: int = _days(30, 1)
    """Sessions in browsers, from when they were last used."""
    used_link: int = _days(200, 200)
    """Links that have signed somebody in, so that they can't again: longer than any cookie they could be tried with
    lives."""
    repeat: int = _days(7, 1)
    """Requests that came with an Idempotency-Key."""
    news: int = _days(90, 7)
    """News about followed players: what they began and ended."""
    address_change: int = _days(30, 14)
    """Changes of email addresses that took effect."""
    unconfirmed: int = _days(7, 7)
    """Addresses that nobody has confirmed, from the last letter to them, and changes to such addresses."""
    pack: int = _days(30, 14)
    """Orders and letters of a match, from its end, and the rows of its log, which is then packed into one."""
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
            raise KeepingError("NEWS_DAYS must not be more than LETTER_DAYS, or digests would repeat old news.")
        return cls(**found)


def _read(environment: Mapping[str, str], name: str, usual: int, least: int) -> int:
    text = environment.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 6 and (int(text) == 0 or int(text) >= least)):
        raise KeepingError(f"{name} must be a number of days, {least} or more, or 0 to keep it for good, not {text!r}.")
    return int(text)
