"""A match of eight, half by email and half on the web: two players drop out, one of them is replaced, and it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from fractions import Fraction

import pytest
from sqlalchemy import func, select

from service.engine.game import Position
from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists
from service.play.table import replay, teams
from service.play.talk import messages
from service.store.models import Entry, Match, Submission
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import Pulse
from tests.cases import FULL
from tests.play.conftest import Town, plain
from tests.play.table.test_press import to
from tests.play.table.test_results import added_up, counted

NAMES = ("ada", "ben", "cleo", "dana", "emil", "fay", "gus", "hana")
"""Those in even seats play on the web and, except for Ada, want no emails; the others play by email. Cleo and Gus
vanish."""

ABSENT = {2, 6}
SUBSTITUTE = "ivo"
CLOCK = "1d/move, no vacation, late passes"
GAMES_FOR_MANY = [name for name, game in GAMES.items() if game.max_seats == len(NAMES)]
SOME_FOR_MANY = GAMES_FOR_MANY if FULL else ["multigo-parallel-coop"]
"""By default the one with the most rules: moves at once, and alliances."""


@dataclass
class Table:
    """The match, the name of each seat's player, and the latest turn email of each who plays by email."""

    town: Town
    match: int
    names: list[str] = field(default_factory=lambda: [*NAMES])
    turns: dict[str, EmailMessage] = field(default_factory=dict)

    def id(self, name: str) -> int:
        with self.town.store.writing() as session:
            return identity.by_email(session, f"{name}@example.org", self.town.now).id

    def position(self) -> Position:
        with self.town.store.reading() as session:
            return replay.position(session, session.get_one(Match, self.match))

    def look_in_the_mail(self) -> list[EmailMessage]:
        return self.take(self.town.post())

    def take(self, mails: list[EmailMessage]) -> list[EmailMessage]:
        self.turns |= {mail["To"].addresses[0].username: mail for mail in mails if "your move" in mail["Subject"]}
        return mails

    def play(self, seat: int, round_: int, text: str) -> None:
        """Plays by email, as a reply to the latest turn email, or on the web."""
        name = self.names[seat]
        if seat % 2 or name == SUBSTITUTE:
            self.town.reply(self.turns[name], text)
        else:
            key = f"web:{seat}:{self.town.now.isoformat()}"
            submit(self.town.site, Incoming(key, self.match, seat, self.id(name), round_, parse(text), "web"))
            self.town.work()
        self.look_in_the_mail()

    def wait(self) -> None:
        """Lets a day pass on which nobody plays."""
        self.town.now += timedelta(hours=25)
        with self.town.store.writing() as session:
            session.merge(Pulse(id=1, at=self.town.now))
        sweep(self.town.site)
        self.town.work()
        self.look_in_the_mail()


def sit_down(town: Town, game: str) -> Table:
    with town.store.writing() as session:
        for name in (*NAMES, SUBSTITUTE):
            identity.by_email(session, f"{name}@example.org", town.now).name = name.capitalize()
    table = Table(town, 0)
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in NAMES[1:])]
    table.match = lobby.open_match(town.site, table.id("ada"), game, {"size": "5"}, chairs, CLOCK)
    town.work()
    for seat, (name, invitation) in enumerate(sorted(to(table.look_in_the_mail()).items()), start=1):
        assert name == NAMES[seat]
        if seat % 2:
            town.reply(invitation, "accept")
        else:
            invitations.answer(town.site, table.match, table.id(name), True)
            town.work()
    with town.store.writing() as session:
        for name in ("cleo", "emil", "gus"):
            identity.by_email(session, f"{name}@example.org", town.now).post = "off"
    table.look_in_the_mail()
    return table


def negotiate(table: Table) -> None:
    """Ada whispers to Ben on the web, and Ben answers by email; nobody else hears of it."""
    messages.say(table.town.site, table.match, table.id("ada"), "Shall we share the victory?", "web:1", [1])
    table.town.work()
    (whisper,) = table.look_in_the_mail()
    table.town.reply(whisper, "With pleasure")
    answers = to(table.look_in_the_mail())
    assert set(answers) == {"ada", "ben"}
    assert plain(answers["ada"]).startswith("White wrote to you, and to nobody else.")
    assert "Sent to Black." in plain(answers["ben"])
    for name in NAMES:
        heard = [line.text for line in messages.heard(table.town.site, table.match, table.id(name)).lines]
        assert heard == (["Shall we share the victory?", "With pleasure"] if name in ("ada", "ben") else [])


