"""What one player hides, nobody else reaches: by no page, feed, record, picture, answer, refusal or mail.

Three houses are alike but for what Ada hides: nothing, these things, or others. Whatever anybody else asks a house for
must be the same to the byte in all three. A new route, and a new command by mail, has to be given a way to ask.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Select, func, select

from service.app import create_app
from service.config import Settings
from service.mail.grammar import COMMANDS
from service.play import accounts, explore, feeds, lobby, replay, seats, stop, talk, visits
from service.play.lobby import Chair
from service.play.submit import Order, submit
from service.store.models import Match, Player, PostedMail, Submission
from service.store.private import Variation
from service.store.session import Store
from service.web.guard import limiter
from tests.play.conftest import Town, parsed, plain
from tests.web.conftest import Visitor

AT_ONCE, IN_TURN = 1, 2
"""The two matches: one with sealed moves, one with orders ahead."""

PLAYERS = ("ada", "bruno", "cleo", "dana")
OTHERS = ("bruno", "cleo", "emil", "")
"""Those who must notice nothing: two opponents, somebody signed in who watches, and a stranger. Dana is in the know."""

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


HIDDEN = (
    None,
    Hidden("d6", "if b6 then c6", "e5", "prefer red white", "quagmire", "g7 or g6", "b5"),
    Hidden("b2", "if d1 then e1; if pass then pass", "a1", "prefer blue", "zephyr", "pass", "f1"),
)


@dataclass
class World:
    """A house, and everybody's browser."""

    town: Town
    app: Flask
    browsers: dict[str, Visitor] = field(default_factory=dict)

    def id(self, name: str) -> int:
        return self._first(select(Player.id).where(Player.email == f"{name}@example.org"))

    @cached_property
    def order(self) -> int:
        """The number of the last order of Ada's."""
        return self._first(select(Submission.id).where(Submission.seat == 0).order_by(Submission.id.desc()))

    @cached_property
    def tried(self) -> int:
        """The number of a variation of hers, or one that nobody has."""
        return self._first(select(func.coalesce(func.max(Variation.id), 1_000_000)))

    def _first(self, wanted: Select[int]) -> int:
        with self.town.store.reading() as session:
            return session.scalars(wanted).first() or 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, compiled: FileSystemBytecodeCache) -> Path:
    """The three houses, each with all that is hidden in it."""
    place = tmp_path_factory.mktemp("houses")
    for number, hidden in enumerate(HIDDEN):
        world = opened(place / str(number), compiled)
        world.town.store.migrate()
        begin(world)
        if hidden:
            hide(world, hidden)
        world.town.work()
        world.town.store.close()
    return place


@pytest.fixture
def worlds(built: Path, tmp_path: Path, compiled: FileSystemBytecodeCache) -> Iterator[list[World]]:
    """Copies of the three houses, later, with everybody's browser."""
    made = []
    for number in range(len(HIDDEN)):
        shutil.copytree(built / str(number), tmp_path / str(number))
        made.append(opened(tmp_path / str(number), compiled))
        arrive(made[-1])
    yield made
    for world in made:
        world.town.store.close()


def opened(data: Path, compiled: FileSystemBytecodeCache) -> World:
    """A house. Its matches have the same seeds as those of others, by which positions are kept."""
    replay.forget()
    given = {"STONEPOST_DATA": str(data), "STONEPOST_SECRET": "s" * 32}
    settings = replace(Settings.from_environment(given), redis_url="memory://")
    town = Town(settings, Store(settings.database_url))
    app = create_app(town.house)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.jinja_env.bytecode_cache = compiled
    return World(town, app)


def settle(world: World) -> None:
    """Everybody gets a name."""
    for name in (*PLAYERS, "emil"):
        with world.town.store.writing() as session:
            accounts.by_email(session, f"{name}@example.org", world.town.now).name = name.capitalize()


