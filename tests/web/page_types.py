"""Every kind of page, with an address of each in a town where something is going on."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from functools import cache
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import update

from service.bots.roster import NAMES
from service.games import GAMES
from service.play.accounts import identity, passwords
from service.play.accounts.programs import bot_accounts, tokens
from service.play.company import events, gazette_issues, ladders, wishes
from service.play.company.events import Plan
from service.play.company.wish_text import read
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.notify import following
from service.play.operations import operator_acts
from service.play.site import Task
from service.play.table import replay
from service.play.talk import comments, messages, moderation
from service.store.session import Store
from service.store.tables.credentials import MailNetwork, Passkey, Password, Visit
from service.store.tables.mail_rows import Letter
from service.web.security import limiter
from tests import postgresql
from tests.play.conftest import Town, whole
from tests.web.conftest import Visitor, at_a_browser, judge, play_on_page, seat, signed_in


@dataclass(frozen=True)
class Page:
    """A kind of page: its visitor, the most statements it may take, and its status.

    `path` may contain names in `Scenery.places`.
    """

    endpoint: str
    path: str
    most: int
    who: str = "ada"
    status: int = 200
    post: bool = False
    """Whether a form is posted to `path`, which answers with a page."""


PAGES = (
    Page("lobby.front", "/", 10, "anybody"),
    Page("lobby.front", "/", 10),
    Page("wishes.show", "/wishes", 7),
    Page("events.index", "/events", 4),
    Page("events.index", "/events", 4, "anybody"),
    Page("events.show", "/events/1", 10),
    Page("events.show", "/events/2", 10),
    Page("events.show", "/events/3", 8, "anybody"),
    Page("events.show", "/events/4", 14),
    Page("events.show", "/events/5", 11),
    Page("events.show", "/events/6", 9, "anybody"),
    Page("gazette.show", "/gazette", 10, "anybody"),
    Page("gazette.show", "/gazette/1", 10),
    Page("gazette.show", "/gazette/9", 4, "anybody", 404),
    Page("following.show", "/following", 8),
    Page("lobby.new", "/new", 3),
    Page("lobby.new_match", "/new/rosette", 3),
    Page("lobby.new_match", "/new/multigo-parallel?seats=4", 3),
    Page("play_now.choose", "/play", 2, "anybody"),
    Page("rules.index", "/rules", 2, "anybody"),
    Page("rules.by_mail", "/by-mail", 2, "anybody"),
    Page("guide.show", "/api", 2, "anybody"),
    *(Page("rules.page", f"/rules/{game}", 2, "anybody") for game in GAMES),
    Page("problems.index", "/problems", 2, "anybody"),
    Page("problems.problem", "/problems/pillars/2", 2, "anybody"),
    Page("problems.problem", "/problems/pillars/2?move=z99", 2, "anybody", 422),
    Page("learn.index", "/learn", 2, "anybody"),
    *(Page("learn.step", f"/learn/{game}", 2, "anybody") for game in GAMES),
    Page("learn.step", "/learn/lotus/2?move=u2", 2, "anybody"),
    Page("learn.step", "/learn/lotus/2?move=z9", 2, "anybody", 422),
    Page("learn.end", "/learn/lotus/end", 2),
    Page("people.matches", "/matches", 6),
    Page("people.matches", "/matches?player=ada&state=running", 6, "anybody"),
    Page("people.matches", "/matches?player=nobody+at+all", 5),
    Page("people.player", "/player/{bruno}", 14),
    Page("people.player", "/player/{ada}", 10),
    Page("people.player", "/player/{bot}", 10, "anybody"),
    Page("people.history", "/history", 6),
    Page("people.history", "/history?game=rosette", 6, "bruno"),
    Page("people.ratings", "/ratings", 3, "anybody"),
    Page("people.ratings", "/ratings/lotus?floor=1500&player=1&place=50", 3),
    Page("people.statistics", "/statistics", 2, "anybody"),
    Page("people.statistics", "/statistics/rosette", 3),
    Page("match.show", "{mine}", 13),
    Page("share.show", "{mine}/at/1/share", 7),
    Page("share.embed", "{mine}/embed", 7, "anybody"),
    Page("share.embed", "{mine}/at/1/embed", 7),
    Page("match.show", "{mine}", 11, "anybody"),
    Page("match.show", "{his}", 13),
    Page("match.show", "{over}", 18),
    Page("match.show", "{offered}", 13),
    Page("match.show", "{invited}", 13),
    Page("match.show", "{sealed}", 13),
    Page("match.show", "{waiting}", 13),
    Page("match.show", "{refused}", 14),
    Page("match.at", "{mine}/at/1", 8),
    Page("match.at", "{over}/at/0", 9, "anybody"),
    Page("match.preview", "{mine}/preview?text=e9", 14, status=422, post=True),
    Page("explore.show", "{mine}/explore/1", 12),
    Page("explore.show", "{tried}", 12),
    Page("talk.say", "{mine}/say", 10, status=422, post=True),
    Page("records.record", "{sealed}/record.sgf", 7, status=404),
    Page("records.bring_form", "/import", 3),
    Page("records.bring", "/import", 3, status=422, post=True),
    Page("auth.ask", "/sign-in", 2, "anybody"),
    Page("auth.send", "/sign-in?email=nobody", 3, "anybody", 422, True),
    Page("auth.sent", "/sign-in/sent", 2, "anybody"),
    Page("auth.knock", "{knock}", 3, "anybody"),
    Page("keys.enter_by_password", "/sign-in/password?email=a", 4, "anybody", 422, True),
    Page("auth.account", "/account", 4),
    Page("keys.show", "/account/keys", 5),
    Page("keys.set_password", "/account/keys/password", 7, status=422, post=True),
    Page("doors.show", "/account/doors", 4),
    Page("doors.add", "/account/doors?address=nothing&format=slack&events=turn", 5, status=422, post=True),
    Page("settings.browsers", "/account/browsers", 4),
    Page("settings.mail_networks_page", "/account/mail-networks", 3),
    Page("address.ask", "/account/address", 4),
    Page("address.send", "/account/address?email=nobody", 6, status=422, post=True),
    Page("address.confirmable", "{confirm}", 6, "anybody"),
    Page("address.objectionable", "{object}", 6, "anybody"),
    Page("address.objectionable", "/address/object/nothing", 6, "anybody", 410),
    Page("programs.show", "/account/programs", 6),
    Page("programs.make_token", "/account/programs?days=7", 10, status=422, post=True),
    Page("programs.make_bot", "/account/programs/bots?bot=", 6, status=422, post=True),
    Page("programs.deletable", "/account/programs/bots/{mine_bot}/delete", 4),
    Page("leaving.ask", "/account/leave", 3),
    Page("leaving.recoverable", "{not_me}", 3, "anybody"),
    Page("leaving.recoverable", "/account/not-me/nothing", 3, "anybody", 410),
    Page("keys.prove", "/account/prove", 4, "bruno"),
    Page("keys.prove_by_password", "/account/prove", 5, "bruno", 422, True),
    Page("post.held", "{held}", 4, "anybody"),
    Page("post.held", "/mail/confirm/nothing", 4, "anybody", 410),
    Page("post.stoppable", "{stop}", 6, "anybody"),
    Page("post.stoppable", "/mail/stop/nothing", 6, "anybody", 410),
    Page("post_office.letters", "/post-office/", 3),
    Page("post_office.letter", "/post-office/1", 3),
    Page("operators.letters", "/operator/letters", 4),
    Page("operators.letters", "/operator/letters", 2, "bruno", 404),
    Page("operators.locked", "/operator/open", 3),
    Page("operators.overview", "/operator", 13),
    Page("operators.find", "/operator/find?player=nobody", 14, status=404),
    Page("operators.player", "/operator/player/{bruno}", 8),
    Page("operators.act", "/operator/player/{bruno}?act=ban", 8, status=422, post=True),
    Page("operators.match", "/operator{mine}", 8),
    Page("operators.match", "/operator{over}", 8),
    Page("operators.orders", "/operator/orders", 4),
    Page("operators.reports", "/operator/reports", 4),
    Page("operators.pairs", "/operator/pairs", 6),
    Page("operators.log", "/operator/log", 4),
    Page("", "/nowhere", 2, "anybody", 404),
    Page("", "/rules?", 2, "anybody", 405, True),
)

NO_PAGES = {
    "address.confirm": "answers as its link's page does",
    "address.refuse": "answers as its link's page does",
    "feeds.deadlines": "a calendar",
    "feeds.followed": "a feed",
    "feeds.turns": "a feed",
    "doors.service_worker": "for the browser",
    "events.feed": "a feed",
    "gazette.feed": "a feed",
    "events.calendar": "a feed",
    "figures.attempt": "for the script",
    "guide.change_password": "leads elsewhere",
    "guide.security": "a text for people who found a weakness",
    "health.show": "a line for monitors",
    "health.live": "a line for monitors",
    "metrics.show": "numbers for monitors",
    "cards.app_icon": "a picture",
    "cards.game": "a picture",
    "cards.house": "a picture",
    "cards.manifest": "for the browser",
    "cards.match": "a picture",
    "learn.attempt": "for the script",
    "problems.attempt": "for the script",
    "share.oembed": "for other sites",
    "leaving.data": "a file",
    "leaving.recover": "answers as its link's page does",
    "match.news": "for the script",
    "pictures.ink": "a style sheet",
    "pictures.match_board": "a picture",
    "post_office.html": "a mail, in the frame of a page",
    "pictures.sample": "a picture",
    "records.board": "a picture",
    "static": "files",
    "talk.next_match": "leads elsewhere",
}
"""Endpoints of GET that aren't pages, and what they are instead."""


