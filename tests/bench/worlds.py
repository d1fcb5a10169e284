"""How well ratings forecast who wins: ours and six others in eight simulated worlds, and ours compared with `glicko2`.

Each world has players with a hidden strength, and tables are drawn at random. In four worlds the winner is drawn by the
softmax of the strengths; in four the best of normally distributed performances wins (Thurstone). At tables for more
than two, 30% of the wins are shared with a second seat: one drawn like the first in softmax worlds, any other in
Thurstone worlds.

Each system rates one match after another and forecasts each player's share of the next win, in the form that suits it:
by the differences of the ratings, with or without their deviations. Forecasts are raised to the power that fits the
first half of the matches best. The figure is the log loss over the second half. The simulation says nothing about real
players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import exp, hypot, log, pi, sqrt
from random import Random
from typing import Protocol

import glicko2
import openskill.models as weng_lin
import trueskill

from service.contests.ratings import NEWCOMER, SCALE, Played, Rating, expected, rated
from tests.bench.measure import Figure

SEEDS = 6
PLAYERS = 80
EACH = 40
"""About how many matches each player has."""

SPREAD = 1.75
"""The standard deviation of strengths: about 300 rating points, as on servers for chess and Go."""

SHARED, DRAWN = 0.3, 0.05
"""How many wins are shared at tables of more than two, and how many matches for two are drawn."""

SEATS: dict[str, tuple[int, ...]] = {"2": (2,), "4": (4,), "8": (8,), "mixed": tuple(range(2, 9))}
POWERS = [0.5 + step / 20 for step in range(31)]

Match = tuple[Sequence[int], Sequence[float]]
"""The players at a table, and each player's share of the win."""


class System(Protocol):
    """A rating system. Players are numbers."""

    def forecast(self, table: Sequence[int]) -> list[float]:
        """The share of the win that each player can expect."""

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        """Rates a match."""


class TableGlicko:
    """Our own system."""

    def __init__(self) -> None:
        self.known = [NEWCOMER] * PLAYERS

    def _others(self, table: Sequence[int], seat: int) -> list[tuple[float, float]]:
        held = [self.known[player] for number, player in enumerate(table) if number != seat]
        return [(one.rating, one.deviation) for one in held]

    def forecast(self, table: Sequence[int]) -> list[float]:
        told = []
        for seat, player in enumerate(table):
            own = self.known[player]
            others = [(rating, hypot(deviation, own.deviation)) for rating, deviation in self._others(table, seat)]
            told.append(expected(own.rating, others))
        return _whole(told)

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        after = [
            rated(self.known[player], [Played(shares[seat], self.known[player].rating, self._others(table, seat))])
            for seat, player in enumerate(table)
        ]
        for player, rating in zip(table, after, strict=True):
            self.known[player] = rating


class PairsGlicko:
    """The package `glicko2`; a match of many counts as one match against each of the others."""

    def __init__(self) -> None:
        self.known = [glicko2.Player() for _ in range(PLAYERS)]

    def forecast(self, table: Sequence[int]) -> list[float]:
        held = [self.known[player] for player in table]
        return uncertain([one.rating / SCALE for one in held], [sqrt(3) / pi * one.rd / SCALE for one in held])

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        before = [(self.known[player].rating, self.known[player].rd) for player in table]
        for seat, player in enumerate(table):
            others = [other for other in range(len(table)) if other != seat]
            results = [score(shares[seat], shares[other]) for other in others]
            self.known[player].update_player(
                [before[other][0] for other in others], [before[other][1] for other in others], results
            )


class WengLin:
    """A model of `openskill`."""

    def __init__(self, model: Callable[[], object]) -> None:
        self.model = model()
        self.known = [self.model.rating() for _ in range(PLAYERS)]  # type: ignore[attr-defined]

    def forecast(self, table: Sequence[int]) -> list[float]:
        return softmax([self.known[player].mu / MU for player in table])

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        teams, ranks = [[self.known[player]] for player in table], [float(share == 0) for share in shares]
        for player, team in zip(table, self.model.rate(teams, ranks=ranks), strict=True):  # type: ignore[attr-defined]
            self.known[player] = team[0]