def arrive(world: World) -> None:
    """Everybody opens a browser, later."""
    world.town.now = LATER
    for name in (*PLAYERS, "emil"):
        world.browsers[name] = Visitor(world.app.test_client(), world.id(name))
        with world.browsers[name].client.session_transaction() as kept:
            kept["visit"] = visits.begin(world.town.house, world.id(name), "Firefox on Linux")
    world.browsers[""] = Visitor(world.app.test_client())


def begin(world: World) -> None:
    """Both matches, some moves on, with something said at the table; Ada has Black."""
    settle(world)
    for number, game in ((AT_ONCE, "multigo-parallel-coop"), (IN_TURN, "multigo")):
        chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in PLAYERS[1:])]
        lobby.open_match(world.town.house, world.id("ada"), game, {"size": "7"}, chairs, "7d/move, late passes")
        with world.town.store.writing() as session:
            session.get_one(Match, number).seed = number
        for name in PLAYERS[1:]:
            lobby.answer(world.town.house, number, world.id(name), True)
        talk.say(world.town.house, number, world.id("bruno"), "Hello", f"web:{number}")
        for seat, move in enumerate(("c3", "d3", "e3", "f3")):
            play(world, number, seat, move)
    play(world, IN_TURN, 2, "f6")  # In the third round, the first two of four are skipped.
    play(world, AT_ONCE, 1, "d4")


def play(world: World, match: int, seat: int, text: str, remark: str = "") -> int:
    with world.town.store.reading() as session:
        key = f"web:{match}:{seat}:{text}:{session.get_one(Match, match).ply}"
    order = Order(key, match, seat, world.id(PLAYERS[seat]), None, text, "web", remark)
    number = submit(world.town.house, order)
    world.town.work()
    return number


def hide(world: World, hidden: Hidden) -> None:
    """A sealed move with a remark and the one it replaced, orders ahead and for being late, an order held back, a
    preference, a whisper to Dana, a note and a variation."""
    house, ada = world.town.house, world.id("ada")
    play(world, AT_ONCE, 0, hidden.replaced, f"remark {hidden.words}")
    play(world, AT_ONCE, 0, f"standing {hidden.standing}")
    play(world, AT_ONCE, 0, hidden.sealed, f"remark {hidden.words}")
    play(world, AT_ONCE, 0, hidden.prefers)
    play(world, IN_TURN, 0, hidden.ahead)
    for match in (AT_ONCE, IN_TURN):
        talk.say(house, match, ada, f"whisper {hidden.words}", f"web:whisper:{match}", [3])
        talk.keep_note(house, match, ada, f"note {hidden.words}")
        explore.attempt(house, match, ada, 4, None, hidden.tried)
    with world.town.store.reading() as session:
        assert [seat.ahead for seat in session.get_one(Match, IN_TURN).seats] == [hidden.ahead, "", "", ""]
    until = LATER + timedelta(days=1)
    submit(house, Order("web:held", IN_TURN, 0, ada, None, hidden.tried, "web", f"remark {hidden.words}", held=until))


@pytest.fixture(autouse=True)
def _unlimited() -> Iterator[None]:
    """Nobody is told to ask less often."""
    limiter.enabled = False
    yield
    limiter.enabled = True
    replay.forget()


# ---- pages

Paths = Callable[[World], list[str]]


def fixed(*paths: str) -> Paths:
    return lambda _world: [*paths]


def of_matches(*tails: str) -> Paths:
    return lambda world: [
        f"/match/{match}{tail}".replace("ORDER", str(world.order)).replace("TRIED", str(world.tried))
        for match in (AT_ONCE, IN_TURN)
        for tail in tails
    ]


PLIES = (4, 6)
"""In the one match the last that all may know of, and one at which Ada sealed."""

CLOSED = fixed()
"""The post office: see `test_the_post_office_is_for_the_machine_itself`."""