PASSWORD = "umber lantern otter"


@cache
def password_hash() -> str:
    return passwords.hasher().hash(PASSWORD)


@dataclass
class Scenery:
    """A town where something is going on, and where to look at it. Bruno's password is PASSWORD."""

    town: Town
    visitors: dict[str, Visitor]
    places: dict[str, str] = field(default_factory=dict)

    def path(self, page: Page) -> str:
        return page.path.format(**self.places)


@dataclass
class Kept:
    """The scenery built on each kind of database, which takes seconds; copying it takes hundredths."""

    folder: Path
    scenes: dict[str, tuple[Scenery, datetime, list[tuple[Task, int]]]] = field(default_factory=dict)
    """What was built, the time afterwards, and the work still to be done."""

    def keep(self, scene: Scenery) -> None:
        town = scene.town
        self.scenes[town.store.engine.dialect.name] = scene, town.now, [*town.queue]
        copied(town.store, self.folder / "scene.db", back=False)

    def copy(self, town: Town, app: Flask) -> Scenery:
        """The scenery in this town, whose tables it replaces."""
        scene, town.now, queue = self.scenes[town.store.engine.dialect.name]
        town.queue[:], town.seen, town.mails = queue, scene.town.seen, scene.town.mails
        copied(town.store, self.folder / "scene.db", back=True)
        replay.forget()
        visitors = {name: Visitor(app.test_client(), visitor.id) for name, visitor in scene.visitors.items()}
        for name, visitor in scene.visitors.items():
            if cookie := visitor.client.get_cookie("stonepost"):
                visitors[name].client.set_cookie("stonepost", cookie.value)
        return Scenery(town, visitors, {**scene.places})


