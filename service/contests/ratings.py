"""Ratings from matches at tables of two to eight seats, with shared wins: "table Glicko-2".

This is Glicko-2 (Mark Glickman, "Example of the Glicko-2 system", 2013, http://www.glicko.net/glicko/glicko2.pdf) with
one step generalised. A seat of strength m meets others of strengths m_j and deviations f_j, all on Glickman's internal
scale. With w_j = g(f_j) and e_j = exp(-w_j (m - m_j)), its expected share of the win is p = 1 / (1 + sum e_j), and the
steepness of p is G p (1 - p) with G = sum w_j e_j / sum e_j. Glickman's variance and improvement become
1/v = sum G² p (1 - p) and delta = v sum G (s - p), where s is the share the seat won. His other steps are unchanged.

At two seats this is Glicko-2 itself (p = E and G = g). A draw is a share of 1/2, and a win shared by k is 1/k to each.
Losers aren't compared with each other. At three seats or more, a win that everybody shares changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import NamedTuple

MIDDLE = 1500.0
SCALE = 173.7178
"""Rating points in one unit of Glickman's internal scale."""

TAU = 0.5
"""How much volatility may change: Glickman's tau."""

PRECISION = 1e-6
"""When the iteration for the volatility stops: Glickman's epsilon."""

LEAST_DEVIATION, MOST_DEVIATION = 45.0, 350.0
MOST_CHANGE = 350.0
"""The most points by which one rating period can change a rating."""

PERIODS_A_DAY = 0.05
"""How fast idle time widens a deviation: from 60 to 75 in a year, for people who finish a few matches a year."""

PROVISIONAL = 160.0
"""A rating with a larger deviation is provisional."""

SETTLED = 110.0
"""The largest deviation on a leader board."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength at one game: rating and deviation in points, volatility as Glickman defines it."""

    rating: float = MIDDLE
    deviation: float = MOST_DEVIATION
    volatility: float = 0.06

    @property
    def provisional(self) -> bool:
        """Whether there are too few results for the rating to mean much."""
        return self.deviation > PROVISIONAL

    def aged(self, days: float) -> Rating:
        """The rating after `days` without a match: less certain, as in Glickman's step 6."""
        if days <= 0:
            return self
        widened = sqrt(self.deviation**2 + days * PERIODS_A_DAY * (SCALE * self.volatility) ** 2)
        return Rating(self.rating, min(widened, max(self.deviation, MOST_DEVIATION)), self.volatility)


NEWCOMER = Rating()


class Played(NamedTuple):
    """One match from a seat's point of view: its share of the win, its strength, and the others' strengths and
    deviations, all in points.

    `strength` is the rating of the seat's holder plus the seat's advantage; for a team, it is the mean of its members.
    `weight` is the part of the match that counts: 1/m for each of a team's m members.
    """

    share: float
    strength: float
    others: Sequence[tuple[float, float]]
    weight: float = 1.0


def expected(strength: float, others: Sequence[tuple[float, float]]) -> float:
    """The share of the win that a seat can expect against `others`: pairs of strength and deviation, in points."""
    return 1 / (1 + sum(exp((rating - strength) / SCALE * _g(deviation)) for rating, deviation in others))


def rated(before: Rating, period: Sequence[Played]) -> Rating:
    """The rating after one rating period, whose matches are judged together by the ratings before it."""
    information, improvement = _evidence(period)
    deviation = before.deviation / SCALE
    if not information:
        return before
    volatility = _volatility(deviation, before.volatility, 1 / information, improvement / information)
    widened = deviation**2 + volatility**2
    variance = 1 / (1 / widened + information)
    change = _within(-MOST_CHANGE, SCALE * variance * improvement, MOST_CHANGE)
    return Rating(before.rating + change, _within(LEAST_DEVIATION, SCALE * sqrt(variance), MOST_DEVIATION), volatility)


def _evidence(period: Sequence[Played]) -> tuple[float, float]:
    """The evidence of a period: 1/v and delta/v."""
    each = [(weight, *told(share, strength, others)) for share, strength, others, weight in period]
    return sum(part * known for part, known, _ in each), sum(part * better for part, _, better in each)


def told(share: float, strength: float, others: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The evidence of one match about a seat's strength: information G² p (1 - p), and improvement G (s - p)."""
    if _nothing_told(share, len(others)):
        return 0.0, 0.0
    odds = slope = 0.0
    for rating, deviation in others:
        g = _g(deviation)
        term = exp((rating - strength) / SCALE * g)
        odds += term
        slope += g * term
    steepness, chance = slope / odds, 1 / (1 + odds)
    return steepness * steepness * chance * (1 - chance), steepness * (share - chance)


def _nothing_told(share: float, others: int) -> bool:
    """Whether everybody at a table of three or more shares the win equally. At two seats, that is Glickman's draw."""
    return others > 1 and abs(share * (others + 1) - 1) < 1e-9


def _volatility(deviation: float, before: float, variance: float, improvement: float) -> float:
    """Glickman's step 5, on the internal scale: the Illinois algorithm."""
    start = log(before**2)
    spread = deviation**2 + variance
    surprise = improvement**2 - spread

    def slope(x: float) -> float:
        grown = exp(x)
        return grown * (surprise - grown) / (2 * (spread + grown) ** 2) - (x - start) / TAU**2

    low = start
    # One step of TAU is far enough where TAU is below 2: the slope there is at least 1 / TAU - 1 / 2.
    high = log(surprise) if surprise > 0 else start - TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > PRECISION:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)


def _g(deviation: float) -> float:
    """How much the rating of an opponent with this deviation (in points) counts."""
    return 1 / sqrt(1 + _SPREAD * deviation * deviation)


_SPREAD = 3 / (pi * SCALE) ** 2


def _within(least: float, number: float, most: float) -> float:
    return max(least, min(number, most))