ASK: dict[str, Paths] = {
    "lobby.front": fixed("/"),
    "lobby.new": fixed("/new"),
    "lobby.new_match": fixed("/new/multigo?seats=4"),
    "auth.account": fixed("/account"),
    "auth.ask": fixed("/sign-in"),
    "auth.sent": fixed("/sign-in/sent"),
    "auth.knock": fixed("/sign-in/token"),
    "address.ask": fixed("/account/address"),
    "address.confirmable": fixed("/address/confirm/token"),
    "address.objectionable": fixed("/address/object/token"),
    "settings.browsers": fixed("/account/browsers"),
    "keys.show": fixed("/account/keys"),
    "leaving.ask": fixed("/account/leave"),
    "leaving.data": fixed("/account/data.json"),
    "feeds.turns": lambda world: [f"/feed/{token(world, name)}/turns.xml" for name in OTHERS[:3]],
    "feeds.deadlines": lambda world: [f"/feed/{token(world, name)}/deadlines.ics" for name in OTHERS[:3]],
    "match.show": of_matches("", "?order=ORDER&reader=3&turned=yes"),
    "match.at": of_matches(*(f"/at/{ply}" for ply in PLIES)),
    "match.news": of_matches("/news", "/news?order=ORDER"),
    "explore.show": of_matches(*(f"/explore/{ply}" for ply in PLIES), "/explore/4?at=TRIED"),
    "records.record": of_matches("/record.txt", "/record.json", "/record.sgf"),
    "records.board": of_matches(*(f"/at/{ply}/board.{kind}" for ply in PLIES for kind in ("svg", "png"))),
    "records.bring_form": fixed("/import"),
    "figures.attempt": fixed("/rules/multigo/try?moves=c3&text=d4"),
    "operators.letters": fixed("/operator/letters"),
    "health.show": fixed("/health"),
    "people.matches": fixed("/matches", "/matches?player=ada", "/matches?state=running&game=multigo"),
    "people.player": lambda world: [f"/player/{world.id(name)}" for name in (*PLAYERS, "emil")],
    "talk.next_match": fixed("/next", f"/next?after={AT_ONCE}"),
    "pictures.ink": fixed("/ink.css"),
    "pictures.sample": fixed("/rules/multigo.svg"),
    "play_now.choose": fixed("/play"),
    "post.held": fixed("/mail/confirm/token"),
    "post.stoppable": lambda world: [
        path
        for name in OTHERS[:2]
        for path in [stop.link(world.town.house, world.id(name), AT_ONCE).partition("8000")[2]]
    ],
    "post_office.letters": CLOSED,
    "post_office.letter": CLOSED,
    "post_office.html": CLOSED,
    "rules.index": fixed("/rules"),
    "rules.by_mail": fixed("/rules/by-mail"),
    "rules.page": fixed("/rules/multigo-parallel-coop"),
    "static": fixed(),
}
"""How every page is asked for."""

POINTS = ("d6", "b2", "e5", "a1", "c6", "g7")
MOVES = (*POINTS, "pass", "resign", "prefer blue", "ally black", "accept", "dead c3", "nonsense")

SEND: dict[str, list[tuple[str, dict[str, str]]]] = {
    "match.preview": [(f"/match/{match}/preview", {"text": move}) for match in (1, 2) for move in MOVES],
    "explore.preview": [
        (f"/match/1/explore/{ply}/preview", {"at": at, "text": move})
        for ply in PLIES
        for at in ("", "TRIED")
        for move in POINTS[:3]
    ],
    "explore.attempt": [("/match/1/explore/4/try", {"at": at, "text": "e5"}) for at in ("TRIED", "")],
    "explore.forget": [("/match/1/explore/4/forget", {"at": "TRIED"})],
    "match.send": [
        *(("/match/1/order", {"text": move, "round": "2", "nonce": move}) for move in ("c3", "nonsense", "ally black")),
        ("/match/2/order", {"text": "if d6 then b2", "nonce": "ahead"}),
    ],
    "talk.say": [("/match/1/say", {"text": "Psst", "audience": "some", "reader": "0", "nonce": "say"})],
    "talk.note": [("/match/1/note", {"text": "x" * 20_001})],
    "lobby.join": [("/match/1/join", {}), ("/match/2/join", {})],
    "lobby.offer_seat": [("/match/1/seat", {"heir": "somebody", "address": "nobody"})],
    "lobby.answer": [("/match/1/answer", {"answer": "accept"})],
    "settings.choose_mails_here": [("/account/mails/1", {"post": "instant"})],
    "sight.choose": [("/match/1/sight", {"turned": "yes"})],
}
"""What is sent to those routes that take something about a match, by everybody else."""