def copied(store: Store, file: Path, back: bool) -> None:
    """Copies the rows of a test's database to the file, or on PostgreSQL to a database named like it; or back."""
    store.close()
    name, url = str(store.engine.url.database), store.engine.url
    if url.drivername == "sqlite":
        if back:
            for journal in (f"{name}-wal", f"{name}-shm"):
                Path(journal).unlink(missing_ok=True)
            shutil.copy(file, name)
        else:
            store.copy(file)
        return
    server = url.set(database="{}").render_as_string(hide_password=False).replace("%7B%7D", "{}")
    if back:
        postgresql.execute(server, f"DROP DATABASE {name} WITH (FORCE)")
    old, new = (file.stem, name) if back else (name, file.stem)
    postgresql.execute(server, f"CREATE DATABASE {new} TEMPLATE {old}")


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def scene(town: Town, app: Flask, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Scenery:
    """The town of the fixtures, with a page of every kind, and without rate limits.

    It is built once on each kind of database; each test gets a copy.
    """
    monkeypatch.setattr(limiter, "enabled", False)
    town.settings = replace(
        town.settings, operators=frozenset({"ada@example.org", "ada@new.example"}), public_url="http://localhost:8000"
    )
    app.extensions["site"] = town.site
    if town.store.engine.dialect.name not in kept.scenes:
        kept.keep(built(town, app))
    return kept.copy(town, app)


def built(town: Town, app: Flask) -> Scenery:
    """The scenery, in a town where nothing has happened yet."""

    def sign_in(email: str) -> Visitor:
        return at_a_browser(app, *signed_in(town, email))

    match = seat(town).match
    ada, bruno = sign_in("ada@example.org"), sign_in("bruno@example.org")
    places = {"mine": match, "ada": str(ada.id), "bruno": str(bruno.id)}
    play_on_page(town, match, ada, "e9")
    play_on_page(town, match, bruno, "e10")
    for visitor, text in ((ada, "A word"), (bruno, "Another, much_longer_than_a_phone_is_wide_" + "x" * 80)):
        visitor.send(match, f"{match}/say", text=text)
    bruno.send(match, f"{match}/order", text="e11", shown="e11")
    judge(town)
    bruno.send(match, f"{match}/note", text="Mine alone")
    with town.store.writing() as session:
        session.add(Password(player_id=bruno.id, hash=password_hash(), changed=town.now))
    more(town, ada, bruno)
    _cups(town, [ada.id, bruno.id])
    following.follow_player(town.site, ada.id, bruno.id)
    following.follow_event(town.site, ada.id, 3)
    wishes.make(town.site, ada.id, read("rosette up to 3"))
    wishes.make(town.site, bruno.id, read("lotus, medusa 3d no bots"))
    places |= _matches(town, ada, bruno)
    places["refused"] = str(ada.send(match, f"{match}/order", text="e9", shown="e9").location)
    judge(town)
    tried = ada.send(f"{match}/explore/1", f"{match}/explore/1/try", text="f9")
    places["tried"] = str(tried.location)
    places |= _links(town, app, sign_in, ada)
    with town.store.writing() as session:
        row = {"player_id": ada.id, "public_key": b"", "uses": 0, "name": "My phone", "made": town.now}
        data = {"nonce": "once", "expires": 0}
        letter = {"kind": "sign_in", "player_id": bruno.id, "data": data, "created": town.now, "attempts": 12}
        session.add(Letter(key="stuck", error="550 5.1.1 no such user", **letter))
        session.add(Password(player_id=ada.id, hash="none", changed=town.now))
        session.add(Passkey(credential="x", used=None, **row))
        network = {"address": "ada@example.org", "network": "203.0.113.0/24", "confirmed": town.now}
        session.add(MailNetwork(player_id=ada.id, **network))
        session.execute(update(Visit).where(Visit.player_id == ada.id).values(operating=town.now))
    moderation.report(town.site, ada.id, bruno.id, "A_rude_word_" * 8)
    operator_acts.sign_out(town.site, ada.id, int(places["carla"]))
    gazette_issues.look_after(town.site)
    return Scenery(town, {"ada": ada, "bruno": bruno, "anybody": Visitor(app.test_client())}, places)


def more(town: Town, ada: Visitor, bruno: Visitor) -> None:
    """More of everything that there may be a lot of: matches, moves, messages, letters."""
    for game in ("rosette", "go"):
        number = _table(town, ada.id, bruno.id, game)
        messages.say(town.site, number, bruno.id, "Good luck", f"web:{game}:{number}")
        lobby.open_match(town.site, bruno.id, game, {}, [Chair("me"), Chair("open")])
        town.now += timedelta(minutes=1)
    town.work()


def _cups(town: Town, people: list[int]) -> None:
    """Three cups: one to join, one that Ada is in, and one being played; and a ladder, a league and a tour."""
    with town.store.writing() as session:
        more = [identity.by_email(session, f"{name}@example.org", town.now).id for name in ("carla", "dora")]
    names: tuple[tuple[str, list[int]], ...] = (
        ("First cup", []),
        ("Second cup", people[:1]),
        ("Third cup", [*people, *more]),
    )
    for name, entrants in names:
        number = events.found(town.site, people[0], Plan(name, "rosette", "3d/move"))
        for player_id in entrants:
            events.join(town.site, number, player_id)
    for kind, founder in (("ladder", 0), ("league", 1), ("tour", 1)):
        plan = Plan(f"First {kind}", "rosette", "3d/move", kind=kind)
        number = events.found(town.site, people[founder], plan)
        for player_id in (more[0], *people[::-1]):
            events.join(town.site, number, player_id)
    ladders.challenge(town.site, 4, people[1], more[0])


def _table(town: Town, ada: int, bruno: int, game: str, seats: int = 2, **options: str) -> int:
    """A running match between the two, and bots in further seats."""
    chairs = [Chair("me"), Chair("email", "bruno@example.org"), *[Chair("bot")] * (seats - 2)]
    number = lobby.open_match(town.site, ada, game, options, chairs)
    invitations.answer(town.site, number, bruno, accept=True)
    return number


def _matches(town: Town, ada: Visitor, bruno: Visitor) -> dict[str, str]:
    """Matches in every state."""
    number = lobby.open_match(
        town.site, bruno.id, "rosette", {"base": "5"}, [Chair("me"), Chair("email", "ada@example.org")]
    )
    invitations.answer(town.site, number, ada.id, accept=True)
    over = f"/match/{_table(town, ada.id, bruno.id, 'rosette', base='5')}"
    ada.send(over, f"{over}/order", text="e5", shown="e5")
    town.work()
    bruno.send(over, f"{over}/order", text="resign", shown="resign")
    town.work()
    comments.add(town.site, int(over.rpartition("/")[2]), ada.id, 0, "A_long_word_" * 8, "comment")
    invited = lobby.open_match(town.site, bruno.id, "lotus", {}, [Chair("me"), Chair("email", "ada@example.org")])
    offered = lobby.open_match(town.site, bruno.id, "medusa", {}, [Chair("me"), Chair("open")])
    sealed = _table(town, ada.id, bruno.id, "multigo-parallel", seats=3, size="5")
    town.work()
    with town.store.writing() as session:
        bot = identity.bot(session, next(iter(NAMES)), town.now).id
    waiting = lobby.open_match(town.site, ada.id, "lotus", {}, [Chair("me"), Chair("open")])
    numbers = {"waiting": waiting, "his": number, "invited": invited, "offered": offered, "sealed": sealed}
    program = bot_accounts.make(town.site, ada.id, "Rose").id
    tokens.make(town.site, program, "A program", ["read"], 365, "form")
    others = {"over": over, "bot": str(bot), "mine_bot": str(program)}
    return {name: f"/match/{number}" for name, number in numbers.items()} | others


def _links(town: Town, app: Flask, sign_in: Callable[[str], Visitor], ada: Visitor) -> dict[str, str]:
    """The links in emails, none of them used."""
    carla = sign_in("carla@example.org")
    Visitor(app.test_client()).send("/sign-in", "/sign-in", email="dora@example.org")
    carla.send("/account/address", email="carla@new.example")
    town.work()
    posted = town.post()
    confirm = _link(posted, "/address/confirm/")
    carla.send(confirm)
    carla.send("/account/leave", words="leave")
    town.work()
    posted += town.post()
    ada.send("/account/address", email="ada@new.example")
    turn = next(mail for mail in posted if mail["To"] and "ada@" in str(mail["To"]) and "your move" in mail["Subject"])
    town.reply(turn, "status", sender="stranger@evil.example")
    town.work()
    posted += town.post()
    return {
        "carla": str(carla.id),
        "knock": _link(posted, "/sign-in/"),
        "confirm": _link([mail for mail in posted if "ada@new" in str(mail["To"])], "/address/confirm/"),
        "object": _link(posted, "/address/object/"),
        "not_me": _link(posted, "/account/not-me/"),
        "held": _link(posted, "/mail/confirm/"),
        "stop": _link(posted, "/mail/stop/"),
    }


def _link(posted: list[EmailMessage], path: str) -> str:
    found: list[str] = [link for mail in posted for link in re.findall(rf"https?://[^/\s]+({path}\S+)", whole(mail))]
    return found[-1]
