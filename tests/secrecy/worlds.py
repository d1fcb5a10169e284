"""Sites that differ only in what Ada hides, with everybody's browsers and mail."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from flask import Flask
from sqlalchemy import Select, select, update

from service.config import Settings
from service.mail.grammar.orders import parse
from service.play.accounts import email_change, identity, sessions
from service.play.accounts.programs import bot_accounts, tokens
from service.play.company import event_matches, events, wish_text, wishes
from service.play.company.events import Plan
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import analysis
from service.play.table import replay
from service.play.talk import messages
from service.store.models import Match, Player, Submission
from service.store.tables.company import Met
from service.store.tables.mail_rows import PostedMail
from service.store.tables.pulse import Pulse
from tests.cases import cases
from tests.databases import shared
from tests.play.conftest import Town
from tests.web.conftest import Visitor, application

AT_ONCE, IN_TURN = 1, 2
"""The two matches: one with sealed moves, one with conditional moves."""

CUP, OTHERS_OF_THE_CUP = 3, (4, 5)
"""The matches of a cup at tables of three, with sealed moves: one is in its second round, the others in their first."""

NEXT = 6
"""The number of the next match."""

COUNTED, FINISHED = NEXT, NEXT + 1
"""Matches of sites on which `count_and_finish` was called."""

ENTRANTS = ("ada", "bruno", "cleo")

PLAYERS = ("ada", "bruno", "cleo", "dana")
OTHERS = ("bruno", "cleo", "emil", "")
"""Those who must notice nothing: two opponents, a watcher who is signed in, and a visitor who isn't. Dana may know."""

LATER = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Hidden(NamedTuple):
    """What Ada hides: moves, and words that appear nowhere else."""

    sealed: str
    ahead: str
    tried: str
    prefers: str
    words: str
    standing: str
    replaced: str
    wish: str


HIDDEN = (
    None,
    Hidden(
        "d6",
        "if b6 then c6",
        "e5",
        "prefer red white",
        "quagmire",
        "g7 or g6",
        "b5",
        "medusa 2d up to 5 rating 1300-1700",
    ),
    Hidden(
        "b2", "if d1 then e1; if pass then pass", "a1", "prefer blue", "zephyr", "pass", "f1", "medusa 30d rated=no"
    ),
)[: cases(2, full=3)]


@dataclass
class World:
    """A site with everybody's browser."""

    town: Town
    app: Flask
    browsers: dict[str, Visitor] = field(default_factory=dict)

    def id(self, name: str) -> int:
        return self._first(select(Player.id).where(Player.email == f"{name}@example.org"))

    @property
    def bot(self) -> int:
        """Emil's bot."""
        return self._first(select(Player.id).where(Player.owner_id == self.id("emil")))

    def token(self, name: str) -> str:
        """A token with all scopes for this player."""
        return tokens.make(self.town.site, self.id(name), "", tokens.SCOPES, None, "token of a program")[0]

    def player(self, name: str) -> Player:
        with self.town.store.reading() as session:
            return session.get_one(Player, self.id(name))

    def _first(self, wanted: Select[int]) -> int:
        with self.town.store.reading() as session:
            return session.scalars(wanted).first() or 0


def build(place: Path, tables: Path) -> None:
    """Builds the sites, each with what is hidden on it."""
    for number, hidden in enumerate(HIDDEN):
        world = founded(place / str(number), tables)
        begin(world)
        if hidden:
            hide(world, hidden)
        world.town.work()
        world.town.store.close()


@contextmanager
def copies(built: Path, place: Path, sites: Iterable[int] = range(len(HIDDEN))) -> Iterator[list[World]]:
    """Copies of all sites or of these, at a later time, with everybody's browser."""
    made = []
    for number, site in enumerate(sites):
        shutil.rmtree(place / str(number), ignore_errors=True)
        shutil.copytree(built / str(site), place / str(number))
        made.append(opened(place / str(number), number))
        arrive(made[-1])
    yield made
    for world in made:
        world.town.store.close()


def founded(data: Path, tables: Path, number: int = 0) -> World:
    """A new site, with a copy of these tables."""
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    shutil.copy(tables, data)
    return opened(data, number)