ABOUT_NO_MATCH = {
    "inbound",
    "webhooks",
    "auth",
    "address",
    "operators",
    "keys",
    "settings",
    "leaving",
    "play_now",
    "peace",
    "post",
}
ABOUT_NO_MATCH |= {"records.bring", "lobby.open_match", "post_office.answer"}
"""Blueprints, or routes, that take things about oneself or from outside."""


def token(world: World, name: str) -> str:
    return feeds.address(world.town.house, world.id(name)).rpartition("/")[2]


def alike(body: bytes) -> bytes:
    """What is said, without the numbers that are new on every page."""
    for pattern in (
        rb'(name="csrf_token" value=|name="nonce" value=|name="visit" value=)"[^"]*"',
        rb'("order":|order=|data-order=|at=|"id":|"submission":|"saying":) *"?\d+',
        rb'"(seen|began)": "[^"]*"',
    ):
        body = re.sub(pattern, rb"\1", body)
    return body


def asked(world: World, name: str) -> dict[str, tuple[int, str, bytes]]:
    """Every answer this visitor gets, by what was asked."""
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for paths in ASK.values():
        for number, path in enumerate(paths(world)):
            answer = browser.get(path)
            key = f"{number} {re.sub('at=.*|order=.*', '', path)}"
            answers[key] = (answer.status_code, answer.headers.get("Location", ""), alike(answer.data))
    return answers


def sent(world: World, name: str) -> dict[str, tuple[int, bytes]]:
    """Every answer to what this visitor sends, with and without the page's script."""
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for given in SEND.values():
        for path, form in given:
            filled = {key: value.replace("TRIED", str(world.tried)) for key, value in form.items()}
            for kind in ("application/json", "text/html")[: 2 if (path, form) == given[0] else 1]:
                answer = browser.post(path, data=filled, headers={"Accept": kind})
                answers[f"{path} {form} {kind}"] = (answer.status_code, alike(answer.data))
    world.town.work()
    world.town.now = LATER
    return answers


def differing(answers: list[dict[str, tuple[int, str, bytes]]] | list[dict[str, tuple[int, bytes]]]) -> list[str]:
    """What was answered differently in one house than in another."""
    first, *rest = answers
    return [key for other in rest for key in first.keys() | other.keys() if first.get(key) != other.get(key)]


def test_every_route_has_a_way_to_be_asked(worlds: list[World]) -> None:
    rules = [*worlds[0].app.url_map.iter_rules()]
    assert {rule.endpoint for rule in rules if "GET" in (rule.methods or ())} == ASK.keys()
    posts = {rule.endpoint for rule in rules if "POST" in (rule.methods or ())} - SEND.keys()
    assert {one for one in posts if not {one, one.partition(".")[0]} & ABOUT_NO_MATCH} == set()


def test_others_see_and_hear_nothing_of_what_a_player_hides(worlds: list[World]) -> None:
    for name in OTHERS:
        assert differing([asked(world, name) for world in worlds]) == [], name


def test_others_learn_nothing_from_what_they_send(worlds: list[World]) -> None:
    for name in ("bruno", "emil"):
        assert differing([sent(world, name) for world in worlds]) == [], name