class TrueSkill:
    """The package `trueskill`, with the share of shared wins as its draw probability."""

    def __init__(self) -> None:
        self.model = trueskill.TrueSkill(draw_probability=SHARED)
        self.known = [self.model.create_rating() for _ in range(PLAYERS)]

    def forecast(self, table: Sequence[int]) -> list[float]:
        held = [self.known[player] for player in table]
        return uncertain([one.mu / MU for one in held], [one.sigma / MU for one in held])

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        teams, ranks = [(self.known[player],) for player in table], [int(share == 0) for share in shares]
        for player, team in zip(table, self.model.rate(teams, ranks=ranks), strict=True):
            self.known[player] = team[0]


MU = sqrt(2) * 25 / 6
"""The standard deviation of the difference of two performances in openskill and trueskill: beta is 25/6 in both."""


class PairsElo:
    """Elo as on Board Game Arena: a match of many counts as one match against each of the others."""

    def __init__(self) -> None:
        self.known = [1500.0] * PLAYERS

    def forecast(self, table: Sequence[int]) -> list[float]:
        return softmax([self.known[player] / SCALE for player in table])

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        before, step = [self.known[player] for player in table], 40 / (len(table) - 1)
        for seat, player in enumerate(table):
            for other in range(len(table)):
                if other != seat:
                    chance = 1 / (1 + exp((before[other] - before[seat]) / SCALE))
                    self.known[player] += step * (score(shares[seat], shares[other]) - chance)


class Ghost:
    """webDiplomacy's Ghost Ratings: all players stake a part of their rating, and the winners share the stakes."""

    def __init__(self) -> None:
        self.known = [100.0] * PLAYERS

    def forecast(self, table: Sequence[int]) -> list[float]:
        return _whole([self.known[player] for player in table])

    def learn(self, table: Sequence[int], shares: Sequence[float]) -> None:
        told, pot = self.forecast(table), sum(self.known[player] for player in table) / 17.5
        for player, share, chance in zip(table, shares, told, strict=True):
            self.known[player] = max(1.0, self.known[player] + pot * (share - chance))


PEERS: dict[str, Callable[[], System]] = {
    "glicko2 by pairs": PairsGlicko,
    "openskill Plackett-Luce": lambda: WengLin(weng_lin.PlackettLuce),
    "openskill Bradley-Terry": lambda: WengLin(weng_lin.BradleyTerryPart),
    "trueskill": TrueSkill,
    "Elo by pairs": PairsElo,
    "Ghost Ratings": Ghost,
}


def score(mine: float, theirs: float) -> float:
    """The result of a seat against another: 1, 1/2 or 0. Two losers draw."""
    return 0.5 if mine == theirs else float(mine > theirs)


