"""A simulated club: how long its people wait for opponents, to the second. Run it with -s to read the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import combinations
from random import Random
from statistics import median_high

import pytest
from sqlalchemy import func, select

from service.games import GAMES
from service.play.company import pairing, wishes
from service.play.company.wish_text import Wanted, read
from service.store.models import Match, Player, Seat
from service.store.tables.company import Wish
from tests.cases import FULL, cases
from tests.play.company.test_pairing import player, resign
from tests.play.conftest import Town

PEOPLE = 30
DAYS = cases(6, full=14)
SEEDS = (1, 0, 2, 3, 4, 5, 6, 7, 8, 9)
"""With the first seed, computer opponents play too."""

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@dataclass
class Club:
    """People who arrive one by one in the first half of the time, each with a wish for one to three games, with their
    own clock and limit. Their matches end before the time for the first move has passed.

    What a sweep finds changes only when somebody arrives, a match ends, or a wish has waited for a day. So time jumps
    to the next of these moments, and then goes from sweep to sweep until one begins no match. A sweep at a random
    moment between shows that nothing was missed.
    """

    town: Town
    chance: Random
    moments: list[tuple[datetime, int, int]] = field(default_factory=list)
    """When somebody arrives (0) or a match ends (1), with the number of either."""
    wanted: dict[int, Wanted] = field(default_factory=dict)
    running: dict[int, tuple[str, frozenset[int]]] = field(default_factory=dict)
    """The game and the people of each running match, without computer opponents."""
    made: dict[int, datetime] = field(default_factory=dict)
    idle: dict[int, datetime] = field(default_factory=dict)
    """Since when each person without a match has had none."""
    to_person: dict[int, timedelta] = field(default_factory=dict)
    to_anybody: list[timedelta] = field(default_factory=list)
    settled: list[timedelta] = field(default_factory=list)
    """How long after each change the sweeps took to begin its matches."""
    bots: int = 0
    latest: int = 0

    def live(self) -> None:
        """Simulates the club for DAYS days."""
        begin = self.town.now
        self.moments = [(begin + timedelta(seconds=self.chance.randrange(DAYS * 43_200)), 0, n) for n in range(PEOPLE)]
        heapify(self.moments)
        while (then := self._next()) < begin + DAYS * DAY:
            self._look_between(then)
            self.town.now = then
            while self.moments and self.moments[0][0] <= self.town.now:
                self._happen(*heappop(self.moments))
            self._sweep_until_quiet()
        self.to_anybody += [self.town.now - since for since in self.idle.values()]

    def _next(self) -> datetime:
        """The next moment at which somebody arrives, a match ends or a wish has waited for a day."""
        with self.town.store.reading() as session:
            patient = [since + pairing.PATIENCE for since in session.scalars(select(Wish.since))]
        return min(moment for moment in (*patient, *(one for one, _, _ in self.moments)) if moment > self.town.now)

    def _look_between(self, then: datetime) -> None:
        self.town.now += (then - self.town.now) * self.chance.random()
        assert not self._sweep(), "A sweep found something at a moment at which nothing had changed."

    def _happen(self, _at: datetime, what: int, which: int) -> None:
        if what == 0:
            self._come(which)
            return
        _, people = self.running.pop(which)
        resign(self.town, which, self.chance.randrange(2))
        busy = {one for _, others in self.running.values() for one in others}
        self.idle |= dict.fromkeys(people - busy, self.town.now)

    def _come(self, which: int) -> None:
        games = ", ".join(self.chance.sample([*GAMES], self.chance.randint(1, 3)))
        shortest = self.chance.choice((1, 2, 3))
        text = f"{games} {shortest}d-{shortest + self.chance.randint(2, 6)}d up to {self.chance.randint(1, 3)}"
        number = player(self.town, f"p{which}")
        self.wanted[number] = read(text)
        wishes.make(self.town.site, number, self.wanted[number])
        self.made[number] = self.idle[number] = self.town.now

    def _sweep_until_quiet(self) -> None:
        changed, sweeps = self.town.now, timedelta(seconds=self.town.settings.sweep_seconds)
        self.town.now += sweeps * self.chance.random()  # Sweeps don't run at the moment when somebody arrives.
        while self._sweep():
            self.settled.append(self.town.now - changed)
            self.town.now += sweeps
        assert [*self._missed()] == []
        counts = Counter(one for _, people in self.running.values() for one in people)
        assert all(count <= self.wanted[one].most for one, count in counts.items())

    def _sweep(self) -> bool:
        """Runs one sweep; returns whether it began a match."""
        pairing.pair(self.town.site)
        self.town.queue.clear()
        before, self.latest = self.latest, self._highest()
        for number in range(before + 1, self.latest + 1):
            self._begun(number)
        return self.latest > before

    def _highest(self) -> int:
        with self.town.store.reading() as session:
            return session.scalar(select(func.max(Match.id))) or 0

    def _begun(self, number: int) -> None:
        with self.town.store.reading() as session:
            game = session.get_one(Match, number).game
            ids = select(Seat.player_id).join(Player, Player.id == Seat.player_id)
            found = session.scalars(ids.where(Seat.match_id == number, Player.bot.is_(None)))
            people = frozenset(one for one in found if one is not None)
        self.running[number] = game, people
        time = min(self.wanted[one].longest for one in people)
        heappush(self.moments, (self.town.now + time * self.chance.random(), 1, number))
        self.to_anybody += [self.town.now - self.idle.pop(one) for one in people if one in self.idle]
        self.bots += len(people) == 1
        for one in people if len(people) == 2 else ():
            self.to_person.setdefault(one, self.town.now - self.made[one])

    def _missed(self) -> Iterator[tuple[int, int]]:
        """Pairs whose wishes meet although they don't play each other, found without the service's own code."""
        counts = Counter(one for _, people in self.running.values() for one in people)
        free = [one for one, wanted in self.wanted.items() if counts[one] < wanted.most]
        for one, other in combinations(free, 2):
            a, b = self.wanted[one], self.wanted[other]
            played = {game for game, people in self.running.values() if people == {one, other}}
            if {*a.games} & {*b.games} - played and max(a.shortest, b.shortest) <= min(a.longest, b.longest):
                yield one, other


@pytest.mark.parametrize("seed", SEEDS[: cases(1, 10)])
def test_a_club_of_thirty_people_finds_opponents_within_a_day(town: Town, seed: int) -> None:
    club = Club(town, Random(seed))
    club.live()
    assert len(club.made) == PEOPLE
    assert FULL or club.bots
    never = DAYS * DAY
    to_person = median_high(club.to_person.get(one, never) for one in club.made)
    print(
        f"seed {seed}: {PEOPLE} people, {club.latest} matches, {club.bots} of them with a computer opponent; nobody was"
        f" over their limit; from a wish to a person: median {to_person}, {len(club.to_person)} of {PEOPLE} found one;"
        f" without a match until anybody sat down: at most {max(club.to_anybody)}; from a change to the last match that"
        f" came of it: at most {max(club.settled)}"
    )
    assert to_person <= DAY
    assert max(club.to_anybody) <= DAY + MINUTE
    assert max(club.settled) <= MINUTE