def test_a_substitute_learns_nothing_of_what_the_former_player_hid(worlds: list[World]) -> None:
    for world in worlds:
        replay.forget()
        for match in (AT_ONCE, IN_TURN):
            seats.offer(world.town.house, match, world.id("ada"), "anybody")
            seats.join(world.town.house, match, world.id("emil"))
        world.town.work()
        world.town.now = LATER
    for name in ("emil", "bruno"):
        assert differing([asked(world, name) for world in worlds]) == [], name
    assert differing([sent(world, "emil") for world in worlds]) == []
    assert mailed(worlds[0]) == mailed(worlds[1]) == mailed(worlds[2])
    assert "Emil (you)" in worlds[0].browsers["emil"].read("/match/1").replace("&nbsp; ", "")


def test_the_player_sees_it_all(worlds: list[World]) -> None:
    """Else the other tests of this file would find nothing to hide."""
    for world, hidden in zip(worlds, HIDDEN, strict=True):
        if hidden:
            own = asked(world, "ada")
            page = own[f"0 /match/{AT_ONCE}"][2].decode()
            assert f"Your move is sealed: {hidden.sealed}" in page
            assert f"note {hidden.words}" in page
            assert hidden.standing in page
            assert f"whisper {hidden.words}" in page
            assert hidden.ahead in own[f"2 /match/{IN_TURN}"][2].decode()
            assert hidden.words in own["0 /account/data.json"][2].decode()
            assert f"whisper {hidden.words}" in asked(world, "dana")[f"0 /match/{AT_ONCE}"][2].decode()


def test_words_stay_between_those_they_were_meant_for_when_all_is_over(worlds: list[World]) -> None:
    """What was sealed is played by then and in the record; what it replaced, and the words, never are."""
    world, hidden = worlds[1], HIDDEN[1]
    assert hidden is not None
    replay.forget()
    for match in (AT_ONCE, IN_TURN):
        for seat in (3, 2, 1):
            play(world, match, seat, "resign")
    for name in (*OTHERS, "dana"):
        bodies = b"".join(body for _, _, body in asked(world, name).values())
        for word in ("note", "whisper") if name != "dana" else ("note",):
            assert f"{word} {hidden.words}".encode() not in bodies, (name, word)
        if name != "dana":
            records = [body for key, (_, _, body) in asked(world, name).items() if "/record.txt" in key]
            assert hidden.sealed.encode() in records[0]
            assert hidden.replaced.encode() not in b"".join(records)


# ---- teams

TEAMS = (("ada", "dana"), ("bruno", "cleo"))


def share(world: World) -> None:
    """Both matches for two teams of two, some moves on: Ada has the next move of Black, as yet unsealed in the one."""
    settle(world)
    (_, mate), (first, *second) = TEAMS
    chairs = [
        Chair("me", mates=(Chair("email", f"{mate}@example.org"),)),
        Chair("email", f"{first}@example.org", mates=tuple(Chair("email", f"{name}@example.org") for name in second)),
    ]
    moves = {
        AT_ONCE: (("ada", "c3"), ("bruno", "d3"), ("dana", "e3"), ("cleo", "f3")),
        IN_TURN: (("ada", "c3"), ("bruno", "d3"), ("dana", "e3")),
    }
    for number, game in ((AT_ONCE, "multigo-parallel-coop"), (IN_TURN, "multigo")):
        lobby.open_match(world.town.house, world.id("ada"), game, {"size": "7"}, chairs, "7d/move, late passes")
        with world.town.store.writing() as session:
            session.get_one(Match, number).seed = number
        for name in PLAYERS[1:]:
            lobby.answer(world.town.house, number, world.id(name), True)
        for name, move in moves[number]:
            order_as(world, number, name, move)


def order_as(world: World, match: int, name: str, text: str) -> None:
    """What somebody orders for the seat that they share."""
    number = next(number for number, team in enumerate(TEAMS) if name in team)
    key = f"web:{match}:{name}:{text}"
    submit(world.town.house, Order(key, match, number, world.id(name), None, text, "web"))
    world.town.work()


