"""A simulated year: people who move, dawdle, vanish and go on vacation, alone and in teams, seats that change hands,
mail that bounces, and outages.

The clock is set by hand; the code and the database are real; every game is played, on the web and by email.
`YEAR_MATCHES=200 pytest tests/play/test_year.py -s` runs the long version.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from random import Random

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.engine.game import SUBSTITUTE
from service.mail.grammar.orders import parse
from service.play.match import invitations, lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.notify.preferences import CHOICES
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Entry, Match, Player, Seat, Submission, TimeOff
from service.store.tables.mail_rows import Letter
from service.store.tables.offers import Offer
from service.store.tables.pulse import Pulse
from tests.cases import cases
from tests.play.conftest import Town
from tests.play.outbox.test_deliver import report
from tests.play.timekeeping.test_clocks import player

MATCHES = int(os.environ.get("YEAR_MATCHES", "9"))
STEP = timedelta(hours=cases(40, full=18))
SPREAD = timedelta(days=cases(90, full=180))
"""The time over which matches begin."""

GAMES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("rosette", 2, {"base": "5"}),
    ("multigo-parallel-coop", 4, {"size": "5"}),
    ("medusa", 2, {"base": "4"}),
    ("pillars", 2, {}),
    ("multigo", 3, {"size": "5"}),
    ("lotus", 2, {}),
    ("multigo-parallel", 3, {"size": "5"}),
    ("go", 2, {"size": "7"}),
    ("multigo-coop", 3, {"size": "5"}),
)
CLOCKS = (
    "7d/move, weekends off",
    "5d/round, late passes",
    "fischer 10d+2d cap 14d",
    "byoyomi 10d 3x3d",
    "5d/move, late passes",
    "canadian 10d 5/7d, sleep 23-7",
    "3d/move",
    "absolute 60d, no vacation",
    "rounds at 18:00 mon wed fri Europe/Lisbon, late extends",
)
ZONES = ("Europe/Berlin", "Australia/Sydney", "America/Sao_Paulo", "Asia/Kathmandu")
HABITS = (0.9, 0.7, 0.5, 0.25)
"""How likely each person is to move in a step. One in five vanishes one day."""

ENOUGH = cases(8, full=15)
"""From this ply on people pass, and then agree; or resign, where there is no passing."""


@dataclass
class Person:
    id: int
    email: str
    habit: float
    vanishes: datetime | None
    bounces: tuple[datetime, datetime] | None
    """From when to when mail to them bounces; then they write again."""
    by_mail: bool
    mails: dict[int, EmailMessage] = field(default_factory=dict)
    """The last email about each match."""


@pytest.mark.timeout(3600)
def test_a_year_ends_with_every_match_finished_and_every_letter_accounted_for(town: Town) -> None:
    chance = Random(2027)
    town.now = town.now.replace(month=1, day=1)
    town.settings = replace(town.settings, keep=replace(town.settings.keep, pack=0))  # Packing deletes letters.
    began = town.now
    people = [person(town, n) for n in range(max(6, MATCHES // 3))]
    begun = 0
    while town.now < began + timedelta(days=365) and (begun < MATCHES or running(town)):
        while begun < MATCHES and town.now >= began + begun * SPREAD / MATCHES:
            open_match(town, chance.sample(people, GAMES[begun % len(GAMES)][1] + (begun % 3 == 0)), begun)
            begun += 1
        live_a_step(town, chance, people)
    everything_is_accounted_for(town, people)


def open_match(town: Town, company: list[Person], n: int) -> None:
    """Opens the n-th match of the year, which all accept. Players beyond the number of seats share the first."""
    game, number, options = GAMES[n % len(GAMES)]
    others = [Chair("email", other.email) for other in company[1:]]
    chairs = [Chair("me", mates=tuple(others[number - 1 :])), *others[: number - 1]]
    clock = CLOCKS[n % len(CLOCKS)]
    match = lobby.open_match(
        town.site, company[0].id, game, options, chairs, clock, substitutes=None if n % 2 else True
    )
    for other in company[1:]:
        invitations.answer(town.site, match, other.id, True)


def person(town: Town, n: int) -> Person:
    """The n-th person, with habits that depend on the number."""
    email = f"p{n}@example.org"
    known = player(town, email, vacation=True, zone=ZONES[n % len(ZONES)])
    with town.store.writing() as session:
        row = session.get_one(Player, known)
        row.post, row.confirmed = CHOICES[n % 3], town.now
    since = town.now + timedelta(days=15 + n)
    return Person(
        known,
        email,
        HABITS[n % len(HABITS)],
        town.now + timedelta(days=10 + 7 * n % 70) if n % 5 == 3 else None,
        (since, since + timedelta(days=40)) if n % 5 == 1 else None,
        by_mail=n % 2 == 0,
    )


def live_a_step(town: Town, chance: Random, people: list[Person]) -> None:
    """Some of those who are to move do so; then time passes, now and then with the site down."""
    by_id = {one.id: one for one in people}
    for match, seat, player_id in waiting(town):
        one = by_id[player_id]
        if (one.vanishes is None or town.now < one.vanishes) and chance.random() < one.habit:
            move(town, one, match, seat, choose(town, match, seat, chance))
            if chance.random() < 0.05:
                said(town, one, match, seat, chance.choice(("takeback", "pause for 5 days", "resume play")))
    answer_offers(town, chance, by_id)
    if chance.random() < 0.15:
        hand_over(town, chance, people)
    if chance.random() < 0.8:
        town.work()
    else:
        town.queue.clear()  # All nudges are lost, and the sweep makes up for it.
    town.now += STEP
    if chance.random() < 0.98:
        with town.store.writing() as session:
            session.merge(Pulse(id=1, at=town.now))
    sweep(town.site)
    town.work()
    for one in people:
        write_again(town, one)
    read_the_post(town, {one.email: one for one in people})


def answer_offers(town: Town, chance: Random, by_id: dict[int, Person]) -> None:
    """Players with an offer to answer agree to most of them."""
    with town.store.reading() as session:
        open_offers = [(offer.kind, offer.seat, offer.match_id) for offer in session.scalars(select(Offer))]
        asked = [
            (by_id[seat.player_id], kind, match, seat.number)
            for kind, by, match in open_offers
            for seat in session.get_one(Match, match).seats
            if seat.number != by and seat.player_id is not None
        ]
    for one, kind, match, seat in asked:
        if (one.vanishes is None or town.now < one.vanishes) and chance.random() < one.habit:
            answer = "accept" if chance.random() < 0.7 else "decline"
            said(town, one, match, seat, f"{answer} {'resume play' if kind == 'resume' else kind}")


def hand_over(town: Town, chance: Random, people: list[Person]) -> None:
    """Somebody leaves a team, or offers their place, which somebody takes unless they have or had a place there."""
    with town.store.reading() as session:
        playing = session.scalars(select(Match).where(Match.state == "running", Match.substitutes)).all()
        places = [(place.match_id, place.number, place.player_id) for match in playing for place in match.places]
    if places:
        match, number, player_id = chance.choice(places)
        one = next(one for one in people if one.id == player_id)
        if chance.random() < 0.4:
            said(town, one, match, number, "leave team")
            return
        with suppress(LobbyError):
            substitutes.offer(town.site, match, one.id, "anybody")
            substitutes.join(town.site, match, chance.choice(people).id)


def said(town: Town, one: Person, match: int, seat: int, text: str) -> None:
    key = f"web:{match}:{seat}:{text}:{town.now.isoformat()}"
    submit(town.site, Incoming(key, match, seat, one.id, None, parse(text), "web"))


def move(town: Town, one: Person, match: int, seat: int, order: str) -> None:
    """Moves by a reply to the latest email, for people who play by email and have one, or on the page."""
    if one.by_mail and match in one.mails:
        town.reply(one.mails.pop(match), order)
    else:
        key = f"web:{match}:{seat}:{town.now.isoformat()}"
        submit(town.site, Incoming(key, match, seat, one.id, None, parse(order), "web"))


def read_the_post(town: Town, people: dict[str, Person]) -> None:
    """Everybody gets their emails, or they bounce."""
    for mail in town.post():
        one = people[mail["To"].addresses[0].addr_spec]
        if one.bounces and one.bounces[0] <= town.now < one.bounces[1]:
            report(town, one.email, "delivery-status", "Action: failed\nStatus: 5.1.1")
        elif "your move" in mail["Subject"] and (about := re.search(r"<match-(\d+)@", mail.get("References", ""))):
            one.mails[int(about[1])] = mail


def write_again(town: Town, one: Person) -> None:
    """A player whose mailbox works again writes an email."""
    if one.bounces and town.now >= one.bounces[1]:
        one.bounces = None
        town.write(one.email, "status")


def choose(town: Town, match_id: int, seat: int, chance: Random) -> str:
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        moves = list(replay.position(session, match).moves(seat))
    if "accept" in moves:
        return "accept"
    if match.ply >= ENOUGH:
        return "pass" if "pass" in moves else "resign" if len(moves) > 9 else moves[0]
    return chance.choice([move for move in moves if move != "pass"] or moves)


def running(town: Town) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(Match).where(Match.state == "running")) or 0


def waiting(town: Town) -> list[tuple[int, int, int]]:
    with town.store.reading() as session:
        to_move = select(Seat.match_id, Seat.number, Seat.player_id).join(Match)
        rows = session.execute(to_move.where(Seat.to_move, Match.state == "running").order_by(Seat.match_id)).all()
        return [(match, seat, person) for match, seat, person in rows if person is not None]


def everything_is_accounted_for(town: Town, people: list[Person]) -> None:
    """Checks what is left in the end, and prints the figures."""
    unreachable = {one.id for one in people[1::5]}
    with town.store.reading() as session:
        matches = session.scalars(select(Match)).all()
        assert {match.state for match in matches} == {"over"}
        assert session.scalars(select(Seat).where(Seat.deadline.is_not(None))).all() == []
        assert session.scalars(select(Submission).where(Submission.verdict.is_(None))).all() == []
        letters = session.scalars(select(Letter)).all()
        fates = Counter(
            fate(session, letter, session.get_one(Player, letter.player_id), letter.player_id in unreachable)
            for letter in letters
        )
        assert fates.keys() <= {"sent", "bounced", "not needed", "held"}
        results = Counter(letter.match_id for letter in letters if letter.kind == "result")
        assert results == {match.id: len(match.places) for match in matches}
        handed = session.scalars(select(Entry.ply).where(Entry.move == SUBSTITUTE)).all()
        kinds = Counter(letter.kind for letter in letters)
        assert min(len(handed), kinds["released"], kinds["left"]) > 0, "No seat has changed hands, or nobody left."
        for match in matches:
            plies = session.scalars(select(Entry.ply).where(Entry.match_id == match.id).order_by(Entry.ply)).all()
            assert list(plies) == list(range(1, match.ply + 1))
        off = session.scalars(select(TimeOff)).all()
        gone_back = session.scalars(select(Entry.ply).where(Entry.back.is_not(None))).all()
        spent = Counter(row.player_id for row in off if row.player_id)
        assert all(days <= 30 for days in spent.values())
        print(
            f"\n{len(matches)} matches of {len(people)} people: {dict(Counter(match.reason for match in matches))}; "
            f"{sum(match.ply for match in matches)} moves, {len(letters)} letters "
            f"{dict(kinds)}, {dict(fates)}, {sum(spent.values())} days of "
            f"vacation, {sum(row.key.startswith('outage') for row in off)} outages, "
            f"{sum(row.match_id is not None for row in off)} pauses, {len(gone_back)} takebacks, "
            f"{sum(match.teams for match in matches)} matches with teams, {len(handed)} times a seat had another player"
        )


def fate(session: Session, letter: Letter, reader: Player, bounced: bool) -> str:
    """What happened to a letter: "lost" if it wasn't sent for no good reason."""
    if letter.sent:
        return "sent"
    if letter.held:
        return "held"
    if letter.due is None and not letter.error:
        if letter.match_id is not None and not session.get_one(Match, letter.match_id).place_of(reader.id):
            return "not needed"
        return "bounced" if bounced else "not needed" if reader.post != "instant" else "lost"
    return "lost"
