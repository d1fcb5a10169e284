"""Statistics from the finished matches of a game: what each seat wins, how long matches take, how they begin.

The sweep computes it once a day, one game at a time, into a table; a page only reads that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import sqrt
from statistics import median
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from service.engine.game import AGREEMENTS, LATE, LEAVES, SUBSTITUTE
from service.games import GAMES
from service.play.site import Site
from service.store.entries import outlines
from service.store.models import WATCHED, Match, Seat
from service.store.tables.ratings import GameStatistics

LATEST = 5_000
"""How many of a game's latest matches statistics are made from. Those of 20,000 took a sweep 2.7 s, as
`store/SCALE.md` says."""

SETTINGS = 4
"""How many settings of a game are listed, the most common ones."""

OPENINGS = 6
"""How many first moves are listed, the most common ones."""

BATCH = 500
"""How many matches are read at a time, with their packed logs."""

FEWEST = 2
"""Matches in which not every seat can have moved so often don't count."""


NO_MOVES = (*LEAVES, *AGREEMENTS, SUBSTITUTE, LATE)
"""What a log may begin with that isn't the first move."""


@dataclass(frozen=True, slots=True)
class SideLine:
    """What a side has won: its mean share of the win, and the error of that, twice the standard error."""

    side: str
    share: float
    error: float


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """A first move: how often it was played, and the mean share of the side that played it."""

    move: str
    matches: int
    share: float


@dataclass(frozen=True, slots=True)
class SettingLine:
    """All matches with the same number of seats and the same options. Lengths are in moves: the middle match, and those
    between which half of all are. `even` is the part that all shared evenly."""

    seats: int
    options: tuple[tuple[str, str], ...]
    matches: int
    even: float
    middle: int
    short: int
    long: int
    sides: tuple[SideLine, ...]
    openings: tuple[OpeningLine, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The settings of a game that are played most, as of the `day` they were computed ("" if they haven't been)."""

    day: str
    settings: tuple[SettingLine, ...]


@dataclass(frozen=True, slots=True)
class _Played:
    """A finished match: how many moves everybody sees, each seat's share of the win, and the first move."""

    moves: int
    shares: tuple[Fraction, ...]
    first: tuple[int, str] | None


def compute(site: Site) -> None:
    """Computes the statistics of one game that has none from today, if there is such a game."""
    today = f"{site.now():%Y-%m-%d}"
    with site.store.reading() as session:
        done = set(session.scalars(select(GameStatistics.game).where(GameStatistics.day == today)))
        game = next((name for name in GAMES if name not in done), None)
        found = [] if game is None else [asdict(line) for line in _settings(session, game)]
    if game is not None:
        with site.transaction() as tx:
            tx.session.merge(GameStatistics(game=game, day=today, data={"settings": found}))


def of(site: Site, game: str) -> Statistics:
    """The statistics of a game."""
    with site.store.reading() as session:
        row = session.get(GameStatistics, game)
    if row is None:
        return Statistics("", ())
    return Statistics(row.day, tuple(map(_line, row.data["settings"])))


def _line(kept: Mapping[str, Any]) -> SettingLine:
    lists = {
        "options": tuple((name, value) for name, value in kept["options"]),
        "sides": tuple(SideLine(**side) for side in kept["sides"]),
        "openings": tuple(OpeningLine(**opening) for opening in kept["openings"]),
    }
    return SettingLine(**{**kept, **lists})


def _settings(session: Session, game: str) -> Iterator[SettingLine]:
    """The settings with the most matches."""
    grouped = defaultdict(list)
    for setting, played in _played(session, game):
        grouped[setting].append(played)
    for (seats, options), matches in sorted(grouped.items(), key=lambda one: (-len(one[1]), one[0]))[:SETTINGS]:
        yield _summary(game, seats, options, matches)


Setting = tuple[int, tuple[tuple[str, str], ...]]


def _played(session: Session, game: str) -> Iterator[tuple[Setting, _Played]]:
    """The latest finished matches that anybody may see and that began from the usual position."""
    latest = session.scalars(_latest(game)).all()
    for some in (latest[start : start + BATCH] for start in range(0, len(latest), BATCH)):
        yield from _of(session, game, some)


def _of(session: Session, game: str, some: Sequence[int]) -> Iterator[tuple[Setting, _Played]]:
    """Those of these matches that count. The query lists their ids: for a subquery, PostgreSQL reads all seats."""
    shares: dict[int, dict[int, Fraction]] = defaultdict(dict)
    of_seats = select(Seat.match_id, Seat.number, Seat.score).where(Seat.match_id.in_(some), Seat.score.is_not(None))
    for match_id, number, score in session.execute(of_seats):
        shares[match_id][number] = Fraction(score or 0)
    seen = outlines(session, some, NO_MOVES)
    rows = select(Match.id, Match.options).where(Match.id.in_(seen))
    for match_id, options in session.execute(rows):
        own, (length, first) = shares[match_id], seen[match_id]
        if not options.get("setup") and length >= FEWEST * len(own) > 0:
            played = _Played(length, tuple(own[number] for number in sorted(own)), first)
            yield (len(own), _unusual(game, options)), played


def _latest(game: str) -> Select[int]:
    # In the order of states from `over` to `over`, or PostgreSQL takes the index of ids, with all running matches.
    over = (Match.state.between("over", "over"), Match.game == game, WATCHED, Match.importer_id.is_(None))
    return select(Match.id).where(*over).order_by(Match.state.desc(), Match.id.desc()).limit(LATEST)


def _unusual(game: str, options: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The options that aren't as usual, by name."""
    usual = {option.name: option.default for option in GAMES[game].options}
    chosen = ((name, str(value)) for name, value in options.items() if value)
    return tuple(sorted((name, value) for name, value in chosen if value != str(usual.get(name))))


def _summary(game: str, seats: int, options: tuple[tuple[str, str], ...], matches: Sequence[_Played]) -> SettingLine:
    lengths = sorted(one.moves for one in matches)
    even = sum(len(set(one.shares)) == 1 for one in matches)
    return SettingLine(
        seats=seats,
        options=options,
        matches=len(matches),
        even=even / len(matches),
        middle=round(median(lengths)),
        short=lengths[len(lengths) // 4],
        long=lengths[3 * len(lengths) // 4],
        sides=tuple(
            SideLine(side, *_mean(one.shares[number] for one in matches))
            for number, side in enumerate(GAMES[game].sides(seats))
        ),
        openings=tuple(_openings(matches)),
    )


def _mean(shares: Iterable[Fraction]) -> tuple[float, float]:
    """The mean, and twice its standard error."""
    values = [float(share) for share in shares]
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return mean, 2 * sqrt(spread / len(values))


def _openings(matches: Sequence[_Played]) -> Iterator[OpeningLine]:
    """The first moves played most, and then by name."""
    firsts = [(one.first, one.shares) for one in matches if one.first is not None]
    counted = Counter(move for (_, move), _ in firsts)
    for move, count in sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:OPENINGS]:
        won = [float(shares[seat]) for (seat, first), shares in firsts if first == move]
        yield OpeningLine(move, count, sum(won) / count)