def opened(data: Path, number: int = 0) -> World:
    """A site. Cached positions are dropped: their keys have the seeds of matches, which are the same on all sites."""
    replay.forget()
    given = {"STONEPOST_DATA": str(data), "STONEPOST_SECRET": "s" * 32, "TRUSTED_AUTHSERV_ID": "mx.town.example"}
    settings = replace(Settings.from_environment(given), redis_url="memory://")
    town = Town(settings, shared(settings.database_url))
    app = application(town.site, number)
    app.config.update(WTF_CSRF_ENABLED=False)
    return World(town, app)


def settle(world: World) -> None:
    """Everybody gets a name."""
    for name in (*PLAYERS, "emil"):
        with world.town.store.writing() as session:
            identity.by_email(session, f"{name}@example.org", world.town.now).name = name.capitalize()


def arrive(world: World) -> None:
    """Everybody opens a browser at a later time; the worker takes no time, however much it has to do for Ada."""
    world.town.now, world.town.pace = LATER, timedelta()
    with world.town.store.writing() as session:
        session.merge(Pulse(id=1, at=LATER))
    for name in (*PLAYERS, "emil"):
        world.browsers[name] = Visitor(world.app.test_client(), world.id(name))
        with world.browsers[name].client.session_transaction() as kept:
            kept["visit"] = sessions.begin(world.town.site, world.id(name), "Firefox on Linux")
    world.browsers[""] = Visitor(world.app.test_client())


def begin(world: World) -> None:
    """Both matches, after some moves, with something said at the table; Ada has Black."""
    settle(world)
    for number, game in ((AT_ONCE, "multigo-parallel-coop"), (IN_TURN, "multigo")):
        chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in PLAYERS[1:])]
        lobby.open_match(world.town.site, world.id("ada"), game, {"size": "7"}, chairs, "7d/move, late passes")
        with world.town.store.writing() as session:
            session.get_one(Match, number).seed = number
        for name in PLAYERS[1:]:
            invitations.answer(world.town.site, number, world.id(name), True)
        messages.say(world.town.site, number, world.id("bruno"), "Hello", f"web:{number}")
        for seat, move in enumerate(("c3", "d3", "e3", "f3")):
            play(world, number, seat, move)
    play(world, IN_TURN, 2, "f6")  # In the third round, the first two of four are skipped.
    play(world, AT_ONCE, 2, "d4")
    gather(world)
    give_tokens(world)


def give_tokens(world: World) -> None:
    """Tokens with all scopes, the same on all sites, and a bot that Emil owns."""
    for name in (*PLAYERS, "emil"):
        world.token(name)
    bot_accounts.make(world.town.site, world.id("emil"), "Rose")


def gather(world: World) -> None:
    """A running cup, and wishes: Ada's, and those of Bruno and Emil, which the next sweep makes a match of."""
    site = world.town.site
    plan = Plan("Winter cup", "multigo-parallel-coop", "14d/move, no vacation", seats=3)
    cup = events.found(site, world.id("ada"), plan)
    for name in ENTRANTS:
        events.join(site, cup, world.id(name))
    event_matches.look_after(site)
    with world.town.store.writing() as session:
        for number in (CUP, *OTHERS_OF_THE_CUP):
            session.get_one(Match, number).seed = number
        # Bruno has had the first seat more often, so Emil has it in their match.
        session.add(Met(player_id=world.id("bruno"), game="go", other_id=world.id("dana"), times=1, first=1))
    for name, move in zip(ENTRANTS, ("c3", "e5", "g7"), strict=True):
        order_by_name(world, CUP, name, move)
    leave_links(world)
    for name, wish in (("ada", "medusa"), ("bruno", "go 3d-7d"), ("emil", "go 3d")):
        wishes.make(site, world.id(name), wish_text.read(f"{wish} no bots"))


def leave_links(world: World) -> None:
    """Emails with links to pages: about a change of address, and about an email whose sender isn't proven."""
    with world.town.site.transaction() as tx:
        email_change.ask(tx, world.id("emil"), "emil@new.example")
    with world.town.store.writing() as session:
        session.get_one(Player, world.id("bruno")).confirmed = world.town.now
    world.town.mails = 9_999  # No test uses this Message-ID.
    world.town.write("bruno@example.org", "status", proven=False)
    world.town.mails = 0


def order_by_name(world: World, match: int, name: str, text: str, form: str = "") -> None:
    """Sends an order of this player, from a page whose form has this name."""
    with world.town.store.reading() as session:
        place = session.get_one(Match, match).place_of(world.id(name))
    assert place is not None
    key = f"web:{name}:{form or f'{match}-{text}'}"
    submit(world.town.site, Incoming(key, match, place.number, world.id(name), None, parse(text), "web"))
    world.town.work()


