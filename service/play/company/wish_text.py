"""Parses `wish GAMES [CLOCK] [up to NUMBER] [rating RANGE] [no bots] [rated=no]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from service.clock.duration import ClockError, read_amount, write_amount
from service.games import GAMES

MOST = 20
"""Most matches at once that a wish may begin."""

SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=30)
"""The shortest and longest time for a move in a wish."""

TIMES = "The time for a move can be from 1 hour to 30 days, for example 1d-7d."

HIGHEST_RATING = 4_000


class WishError(ValueError):
    """An invalid wish. The message is one or two sentences for the player, about this `field`."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a player looks for. The clock is a time for each move, between `shortest` and `longest`."""

    games: tuple[str, ...]
    shortest: timedelta = timedelta(days=1)
    longest: timedelta = timedelta(days=7)
    most: int = 2
    lowest: int | None = None
    highest: int | None = None
    bots: bool = True
    rated: bool = True

    def check(self) -> None:
        """Raises WishError for contradictory values."""
        if not self.games:
            raise WishError(f"Which games would you like to play? For example: {example()}.", "games")
        if self.shortest > self.longest:
            raise WishError("The shortest time for a move can't be longer than the longest one.", "shortest")
        if not SHORTEST <= self.shortest <= self.longest <= LONGEST:
            raise WishError(TIMES, "shortest")
        if not 1 <= self.most <= MOST:
            raise WishError(f"You can look for 1 to {MOST} matches at once, for example up to 3.", "most")
        bounds = [bound for bound in (self.lowest, self.highest) if bound is not None]
        if bounds != sorted(bounds) or not all(0 <= bound <= HIGHEST_RATING for bound in bounds):
            sentence = "Write the ratings from the lower to the higher one, for example rating 1300-1700."
            raise WishError(sentence, "lowest")


def example() -> str:
    """An example of a whole wish."""
    first, second, *_ = GAMES
    return f"wish {first}, {second} 1d-7d up to 3"


_PARTS = (rf"(?:\d{{1,5}}\s*(?:{unit}s?|{unit[0]})\s*)?" for unit in ("week", "day", "hour"))
_TIME = rf"(?=\d){''.join(_PARTS)}"
_RATING = r"(?:opponents?\s+)?rat(?:ing|ed)\s+"
_MOST = re.compile(r"\b(?:up\s+to|at\s+most)\s+(\d{1,5})(?:\s+(?:at\s+once|match(?:es)?|games?))?(?=[\s,]|$)")
_BETWEEN = re.compile(rf"\b{_RATING}(?:between\s+)?(\d{{1,5}})\s*(?:-|to|and)\s*(\d{{1,5}})(?=[\s,]|$)")
_ONE_BOUND = re.compile(rf"\b{_RATING}(above|below|over|under|from)\s+(\d{{1,5}})(?=[\s,]|$)")
_NO_BOTS = re.compile(r"\b(?:(?:no|without)\s+(?:bots?|computers?)|bots=no)(?=[\s,]|$)")
_BOTS = re.compile(r"\b(?:with\s+)?(?:bots=yes|bots)(?=[\s,]|$)")
_RATED = re.compile(r"\b(?:rated=(yes|no)|(unrated))(?=[\s,]|$)")
_CLOCKS = re.compile(rf"\b({_TIME})(?:\s*(?:-|to)\s*({_TIME}))?(?:\s*(?:/|a|per)\s*move)?(?=[\s,]|$)")
_ALL = re.compile(r"(?:all|any)(?:\s+games?)?|anything|everything")


def read(text: str) -> Wanted:
    """The wish that somebody wrote; raises WishError for anything that isn't understood."""
    rest, given = _settings(" ".join(text.lower().split()).strip(" ."))
    wanted = Wanted(_games(rest, f"or a setting of a wish. Write it like {example()}"), **given)
    wanted.check()
    return wanted


def _settings(rest: str) -> tuple[str, dict[str, Any]]:
    """The text without the settings, and the settings."""
    given: dict[str, Any] = {}
    rest, found = _taken(_MOST, rest)
    if found:
        given["most"] = int(found[1])
    rest, found = _taken(_BETWEEN, rest)
    if found:
        given |= {"lowest": int(found[1]), "highest": int(found[2])}
    rest, found = _taken(_ONE_BOUND, rest)
    while found:
        given["highest" if found[1] in ("below", "under") else "lowest"] = int(found[2])
        rest, found = _taken(_ONE_BOUND, rest)
    rest, found = _taken(_NO_BOTS, rest)
    given["bots"] = found is None
    rest, found = _taken(_BOTS, rest)
    rest, found = _taken(_RATED, rest)
    given["rated"] = found is None or found[1] == "yes"
    rest, found = _taken(_CLOCKS, rest)
    if found:
        given |= {"shortest": _amount(found[1]), "longest": _amount(found[2] or found[1])}
    return rest, given


def _taken(pattern: re.Pattern[str], text: str) -> tuple[str, re.Match[str] | None]:
    """The text without the first match of a pattern, and that match."""
    found = pattern.search(text)
    return (f"{text[: found.start()]},{text[found.end() :]}", found) if found else (text, None)


def _amount(text: str) -> timedelta:
    try:
        return read_amount(text)
    except ClockError as error:
        raise WishError(TIMES, "shortest") from error


def games(text: str) -> tuple[str, ...]:
    """The games named, in our order, in a text that contains nothing else; raises WishError."""
    first, second, *_ = GAMES
    return _games(text.lower(), f"here. Write them like {first}, {second}")


def _games(text: str, or_else: str) -> tuple[str, ...]:
    """The games named, in our order: by name or title, with commas, blanks or `and` between."""
    words = " ".join(re.split(r"[\s,;]+", text)).strip()
    if _ALL.fullmatch(words):
        return tuple(GAMES)
    titles = {name.lower(): game.name for game in GAMES.values() for name in (game.name, game.title)}
    known = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    named = re.findall(rf"(?<!\S)(?:{known})(?!\S)", words)
    left = re.sub(rf"(?<!\S)(?:{known}|and|at|for|or|clock)(?!\S)", " ", words).split()
    if left:
        raise WishError(f"{' '.join(left)[:60]!r} isn't a game {or_else}. The games are {', '.join(GAMES)}.")
    chosen = {titles[name] for name in named}
    return tuple(name for name in GAMES if name in chosen)


def write(wanted: Wanted) -> str:
    """The wish in words that `read` understands, the same for equal wishes."""
    games = "all" if wanted.games == tuple(GAMES) else ", ".join(wanted.games)
    parts = [games, f"{write_amount(wanted.shortest)}-{write_amount(wanted.longest)}", f"up to {wanted.most}"]
    if wanted.lowest is not None and wanted.highest is not None:
        parts.append(f"rating {wanted.lowest}-{wanted.highest}")
    elif wanted.lowest is not None:
        parts.append(f"rating above {wanted.lowest}")
    elif wanted.highest is not None:
        parts.append(f"rating below {wanted.highest}")
    parts += ["no bots"] * (not wanted.bots) + ["rated=no"] * (not wanted.rated)
    return " ".join(parts)