def uncertain(strengths: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """Shares by softmax, in which a difference counts less the more uncertain the two strengths are."""
    seats = [*zip(strengths, deviations, strict=True)]
    return _whole([1 / sum(exp((s - m) / hypot(1, d, e)) for s, e in seats) for m, d in seats])


def softmax(strengths: Sequence[float]) -> list[float]:
    """Shares proportional to the exponentials of the strengths."""
    most = max(strengths)
    return _whole([exp(one - most) for one in strengths])


def _whole(parts: Sequence[float]) -> list[float]:
    total = sum(parts)
    return [part / total for part in parts]


def world(kind: str, sizes: Sequence[int], chance: Random) -> list[Match]:
    """The matches of a world."""
    strengths = [chance.gauss(0, SPREAD) for _ in range(PLAYERS)]
    matches: list[Match] = []
    for _ in range(round(PLAYERS * EACH / (sum(sizes) / len(sizes)))):
        table = chance.sample(range(PLAYERS), chance.choice(sizes))
        held = [strengths[player] for player in table]
        won = _softmax(held, chance) if kind == "softmax" else _thurstone(held, chance)
        matches.append((table, [float(seat in won) / len(won) for seat in range(len(table))]))
    return matches


def _softmax(held: Sequence[float], chance: Random) -> set[int]:
    seats = range(len(held))
    won = set(chance.choices(seats, softmax(held)))
    if chance.random() < (SHARED if len(held) > 2 else DRAWN):
        rest = [seat for seat in seats if seat not in won]
        won |= set(chance.choices(rest, softmax([held[seat] for seat in rest])))
    return won


def _thurstone(held: Sequence[float], chance: Random) -> set[int]:
    shown = [strength + chance.gauss(0, 1) for strength in held]
    best = max(range(len(held)), key=shown.__getitem__)
    ally = chance.choice([seat for seat in range(len(held)) if seat != best])
    return {best, ally} if chance.random() < (SHARED if len(held) > 2 else DRAWN) else {best}


def losses(system: System, matches: Sequence[Match]) -> tuple[list[list[float]], list[tuple[Sequence[float], Match]]]:
    """The log loss of the first and the second half at each of POWERS; and the forecasts of the second half."""
    found = [[0.0] * len(POWERS), [0.0] * len(POWERS)]
    told: list[tuple[Sequence[float], Match]] = []
    for number, (table, shares) in enumerate(matches):
        forecast, half = system.forecast(table), 2 * number >= len(matches)
        logs = [log(max(share, 1e-12)) for share in forecast]
        for place, power in enumerate(POWERS):
            whole = log(sum(exp(power * one) for one in logs))
            found[half][place] -= sum(share * (power * one - whole) for share, one in zip(shares, logs, strict=True))
        if half:
            told.append((forecast, (table, shares)))
        system.learn(table, shares)
    return [[one * 2 / len(matches) for one in half] for half in found], told


def figures() -> Iterator[Figure]:
    """All figures of this part."""
    yield Figure("glicko2-apart-points", _apart(), 0.01, "most points between our ratings and glicko2's")
    told: list[tuple[Sequence[float], Match]] = []
    for kind in ("softmax", "thurstone"):
        for name, sizes in SEATS.items():
            seeded = [world(kind, sizes, Random(seed)) for seed in range(SEEDS)]
            ours, forecasts = _loss(TableGlicko, seeded)
            told += forecasts
            theirs = {peer: _loss(system, seeded)[0] for peer, system in PEERS.items()}
            best = min(theirs, key=theirs.__getitem__)
            listed = ", ".join(f"{peer} {loss:.4f}" for peer, loss in theirs.items())
            what = f"log loss {ours:.4f} minus that of the best of six, {best}: {listed}"
            yield Figure(f"forecast-{kind}-{name}", ours - theirs[best], 0.001, what)
    yield Figure(
        "forecast-calibration", _miscalibration(told), 0.03, "largest difference between forecasts and results"
    )


def _loss(
    system: Callable[[], System], worlds: Sequence[Sequence[Match]]
) -> tuple[float, list[tuple[Sequence[float], Match]]]:
    """The mean log loss of the second halves, at the power that fits the first halves best; and the forecasts."""
    found = [losses(system(), matches) for matches in worlds]
    first = [sum(halves[0][place] for halves, _ in found) for place in range(len(POWERS))]
    best = first.index(min(first))
    return sum(halves[1][best] for halves, _ in found) / len(found), [one for _, told in found for one in told]


def _miscalibration(told: Sequence[tuple[Sequence[float], Match]]) -> float:
    """The largest mean difference between the shares forecast (untuned) and won, among forecasts of similar shares."""
    worst = 0.0
    each = sorted((share, won) for forecast, (_, shares) in told for share, won in zip(forecast, shares, strict=True))
    for low, high in pairwise(range(0, 101, 10)):
        some = [(share, won) for share, won in each if low <= 100 * share < high]
        if len(some) >= 500:
            worst = max(worst, abs(sum(share - won for share, won in some)) / len(some))
    return worst


def _apart(matches: int = 2_000) -> float:
    """The largest difference in points between our ratings and the package's after any match for two."""
    chance, ours, theirs = Random(1), TableGlicko(), PairsGlicko()
    worst = 0.0
    for _ in range(matches):
        table = chance.sample(range(PLAYERS), 2)
        share = chance.choice((0.0, 0.5, 1.0))
        for system in (ours, theirs):
            system.learn(table, (share, 1 - share))
        worst = max(worst, *(abs(ours.known[player].rating - theirs.known[player].rating) for player in table))
        for player in table:  # So that rounding errors don't add up over matches.
            one = theirs.known[player]
            ours.known[player] = Rating(one.rating, max(45.0, min(350.0, one.rd)), one.vol)
            theirs.known[player] = glicko2.Player(one.rating, ours.known[player].deviation, one.vol)
    return worst
