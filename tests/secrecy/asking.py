"""A way to ask for every page, and to send what every form takes, that has to do with a match."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import select
from werkzeug.test import TestResponse

from service.play import links
from service.play.pages import analysis, feeds
from service.play.table import replay
from service.store.models import Player
from service.store.tables.mail_rows import Letter
from tests.secrecy.worlds import AT_ONCE, HIDDEN, IN_TURN, LATER, OTHERS, PLAYERS, World

Paths = Callable[[World], list[str]]


def fixed(*paths: str) -> Paths:
    return lambda _world: [*paths]


def of_matches(*tails: str) -> Paths:
    return lambda _world: [
        f"/match/{match}{tail}".replace("TRIED", TRIED) for match in (AT_ONCE, IN_TURN) for tail in tails
    ]


TRIED = str(next(analysis.variation_number(None, 0, hidden.tried) for hidden in HIDDEN if hidden))
"""What Ada tried in one of the sites."""


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
    "settings.mail_networks_page": fixed("/account/mail-networks"),
    "keys.show": fixed("/account/keys"),
    "keys.prove": fixed("/account/prove"),
    "leaving.recoverable": fixed("/account/not-me/token"),
    "leaving.ask": fixed("/account/leave"),
    "leaving.data": fixed("/account/data.json"),
    "feeds.turns": lambda world: [f"/feed/{token(world, name)}/turns.xml" for name in OTHERS[:3]],
    "feeds.deadlines": lambda world: [f"/feed/{token(world, name)}/deadlines.ics" for name in OTHERS[:3]],
    "learn.index": fixed("/learn"),
    "learn.step": fixed("/learn/multigo-parallel", "/learn/multigo-parallel/2?move=c3"),
    "learn.attempt": fixed("/learn/multigo-parallel/2/try?text=c3"),
    "learn.end": fixed("/learn/multigo-parallel/end"),
    "cards.house": fixed("/card.png"),
    "cards.game": fixed("/rules/multigo/card.png"),
    "cards.match": of_matches(*(f"/at/{ply}/card.png" for ply in PLIES)),
    "cards.app_icon": fixed("/icon-192.png"),
    "cards.manifest": fixed("/manifest.webmanifest"),
    "share.show": of_matches(*(f"/at/{ply}/share" for ply in PLIES)),
    "share.embed": of_matches("/embed", *(f"/at/{ply}/embed" for ply in PLIES)),
    "share.oembed": lambda world: [
        f"/oembed?url={world.town.settings.public_url}/match/{match}{tail}"
        for match in (AT_ONCE, IN_TURN)
        for tail in ("", *(f"/at/{ply}" for ply in PLIES))
    ],
    "problems.index": fixed("/problems"),
    "problems.problem": fixed("/problems/pillars/2", "/problems/pillars/2?move=pass"),
    "problems.attempt": fixed("/problems/pillars/2/try?text="),
    "match.show": of_matches("", "?order=sealed&reader=3&turned=yes", "?order=held"),
    "match.at": of_matches(*(f"/at/{ply}" for ply in PLIES)),
    "match.news": of_matches("/news", "/news?order=sealed"),
    "explore.show": of_matches(*(f"/explore/{ply}" for ply in PLIES), "/explore/4?at=TRIED"),
    "records.record": of_matches("/record.txt", "/record.json", "/record.sgf"),
    "records.board": of_matches(*(f"/at/{ply}/board.{kind}" for ply in PLIES for kind in ("svg", "png"))),
    "records.bring_form": fixed("/import"),
    "figures.attempt": fixed("/rules/multigo/try?moves=c3&text=d4"),
    "operators.letters": fixed("/operator/letters"),
    "health.show": fixed("/health"),
    "events.index": fixed("/events"),
    "events.show": fixed("/events/1"),
    "wishes.show": fixed("/wishes"),
    "health.live": fixed("/health/live"),
    "people.matches": fixed("/matches", "/matches?player=ada", "/matches?state=running&game=multigo"),
    "people.ratings": fixed("/ratings", "/ratings/multigo"),
    "people.player": lambda world: [f"/player/{world.id(name)}" for name in (*PLAYERS, "emil")],
    "talk.next_match": fixed("/next", f"/next?after={AT_ONCE}"),
    "pictures.ink": fixed("/ink.css"),
    "pictures.match_board": of_matches(*(f"/round/{number}/board.svg" for number in (0, 1, 2, 3, 4))),
    "pictures.sample": fixed("/rules/multigo.svg"),
    "play_now.choose": fixed("/play"),
    "post.held": fixed("/mail/confirm/token"),
    "post.stoppable": lambda world: [
        path
        for name in OTHERS[:2]
        for path in [links.to_stop(world.town.site, world.id(name), AT_ONCE).partition("8000")[2]]
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
    "lobby.withdraw": [(f"/match/{match}/withdraw", {}) for match in (1, 2)],
    "people.play": [(f"/player/{number}/play", {"nonce": "again"}) for number in (1, 2)],
    "explore.attempt": [("/match/1/explore/4/try", {"at": at, "text": "e5"}) for at in ("TRIED", "")],
    "explore.forget": [("/match/1/explore/4/forget", {"at": "TRIED"})],
    "match.send": [
        *(("/match/1/order", {"text": move, "round": "2", "nonce": move}) for move in ("c3", "nonsense", "ally black")),
        ("/match/1/order", {"text": "g1", "round": "3", "nonce": "sealed"}),
        ("/match/2/order", {"text": "if d6 then b2", "nonce": "ahead"}),
    ],
    "second_look.ask": [("/match/1/review", {}), ("/match/2/review", {})],
    "second_look.ask_for_dead": [("/match/1/estimate", {}), ("/match/2/estimate", {})],
    "second_look.again": [("/match/1/again/4", {}), ("/match/2/again/1", {})],
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
    "wishes",
    "events",
    "peace",
    "post",
}
ABOUT_NO_MATCH |= {"records.bring", "lobby.open_match", "post_office.answer"}
"""Blueprints, or routes, that take things about oneself or from outside."""


def token(world: World, name: str) -> str:
    return feeds.address(world.town.site, world.id(name)).rpartition("/")[2]


Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""

CHANCE = rb'(name="(?:csrf_token|nonce|visit)" value=)"[^"]*"'
"""What is new whenever a page is shown."""


PASSING = ("Set-Cookie", "Content-Length", "Date")
"""Headers that say nothing of what is asked for."""


def answered(answer: TestResponse) -> Answer:
    told = {name: value for name, value in answer.headers.items() if name not in PASSING}
    return answer.status_code, told, re.sub(CHANCE, rb"\1", answer.data)


def asked(world: World, name: str) -> dict[str, Answer]:
    """Every answer this visitor gets, by what was asked."""
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for paths in ASK.values():
        for number, path in enumerate(paths(world)):
            answers[f"{number} {re.sub('at=.*|order=.*', '', path)}"] = answered(browser.get(path))
    return answers


def sent(world: World, name: str) -> dict[str, Answer]:
    """Every answer to what this visitor sends, with and without the page's script."""
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for given in SEND.values():
        for path, form in given:
            filled = {key: value.replace("TRIED", TRIED) for key, value in form.items()}
            for kind in ("application/json", "text/html")[: 2 if (path, form) == given[0] else 1]:
                answer = browser.post(path, data=filled, headers={"Accept": kind})
                answers[f"{path} {form} {kind}"] = answered(answer)
    world.town.work()
    world.town.now = LATER
    return answers


def differing(answers: Sequence[Mapping[str, object]]) -> list[str]:
    """What was answered differently at one site than in another."""
    first, *rest = answers
    return [key for other in rest for key in first.keys() | other.keys() if first.get(key) != other.get(key)]


LATER_KINDS = {
    "takeback_agreed",
    "pause_agreed",
    "resume_offered",
    "resume_declined",
    "resume_agreed",
    "limit",
    "reminder",
    "late",
    "sought",
    "result",
    "rematch",
    "declined",
    "withdrawn",
}
"""The kinds of letters that `test_afterwards` causes."""

TEAM_KINDS = {"taken", "left", "fewer"}
"""Those that `test_teams` causes."""

ALONE_KINDS = {"account", "draw_offered", "draw_declined", "unheard", "undone"}
"""Those that `test_agreements` causes."""


def kinds(world: World) -> set[str]:
    """The kinds of letters that others got."""
    with world.town.store.reading() as session:
        own = Player.email.in_([f"{name}@example.org" for name in OTHERS if name])
        return set(session.scalars(select(Letter.kind).join(Player, Player.id == Letter.player_id).where(own)))
