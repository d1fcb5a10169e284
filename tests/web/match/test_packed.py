"""Once a match is packed, it still looks the same on every page, in every export and to every program."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import cycle

import pytest
from flask import Flask
from sqlalchemy import func, select

from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.accounts.data_export import everything
from service.play.accounts.programs import tokens
from service.play.match import invitations, lobby, review
from service.play.match.lobby import Chair
from service.play.operations import packing, statistics
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages import feeds
from service.play.pages.match_page import match_page
from service.play.table import replay
from service.play.talk import comments, messages
from service.render.notation.records import formats
from service.store.models import Entry, Match, Submission
from service.store.tables.mail_rows import Letter
from service.web.security import limiter
from tests.cases import FULL, cases
from tests.games.playing import playout, small
from tests.play.conftest import Town
from tests.web.conftest import Visitor, at_a_browser, markup, signed_in

NAMES = ("ada", "bruno", "cleo", "dana", "emil")
READERS = ("ada", "bruno", "") if FULL else ("ada", "")
Answer = tuple[int, object]
"""The status of a page, and what it says."""

REMARKS = ("", "A remark", "", "Zwei Zeilen\nmit Umlauten: ä")


def play(town: Town, match: int, seat: int, text: str, remark: str = "") -> None:
    """Sends an order from the page of the player who has the seat."""
    with town.store.reading() as session:
        own = session.get_one(Match, match).seats[seat]
        key = f"web:{match}:{seat}:{session.scalar(select(func.count(Submission.id)))}"
    submit(town.site, Incoming(key, match, seat, own.player_id or 0, None, parse(text), "web", remark))
    town.work()


def begun(town: Town, game: str, seats: int, options: dict[str, str], *, team: bool = False) -> int:
    """A match of the first of these people, with a partner at the first seat if it's a team's."""
    people = [signed_in(town, f"{name}@example.org")[0] for name in NAMES]
    mates = tuple(Chair("player", player_id=one) for one in people[-1:] * team)
    chairs = [Chair("me", mates=mates), *(Chair("player", player_id=one) for one in people[1:seats])]
    match = lobby.open_match(town.site, people[0], game, options, chairs, "3d/move, no vacation", "public")
    for one in (*people[1:seats], *people[-1:] * team):
        invitations.answer(town.site, match, one, accept=True)
    town.work()
    return match


def finished(town: Town, game: str) -> int:
    """A random match of a game, with remarks, a takeback, messages, comments, a note and a variation."""
    variant = small(game)
    match = begun(town, game, variant.seats, dict(variant.options))
    remarks = cycle(REMARKS)
    for seat, move in playout(variant, 1).log[: cases(5, full=60)]:
        play(town, match, seat, move, next(remarks))
    play(town, match, 0, "takeback")
    for seat in range(1, variant.seats):
        play(town, match, seat, "accept takeback")
    for seat in range(variant.seats):
        play(town, match, seat, "resign", "Well played")
    talk(town, match)
    return match


def talk(town: Town, match: int) -> None:
    """Messages and the like about a match that is over."""
    ada = signed_in(town, "ada@example.org")[0]
    messages.say(town.site, match, ada, "Thank you", f"web:said:{match}")
    comments.add(town.site, match, ada, 1, "A quiet move.", f"comment:{match}")
    messages.keep_note(town.site, match, ada, "Mine alone")
    town.work()


def paths(town: Town, match: int, game: str, seats: int) -> Iterator[str]:
    """The addresses at which anything of a match can be read."""
    known = match_page(town.site, match, None)
    assert known is not None
    page = f"/match/{match}"
    yield from (page, f"{page}/embed", f"{page}/news", f"{page}/round/{known.line.round}/board.svg")
    yield f"/oembed?url={town.settings.public_url}{page}"
    for ply in range(known.last + 1) if FULL else (0, 1, known.last):
        yield from (f"{page}/at/{ply}", f"{page}/at/{ply}/board.svg", f"{page}/explore/{ply}")
    yield from (f"{page}/at/1/{what}" for what in ("share", "embed", "card.png", "board.png"))
    yield from (f"{page}/record.{suffix}" for suffix in formats(GAMES[game], seats))
    yield from ("/", "/history", "/matches", f"/matches?game={game}", "/player/1", "/player/2", f"/ratings/{game}")
    yield from ("/statistics", f"/statistics/{game}", "/events", "/gazette", "/following")


def asked(match: int, game: str, seats: int) -> Iterator[str]:
    """The same addresses for programs."""
    page = f"/api/v1/matches/{match}"
    yield from (page, *(f"{page}/{what}" for what in ("moves", "messages", "comments", "variations", "review")))
    yield from (f"{page}/board.{suffix}" for suffix in ("svg", "png", "txt"))
    yield from (f"{page}/record.{suffix}" for suffix in formats(GAMES[game], seats))
    yield from ("/api/v1/matches", "/api/v1/matches/mine", "/api/v1/players/1", f"/api/v1/statistics/{game}")


def seen(town: Town, app: Flask, match: int, game: str, seats: int) -> dict[tuple[str, str], Answer]:
    """Everything that anybody reads, by reader and address."""
    found: dict[tuple[str, str], Answer] = {}
    for name in READERS:
        replay.forget()
        visitor = at_a_browser(app, *signed_in(town, f"{name}@example.org")) if name else Visitor(app.test_client())
        for path in paths(town, match, game, seats):
            found[name, path] = _read(visitor, path)
        if not name:
            continue
        token, _ = tokens.make(town.site, visitor.id, "", tokens.SCOPES, None, f"token {town.now} {name}")
        for path in asked(match, game, seats):
            answer = app.test_client().get(path, headers={"Authorization": f"Bearer {token}"})
            found[name, path] = (answer.status_code, answer.data)
        # Rows that are no longer kept aren't exported either: orders, and letters about the match.
        gone = ("submission", "letter", "visit", "token")
        data = everything(town.site, visitor.id).items()
        found[name, "data"] = (200, {table: rows for table, rows in data if table not in gone})
        feed = feeds.address(town.site, visitor.id).removeprefix(town.settings.public_url)
        for kind in ("turns.xml", "followed.xml", "deadlines.ics"):
            found[name, kind] = _read(visitor, f"{feed}/{kind}")
    return found


def _read(visitor: Visitor, path: str) -> Answer:
    answer = visitor.get(path)
    return answer.status_code, markup(answer) if answer.mimetype == "text/html" else answer.data


def packed(town: Town, app: Flask, match: int, game: str, seats: int) -> None:
    """Packs a match, and asserts that nobody sees a difference."""
    statistics.compute(town.site)
    town.now += timedelta(days=31)
    same = partial(seen, town, app, match, game, seats)
    before = same()
    found = [where for where, answer in before.items() if answer[0] == 200]
    assert len(found) > 0.85 * len(before), [where for where in before if where not in found]
    assert packing.pack_old(town.site) == 1
    with town.store.reading() as session:
        assert session.get_one(Match, match).log
        assert session.scalar(select(func.count()).select_from(Entry)) == 0
        assert session.scalar(select(func.count(Submission.id))) == 1, "only the latest row of all is left"
        assert (session.scalar(select(func.count(Letter.id)).where(Letter.match_id == match)) or 0) <= 1
    after = same()
    assert before.keys() == after.keys()
    assert [where for where in before if before[where] != after[where]] == []


@pytest.fixture(autouse=True)
def _unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "enabled", False)


@pytest.mark.parametrize("game", GAMES if FULL else ("medusa", "pillars", "go", "multigo-parallel-coop"))
def test_every_page_of_a_match_stays_the_same(town: Town, app: Flask, game: str) -> None:
    packed(town, app, finished(town, game), game, small(game).seats)


def test_a_packed_match_with_sealed_moves_a_team_and_a_late_player_stays_the_same(town: Town, app: Flask) -> None:
    match = begun(town, "multigo-parallel", 3, {"size": "5"}, team=True)
    for seat, move in ((0, "a1"), (0, "b1"), (1, "c3"), (2, "d4"), (1, "e5"), (1, "wait"), (0, "c4"), (1, "c5")):
        play(town, match, seat, move, f"{seat} {move}")
    with town.store.reading() as session:
        assert "replaced" in session.scalars(select(Entry.fate)).all()
    town.now += timedelta(days=4)
    sweep(town.site)
    town.work()
    play(town, match, 1, "resign")
    talk(town, match)
    packed(town, app, match, "multigo-parallel", 3)


def test_a_packed_match_with_a_review_stays_the_same(town: Town, app: Flask) -> None:
    match = begun(town, "rosette", 2, {"base": "5"})
    for seat, move in ((0, "e5"), (1, "f6"), (0, "g7"), (1, "resign")):
        play(town, match, seat, move)
    review.ask(town.site, match, 1)
    town.work()
    packed(town, app, match, "rosette", 2)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_packed_match_on_postgresql_stays_the_same(town: Town, app: Flask) -> None:
    packed(town, app, finished(town, "multigo-coop"), "multigo-coop", small("multigo-coop").seats)