def choose(position: Position, seat: int) -> str:
    """Black and White place stones until somebody is out; after that everybody passes, accepts and declares."""
    moves = [*position.moves(seat)]
    if position.phase == "alliances":
        return {0: "ally white", 1: "ally black"}.get(seat, "alone")
    if position.phase != "play":
        return "accept"
    if seat > 1 or len(position.active) < len(NAMES):
        return "pass"
    points = [move for move in moves if move != "pass"]
    return points[0] if seat == 0 else points[-1]


@pytest.mark.parametrize("game", SOME_FOR_MANY)
def test_eight_players_reach_the_end_although_two_drop_out(town: Town, game: str) -> None:
    table, absent = sit_down(town, game), set(ABSENT)
    negotiate(table)
    while (position := table.position()).turns:
        present = [seat for seat in position.turns if seat not in absent]
        for seat in present:
            table.play(seat, position.round, choose(position, seat))
        if not present:
            table.wait()
        if SUBSTITUTE not in table.names and match_lists.open_matches(town.site):
            table.take(town.write(f"{SUBSTITUTE}@example.org", f"join {table.match}"))
            with town.store.reading() as session:
                seat = next(s.number for s in session.get_one(Match, table.match).seats if s.taken is not None)
            table.names[seat] = SUBSTITUTE
            absent.remove(seat)
    assert SUBSTITUTE in table.names
    check(table, "coop" in game)


def check(table: Table, allied: bool) -> None:
    """Checks who won, who left and what is in the log, and that all letters were sent."""
    with table.town.store.reading() as session:
        match = session.get_one(Match, table.match)
        assert (match.state, match.reason) == ("over", "points")
        scores = [Fraction(seat.score or 0) for seat in match.seats]
        assert sum(scores) == 1
        if allied:
            assert scores[:2] == [Fraction(1, 2), Fraction(1, 2)]
        log = session.execute(select(Entry.seat, Entry.move).where(Entry.match_id == match.id)).all()
        replaced = table.names.index(SUBSTITUTE)
        (gone,) = ABSENT - {replaced}
        assert [seat for seat, move in log if move == "substitute"] == [replaced]
        assert [seat for seat, move in log if move == "timeout"] == [gone]
        assert teams.names(match, replaced) == SUBSTITUTE.capitalize()
        doors = session.execute(select(Submission.door, func.count()).group_by(Submission.door)).all()
        assert {door: count > 6 for door, count in doors if door != "clock"} == {"mail": True, "web": True}
        assert [seat.deadline for seat in match.seats] == [None] * len(NAMES)
        assert session.scalars(select(Letter.key).where(Letter.sent.is_(None), Letter.due.is_not(None))).all() == []
        results = session.scalars(select(Letter.player_id).where(Letter.kind == "result")).all()
        assert sorted(results) == sorted(seat.player_id or 0 for seat in match.seats)
    assert counted(table.town) == added_up(table.town) != {}
    for name in {*NAMES, SUBSTITUTE} - {"ada", "ben"}:
        texts = [line.text for line in messages.heard(table.town.site, table.match, table.id(name)).lines]
        assert texts == []


@pytest.mark.parametrize("game", SOME_FOR_MANY)
def test_a_bot_plays_for_all_its_seats(town: Town, game: str) -> None:
    table = Table(town, 0)
    chairs = [Chair("me"), Chair("bot"), Chair("bot")]
    table.match = lobby.open_match(town.site, table.id("ada"), game, {"size": "5"}, chairs)
    town.work()
    table.play(0, 1, "c3")
    town.work()
    assert table.position().round > 1
    with town.store.reading() as session:
        assert {*session.scalars(select(Entry.seat))} == {0, 1, 2}
        assert {*session.scalars(select(Submission.verdict))} == {"accepted"}
