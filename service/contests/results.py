"""Results of matches as text, one per line, and their ratings, for `stonepost rate` and `standings`.

    2026-11-22 ada=1 ben!=0
    2026-11-23 ada=1/2 cem=0.5 dan=0
    # eve 1400 30 0.06

A line is a date and each seat's share of the win, with `!` after a name that lost on time. A comment with a name and
three numbers is that player's rating before their first match. Other comments and blank lines are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from service.contests.ledger import Account, Seat, settle
from service.contests.ratings import MOST_DEVIATION, Rating

MOST_SEATS = 8
ROUNDING = Fraction(1, 100)
"""How far the sum of decimal shares may be from 1, as for three times 0.33."""

SHARE = re.compile(r"\d{1,9}(?:/[1-9]\d{0,8}|\.\d{0,9})?|\.\d{1,9}", re.ASCII)
NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}", re.ASCII)


class Result(NamedTuple):
    """A finished match: its day, each player's share of the win, and the players who lost on time."""

    day: date
    shares: dict[str, Fraction]
    late: frozenset[str]


class Prior(NamedTuple):
    """A rating that a player has before their first match."""

    name: str
    rating: Rating


class ResultError(ValueError):
    """A line that can't be read; `line` is its number from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read(lines: Iterable[str]) -> Iterator[Result | Prior]:
    """The results and priors in the order of their lines; raises ResultError."""
    latest, known = date.min, set[str]()
    for number, line in enumerate(lines, 1):
        try:
            item = _item(line.strip())
            _in_order(item, latest, known)
        except ValueError as error:
            raise ResultError(number, str(error)) from error
        if isinstance(item, Result):
            latest = item.day
            known |= item.shares.keys()
        if item:
            yield item


def _in_order(item: Result | Prior | None, latest: date, known: set[str]) -> None:
    if isinstance(item, Result) and item.day < latest:
        raise ValueError(f"{item.day} comes after {latest}. Put the matches in the order they ended.")
    if isinstance(item, Prior) and item.name in known:
        raise ValueError(f"{item.name} has already played a match. Put ratings before a player's first match.")


def _item(line: str) -> Result | Prior | None:
    if not line:
        return None
    if line.startswith("#"):
        return prior(line[1:].split())
    first, *seats = re.sub(r"\s#.*", "", line).split()
    day = _day(first)
    shares = [_seat(text) for text in seats]
    names = [name for name, _, _ in shares]
    if not 2 <= len(names) <= MOST_SEATS:
        raise ValueError(f"A match has 2 to {MOST_SEATS} players, not {len(names)}.")
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{min(twice)} can't have two seats in one match.")
    total = sum((share for _, share, _ in shares), Fraction(0))
    if abs(total - 1) > ROUNDING:
        raise ValueError(f"The shares of the win must sum to 1, not {float(total):.6g}.")
    return Result(
        day,
        {name: Fraction(share) / total for name, share, _ in shares},
        frozenset(name for name, _, late in shares if late),
    )


def prior(words: Sequence[str]) -> Prior | None:
    """A name's rating before its first match, as `NAME 1400 30 0.06`; None for other comments."""
    if len(words) != 4 or not all(map(NUMBER.fullmatch, words[1:])):
        return None
    return Prior(words[0], rating(words[1:]))


def rating(numbers: Sequence[str]) -> Rating:
    """A rating from three numbers; raises ValueError with a sentence."""
    if len(numbers) != 3 or not all(map(NUMBER.fullmatch, numbers)):
        raise ValueError("A rating is three numbers: rating, deviation and volatility, such as 1500, 350 and 0.06.")
    middle, deviation, volatility = map(float, numbers)
    if not 0 < deviation <= MOST_DEVIATION:
        raise ValueError(f"A deviation is above 0 and at most {MOST_DEVIATION:g}, not {deviation:g}.")
    if not 0 < volatility <= 1:
        raise ValueError(f"A volatility is above 0 and at most 1, not {volatility:g}.")
    return Rating(middle, deviation, volatility)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"A line begins with a date such as 2026-11-22, not {text[:60]!r}.") from None


def _seat(text: str) -> tuple[str, Fraction, bool]:
    name, equals, share = text.rpartition("=")
    late = name.endswith("!")
    name = name.removesuffix("!")
    if not (equals and name and SHARE.fullmatch(share)):
        raise ValueError(f"{text[:60]!r} isn't a name and a share of the win, such as ada=1 or ada=1/2.")
    if late and Fraction(share):
        raise ValueError(f"{name} lost on time, so the share must be 0, not {share}.")
    return name, Fraction(share), late


def rate(items: Iterable[Result | Prior], start: Rating) -> dict[str, Account]:
    """Everybody's account after all matches. An absence lasts until a match that the player doesn't lose on time."""
    accounts: dict[str, Account] = {}
    absences: dict[str, int] = {}
    for item in items:
        if isinstance(item, Prior):
            accounts[item.name] = Account(item.rating)
            continue
        for name in item.shares:
            accounts.setdefault(name, Account(start))
            absences[name] = absences.get(name, 0) + (name not in item.late)
        seats = [
            Seat((name,), float(share), absence=str(absences[name]) if name in item.late else None)
            for name, share in item.shares.items()
        ]
        accounts |= settle(item.day.toordinal(), seats, accounts)
    return accounts