def keep_to_oneself(world: World, hidden: Hidden) -> None:
    """What is Ada's alone, not even her team's."""
    house, ada = world.town.house, world.id("ada")
    order_as(world, AT_ONCE, "ada", f"standing {hidden.standing}")
    order_as(world, IN_TURN, "ada", hidden.ahead)
    for match in (AT_ONCE, IN_TURN):
        talk.keep_note(house, match, ada, f"note {hidden.words}")
        explore.attempt(house, match, ada, 2, None, hidden.tried)
    with world.town.store.reading() as session:
        assert session.get_one(Match, IN_TURN).seats[0].ahead == hidden.ahead
    until = LATER + timedelta(days=1)
    submit(house, Order("web:held", IN_TURN, 0, ada, None, hidden.tried, "web", f"remark {hidden.words}", held=until))


def keep_to_the_team(world: World, hidden: Hidden) -> None:
    """What is her team's: a sealed move, and words."""
    order_as(world, AT_ONCE, "ada", hidden.sealed)
    for match in (AT_ONCE, IN_TURN):
        talk.say(world.town.house, match, world.id("ada"), f"whisper {hidden.words}", f"web:whisper:{match}", [0])
        talk.say(world.town.house, match, world.id("dana"), f"answer {hidden.words}", f"web:answer:{match}", [0])


@pytest.mark.parametrize("hides", [keep_to_oneself, keep_to_the_team])
def test_a_team_shares_what_its_seat_does_and_nothing_else(
    tmp_path: Path, compiled: FileSystemBytecodeCache, hides: Callable[[World, Hidden], None]
) -> None:
    """Opponents learn nothing of either; who shares the seat, all that is said among them and what is sealed."""
    worlds = []
    for number, hidden in enumerate(HIDDEN[:2]):
        world = opened(tmp_path / str(number), compiled)
        world.town.store.migrate()
        share(world)
        if hidden:
            hides(world, hidden)
            world.town.work()
        arrive(world)
        world.order = 1_000_000  # The last of the seat is Dana's own in the one house, and not in the others.
        worlds.append(world)
    if hides is keep_to_the_team:
        page = worlds[1].browsers["dana"].get(f"/match/{AT_ONCE}").text
        assert "whisper quagmire" in page
        assert "Your move is sealed: d6" in page
    for name in ("bruno", "dana" if hides is keep_to_oneself else "emil"):
        assert differing([asked(world, name) for world in worlds]) == [], name
    assert mailed(worlds[0]) == mailed(worlds[1])
    for world in worlds:
        world.town.store.close()


# ---- mails

LINES: dict[str, list[str]] = {
    "resign": ["resign"],
    "preview": [f"preview {move}" for move in POINTS[:4]],
    "show": ["show", "show 4", "show 99"],
    "history": ["history"],
    "say": ["say to black: psst", "say to purple: psst"],
    "mute": ["mute"],
    "unmute": ["unmute"],
    "grace": ["grace many"],
    "match": ["match 1"],
    "status": ["status"],
    "games": ["games"],
    "rules": ["rules"],
    "new": ["new nothing"],
    "join": ["join 1"],
    "offer": ["offer seat to nobody"],
    "help": ["help multigo"],
    "name": ["name"],
    "vacation": ["vacation"],
    "zone": ["zone"],
    "instant": ["instant here"],
    "unseen": ["unseen here"],
    "digest": ["digest here"],
    "off": ["off here"],
    "most": ["most none"],
    "address": ["address nobody"],
}
"""How every command that is no order is given by others."""


def mailed(world: World) -> dict[str, list[bytes]]:
    """Every mail to everybody but Ada and Dana, by recipient."""
    found: dict[str, list[bytes]] = {}
    for name in OTHERS[:3]:
        for raw in raws(world, name):
            # A mail's own name comes from the number of an order, and one house has more orders than the other.
            own = str(parsed(raw)["Message-ID"]).strip("<>").partition("@")[0]
            found.setdefault(name, []).append(raw.replace(own.encode(), b""))
    return found


