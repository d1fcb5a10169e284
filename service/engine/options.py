"""The settings of a game and the words of its orders, as the web form, email commands and `help` use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from service.engine.excerpt import told


class OptionError(ValueError):
    """An unknown option, a bad value or an unreadable setup. The message is one sentence; `option` is its name."""

    option = ""


class Word(NamedTuple):
    """A kind of order that players can write. `usage` is an example that any position of its phase can read.

    `phase` is the phase it belongs to. Games don't list the words that every match has (`resign` …).
    """

    usage: str
    summary: str
    phase: str = "play"


def has_count(words: Iterable[Word]) -> bool:
    """Whether players agree on a count after play, by the words of their game."""
    return any(word.phase == "scoring" for word in words)


class Option(NamedTuple):
    """One setting of a game. The web form, the email command and the validation all use it.

    `choices` are what a form offers. Other values are accepted only if there is a `read`, which returns the
    canonical value or raises OptionError. A default of "" means the game decides from the other options.
    """

    name: str
    default: str
    choices: tuple[str, ...] = ()
    summary: str = ""
    read: Callable[[str], str] | None = None
    short: str = ""
    """The value that makes a short first match, if it isn't the default."""

    def accept(self, value: str) -> str:
        """The canonical form of `value`; raises OptionError."""
        if value in self.choices or value == self.default:
            return value
        try:
            return self._read(value)
        except OptionError as error:
            error.option = self.name
            raise

    def _read(self, value: str) -> str:
        if self.read is not None:
            return " ".join(self.read(value).split())  # Records write values in one line.
        wanted = f"one of {', '.join(self.choices)}" if len(self.choices) > 1 else "".join(self.choices)
        raise OptionError(f"{self.name} must be {wanted}, not {told(value)}.")
