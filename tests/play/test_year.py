"""A simulated year: people who move, dawdle, vanish and go on vacation, and a house that sometimes stands still.

Hand-set clock, real code, real database. `YEAR_MATCHES=200 pytest tests/play/test_year.py -s` is the long one.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime, timedelta
from random import Random

import pytest
from sqlalchemy import func, select

from service.play import lobby, replay
from service.play.lobby import Chair
from service.play.submit import Order, submit
from service.play.sweep import sweep
from service.store.models import Entry, Letter, Match, Player, Pulse, Seat, Submission, TimeOff
from tests.play.conftest import Town
from tests.play.test_clocks import player

MATCHES = int(os.environ.get("YEAR_MATCHES", "4"))
STEP = timedelta(hours=18)
CLOCKS = (
    "3d/move",
    "7d/move, weekends off",
    "fischer 10d+1d cap 14d",
    "byoyomi 10d 3x2d",
    "canadian 10d 5/7d, sleep 23-7",
    "absolute 60d, no vacation",
    "5d/move, late passes",
)
ZONES = ("Europe/Berlin", "Australia/Sydney", "America/Sao_Paulo", "Asia/Kathmandu")
HABITS = (0.9, 0.6, 0.3, 0.15)
"""How likely somebody is to move on a day; each fourth person vanishes one day."""

ENOUGH = 24
"""From this ply on people pass, and then agree."""


@pytest.mark.timeout(3600)
def test_a_year_ends_with_every_match_finished_and_every_letter_accounted_for(town: Town) -> None:
    chance = Random(2026)
    town.now = town.now.replace(month=1, day=1)
    began = town.now
    people = [
        player(town, f"p{n}@example.org", vacation=True, zone=ZONES[n % len(ZONES)])
        for n in range(max(4, MATCHES // 3))
    ]
    vanish = {person: began + timedelta(days=chance.randint(20, 90)) for person in people[3::4]}
    for n in range(MATCHES):
        pair = chance.sample(people, 2)
        email = f"p{people.index(pair[1])}@example.org"
        chairs = [Chair("me"), Chair("email", email)]
        match = lobby.open_match(town.house, pair[0], "rosette", {"base": "5"}, chairs, CLOCKS[n % len(CLOCKS)])
        lobby.answer(town.house, match, pair[1], True)
    while town.now < began + timedelta(days=365) and running(town):
        live_a_step(town, chance, people, vanish)
    report(town, people)


def live_a_step(town: Town, chance: Random, people: list[int], vanish: dict[int, datetime]) -> None:
    """Some of those to move do; then time passes, now and then with the house standing still."""
    for match, seat, person in waiting(town):
        gone = vanish.get(person)
        if (gone is None or town.now < gone) and chance.random() < HABITS[people.index(person) % len(HABITS)]:
            key = f"web:{match}:{seat}:{town.now.isoformat()}"
            submit(town.house, Order(key, match, seat, person, None, choose(town, match, seat, chance), "web"))
    if chance.random() < 0.8:
        town.work()
    else:
        town.queue.clear()  # All nudges lost: the sweep makes up for it.
    town.now += STEP
    if chance.random() < 0.98:
        with town.store.writing() as session:
            session.merge(Pulse(id=1, at=town.now))
    sweep(town.house)
    town.work()


def choose(town: Town, match_id: int, seat: int, chance: Random) -> str:
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        moves = list(replay.position(session, match).moves(seat))
    if "accept" in moves:
        return "accept"
    if match.ply >= ENOUGH:
        return "pass"
    return chance.choice([move for move in moves if move != "pass"] or moves)


def running(town: Town) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(Match).where(Match.state == "running")) or 0


def waiting(town: Town) -> list[tuple[int, int, int]]:
    with town.store.reading() as session:
        to_move = select(Seat.match_id, Seat.number, Seat.player_id).join(Match)
        rows = session.execute(to_move.where(Seat.to_move, Match.state == "running").order_by(Seat.match_id)).all()
        return [(match, seat, person) for match, seat, person in rows if person is not None]


def report(town: Town, people: list[int]) -> None:
    """Everything is accounted for; the figures are printed."""
    with town.store.reading() as session:
        matches = session.scalars(select(Match)).all()
        assert {match.state for match in matches} == {"over"}
        assert session.scalars(select(Seat).where(Seat.deadline.is_not(None))).all() == []
        assert session.scalars(select(Submission).where(Submission.verdict.is_(None))).all() == []
        letters = session.scalars(select(Letter)).all()
        assert [letter.key for letter in letters if letter.sent is None] == []
        assert Counter(letter.kind for letter in letters)["result"] == 2 * len(matches)
        for match in matches:
            plies = session.scalars(select(Entry.ply).where(Entry.match_id == match.id).order_by(Entry.ply)).all()
            assert list(plies) == list(range(1, match.ply + 1))
        off = session.scalars(select(TimeOff)).all()
        spent = Counter(row.player_id for row in off if row.player_id)
        assert all(days <= 30 for days in spent.values())
        assert set(spent) <= set(session.scalars(select(Player.id)))
        print(
            f"\n{len(matches)} matches of {len(people)} people: {Counter(match.reason for match in matches)}; "
            f"{sum(match.ply for match in matches)} moves, {len(letters)} letters "
            f"{dict(Counter(letter.kind for letter in letters))}, {sum(spent.values())} days of vacation, "
            f"{sum(row.player_id is None for row in off)} outages"
        )