def raws(world: World, name: str) -> list[bytes]:
    with world.town.store.reading() as session:
        own = select(PostedMail.raw).where(PostedMail.recipient == f"{name}@example.org").order_by(PostedMail.id)
        return [*session.scalars(own)]


def test_every_command_has_a_way_to_be_given() -> None:
    assert LINES.keys() == {command.name for command in COMMANDS if not command.order}


def test_mails_to_others_are_the_same_whatever_a_player_hides(worlds: list[World]) -> None:
    boxes, given = [], [line for lines in LINES.values() for line in lines]
    for world in worlds:
        replay.forget()
        for name in ("bruno", "emil"):
            for lines in (given[:18], given[18:]):
                world.town.now = LATER
                world.town.write(f"{name}@example.org", "\n".join(["match 1", *lines]))
        for turn in map(parsed, raws(world, "cleo")):
            if "your move" in turn["Subject"]:
                world.town.now = LATER
                world.town.reply(turn, "c3\nA remark")
        boxes.append(mailed(world))
    assert boxes[0] == boxes[1] == boxes[2]
    assert {name: len(mails) > 1 for name, mails in boxes[0].items()} == dict.fromkeys(OTHERS[:3], True)
    mails = [raw for world in worlds for name in OTHERS[:3] for raw in raws(world, name)]
    assert not [hidden for hidden in HIDDEN if hidden for raw in mails if hidden.words in plain(parsed(raw))]
    assert [raw for raw in raws(worlds[1], "dana") if "whisper quagmire" in plain(parsed(raw))]


# ---- who sits where


def test_nothing_tells_who_plays_an_anonymous_match(tmp_path: Path, compiled: FileSystemBytecodeCache) -> None:
    world = opened(tmp_path / "anonymous", compiled)
    world.town.store.migrate()
    settle(world)
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in PLAYERS[1:])]
    press = "private anonymous"
    lobby.open_match(world.town.house, world.id("ada"), "multigo", {"size": "7"}, chairs, "7d/move", press)
    for name in PLAYERS[1:]:
        lobby.answer(world.town.house, 1, world.id(name), True)
    world.town.work()
    with world.town.store.reading() as session:
        seated = {seat.number: seat.player.name.lower() for seat in session.get_one(Match, 1).seats if seat.player}
    talk.say(world.town.house, 1, world.id("bruno"), "Hello", "web:1")
    talk.say(world.town.house, 1, world.id("cleo"), "Psst", "web:2", [1 if seated[0] == "cleo" else 0])
    order = Order("web:3", 1, 0, world.id(seated[0]), None, "c3", "web", "A remark\nBest wishes,\n" + seated[0])
    submit(world.town.house, order)
    world.town.work()
    arrive(world)
    for name in ("ada", "bruno", "emil", ""):
        for key, (_, _, body) in asked(world, name).items():
            if "/player/" in key:
                assert b'href="/match/1"' not in body, (name, key)
                continue
            for other in set(PLAYERS) - {name}:
                assert not re.search(rb"\b" + other.capitalize().encode() + rb"\b", body), (name, key)
    world.town.store.close()


def test_the_post_office_is_for_the_machine_itself(tmp_path: Path, compiled: FileSystemBytecodeCache) -> None:
    """It has everybody's mail. Nobody else gets in, and nobody at all in production."""
    world = opened(tmp_path / "office", compiled)
    world.town.store.migrate()
    settle(world)
    arrive(world)
    for name in OTHERS:
        for path in ("/post-office/", "/post-office/1", "/post-office/1/html"):
            asking = world.browsers[name].client
            assert asking.get(path, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 404
            assert asking.get(path, headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 404
    given = {"STONEPOST_MODE": "production", "STONEPOST_SECRET": "s" * 32, "STONEPOST_DATA": str(tmp_path)}
    told = {"SMTP_URL": "smtp://mail.example", "PUBLIC_URL": "https://play.example", "MAIL_DOMAIN": "play.example"}
    assert not Settings.from_environment(given | told).post_office_open
    world.town.store.close()