def play(world: World, match: int, seat: int, text: str, remark: str = "", name: str = "") -> None:
    """Sends an order as from a page whose form has this name."""
    player = world.id(PLAYERS[seat])
    key = f"web:{player}:{name or f'{match}-{seat}-{text}'}"
    submit(world.town.site, Incoming(key, match, seat, player, None, parse(text), "web", remark))
    world.town.work()


def hide(world: World, hidden: Hidden) -> None:
    """A sealed move with a remark and the one it replaced, conditional and standing orders, an order held for undo, a
    preference, a whisper to Dana, a note and a variation; sealed moves in the cup, and a wish for opponents."""
    site, ada = world.town.site, world.id("ada")
    tokens.make(site, ada, hidden.words, ["read"], None, hidden.words)
    play(world, AT_ONCE, 0, hidden.replaced, f"remark {hidden.words}")
    play(world, AT_ONCE, 0, f"standing {hidden.standing}")
    play(world, AT_ONCE, 0, hidden.sealed, f"remark {hidden.words}", "sealed")
    play(world, AT_ONCE, 0, hidden.prefers)
    play(world, IN_TURN, 0, hidden.ahead)
    for match in (AT_ONCE, IN_TURN):
        messages.say(site, match, ada, f"whisper {hidden.words}", f"web:whisper:{match}", [3])
        messages.keep_note(site, match, ada, f"note {hidden.words}")
        analysis.attempt(site, match, ada, 4, None, hidden.tried)
    for text in (hidden.replaced, hidden.sealed):
        order_by_name(world, CUP, "ada", text)
    messages.keep_note(site, CUP, ada, f"note {hidden.words}")
    wishes.make(site, ada, wish_text.read(f"{hidden.wish} no bots"))
    with world.town.store.reading() as session:
        assert [seat.ahead for seat in session.get_one(Match, IN_TURN).seats] == [hidden.ahead, "", "", ""]
    key = f"web:{ada}:held"
    submit(site, Incoming(key, IN_TURN, 0, ada, None, parse(hidden.tried), "web", f"remark {hidden.words}"))
    with world.town.store.writing() as session:
        held = {"held": LATER + timedelta(days=1)}
        session.execute(update(Submission).where(Submission.key == key).values(held))


def count_and_finish(world: World, hidden: Hidden | None) -> None:
    """A match in which the players agree on dead stones, and one that is over, in which Ada took back what she had
    sealed first; she has a note in both, and a variation in the latter."""
    setup = "black: b1 b2 b3 b4 b5 e5; white: c1 c2 c3 c4 c5 a5; turn: black"
    for number, game, options in (
        (COUNTED, "go", {"size": "5", "setup": setup}),
        (FINISHED, "multigo-parallel", {"size": "5"}),
    ):
        chairs = [Chair("me"), Chair("email", "bruno@example.org")]
        assert lobby.open_match(world.town.site, world.id("ada"), game, options, chairs, "7d/move") == number
        with world.town.store.writing() as session:
            session.get_one(Match, number).seed = number
        invitations.answer(world.town.site, number, world.id("bruno"), True)
        if hidden:
            messages.keep_note(world.town.site, number, world.id("ada"), f"note {hidden.words}")
    if hidden:
        analysis.attempt(world.town.site, FINISHED, world.id("ada"), 0, None, hidden.tried)
    for seat in (0, 1):
        play(world, COUNTED, seat, "pass")
    for ours, theirs in (("c3", "d4"), ("b4", "resign")):
        if hidden:
            play(world, FINISHED, 0, hidden.tried, f"remark {hidden.words}", f"sealed-{ours}")
        play(world, FINISHED, 0, ours)
        play(world, FINISHED, 1, theirs)


def raws(world: World, name: str) -> list[bytes]:
    """Every email to this player, as sent."""
    with world.town.store.reading() as session:
        own = select(PostedMail.raw).where(PostedMail.recipient == f"{name}@example.org").order_by(PostedMail.id)
        return [*session.scalars(own)]


def mailed(world: World) -> dict[str, list[bytes]]:
    """Every email to everybody but Ada and Dana, by recipient, with all headers."""
    return {name: raws(world, name) for name in OTHERS[:3]}
