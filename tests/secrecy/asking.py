"""A way to request every page and submit every form that has to do with a match."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import InstrumentedAttribute
from werkzeug.test import TestResponse

from service.play import links
from service.play.accounts import email_change, recovery
from service.play.links import Link
from service.play.pages import analysis, feeds
from service.play.site import Site
from service.play.table import estimate, replay
from service.store.models import Player
from service.store.tables.credentials import AddressChange
from service.store.tables.mail_rows import Letter
from tests.cases import FULL, cases
from tests.conftest import luck
from tests.secrecy.worlds import AT_ONCE, COUNTED, CUP, FINISHED, HIDDEN, IN_TURN, LATER, OTHERS, PLAYERS, World

Paths = Callable[[World], list[str]]


def fixed(*paths: str) -> Paths:
    return lambda _world: [*paths]


def of_matches(*tails: str) -> Paths:
    return lambda _world: [
        f"/match/{match}{tail}".replace("TRIED", TRIED) for match in (AT_ONCE, IN_TURN) for tail in tails
    ]


def path(link: str) -> str:
    return link.partition("8000")[2]


def led(link: Callable[[Site, Any], str], column: InstrumentedAttribute[Any], *only: ColumnElement[bool]) -> Paths:
    """The pages that links lead to, each made with this column of a row; an invalid link if there is no row."""

    def paths(world: World) -> list[str]:
        with world.town.store.reading() as session:
            meant = session.scalars(select(column).where(*only)).all()
        return [path(link(world.town.site, one)) for one in meant or ["nothing"]]

    return paths


def of_the_cup(*tails: str) -> Paths:
    return lambda _world: [f"/match/{CUP}{tail}" for tail in tails]


def both(*some: Paths) -> Paths:
    return lambda world: [path for paths in some for path in paths(world)]


CLOSED_WHY = "has everybody's mail: see test_only_the_machine_itself_can_open_the_post_office"

EMPTY = {
    **dict.fromkeys(
        (
            "operators.letters",
            "operators.overview",
            "operators.locked",
            "operators.find",
            "operators.player",
            "operators.match",
            "operators.orders",
            "operators.reports",
            "operators.pairs",
            "operators.log",
        ),
        "404 but to operators, who can read the database",
    ),
    "guide.change_password": "leads to a page that is compared",
    "guide.security": "names nobody here",
    "metrics.show": "404 without the operators' token",
    "talk.next_match": "always leads elsewhere, and where to is compared",
    "static": "files, the same for everybody",
    "post_office.letters": CLOSED_WHY,
    "post_office.letter": CLOSED_WHY,
    "post_office.html": CLOSED_WHY,
}
"""Pages that nobody here gets to see, each with the reason why that's all right."""

TRIED = str(next(analysis.variation_number(None, 0, hidden.tried) for hidden in HIDDEN if hidden))
"""The number of the variation that Ada tried on one of the sites."""


PLIES = (4, 6)
"""In the match with sealed moves, the last ply that everybody may see, and one at which Ada sealed a move."""

CLOSED = fixed()
"""The post office: see `test_only_the_machine_itself_can_open_the_post_office`."""

ASK: dict[str, Paths] = {
    "lobby.front": fixed("/"),
    "lobby.new": fixed("/new"),
    "lobby.new_match": fixed("/new/multigo?seats=4"),
    "auth.account": fixed("/account"),
    "auth.ask": fixed("/sign-in"),
    "auth.sent": fixed("/sign-in/sent"),
    "auth.knock": fixed("/sign-in/token"),
    "address.ask": fixed("/account/address"),
    "address.confirmable": led(email_change.confirm_link, AddressChange.id),
    "address.objectionable": led(email_change.object_link, AddressChange.id),
    "settings.browsers": fixed("/account/browsers"),
    "settings.mail_networks_page": fixed("/account/mail-networks"),
    "doors.show": fixed("/account/doors"),
    "doors.service_worker": fixed("/service-worker.js"),
    "keys.show": fixed("/account/keys"),
    "keys.prove": fixed("/account/prove"),
    "guide.show": fixed("/api"),
    "guide.security": fixed("/.well-known/security.txt"),
    "guide.change_password": fixed("/.well-known/change-password"),
    "programs.show": fixed("/account/programs"),
    "programs.deletable": lambda world: [f"/account/programs/bots/{world.bot}/delete"],
    "leaving.recoverable": lambda world: [path(recovery.link(world.town.site, world.player("emil"), LATER))],
    "leaving.ask": fixed("/account/leave"),
    "leaving.data": fixed("/account/data.json"),
    "feeds.turns": lambda world: [f"/feed/{token(world, name)}/turns.xml" for name in OTHERS[:3]],
    "feeds.followed": lambda world: [f"/feed/{token(world, name)}/followed.xml" for name in OTHERS[:3]],
    "following.show": fixed("/following"),
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
    "match.show": both(of_matches("", "?order=sealed&reader=3&turned=yes", "?order=held"), of_the_cup("")),
    "match.at": of_matches(*(f"/at/{ply}" for ply in PLIES)),
    "match.news": both(of_matches("/news", "/news?order=sealed"), of_the_cup("/news")),
    "explore.show": of_matches(*(f"/explore/{ply}" for ply in PLIES), "/explore/4?at=TRIED"),
    "records.record": of_matches("/record.txt", "/record.json", "/record.sgf"),
    "records.board": of_matches(*(f"/at/{ply}/board.{kind}" for ply in PLIES for kind in ("svg", "png"))),
    "records.bring_form": fixed("/import"),
    "figures.attempt": fixed("/rules/multigo/try?moves=c3&text=d4"),
    "operators.letters": fixed("/operator/letters"),
    "operators.overview": fixed("/operator"),
    "operators.locked": fixed("/operator/open"),
    "operators.find": fixed("/operator/find?match=1"),
    "operators.player": lambda world: [f"/operator/player/{world.id(name)}" for name in PLAYERS],
    "operators.match": fixed("/operator/match/1"),
    "operators.orders": fixed("/operator/orders"),
    "operators.reports": fixed("/operator/reports"),
    "operators.pairs": fixed("/operator/pairs"),
    "operators.log": fixed("/operator/log"),
    "health.show": fixed("/health"),
    "events.index": fixed("/events"),
    "events.show": fixed("/events/1", "/events/1?season=1"),
    "events.feed": fixed("/events/1/feed.xml"),
    "gazette.feed": fixed("/gazette/feed.xml"),
    "people.history": fixed("/history", "/history?game=multigo", "/history?before=3"),
    "gazette.show": fixed("/gazette", "/gazette/1"),
    "events.calendar": fixed("/events/1/calendar.ics"),
    "wishes.show": fixed("/wishes"),
    "health.live": fixed("/health/live"),
    "metrics.show": fixed("/metrics"),
    "people.matches": fixed("/matches", "/matches?player=ada", "/matches?state=running&game=multigo"),
    "people.statistics": fixed("/statistics", "/statistics/multigo"),
    "people.ratings": fixed("/ratings", "/ratings/multigo"),
    "people.player": lambda world: [f"/player/{world.id(name)}" for name in (*PLAYERS, "emil")],
    "talk.next_match": fixed("/next", f"/next?after={AT_ONCE}"),
    "pictures.ink": fixed("/ink.css"),
    "pictures.match_board": both(
        of_matches(*(f"/round/{number}/board.svg" for number in (0, 1, 2, 3, 4))),
        of_the_cup(*(f"/round/{number}/board.svg" for number in (0, 1, 2))),
    ),
    "pictures.sample": fixed("/rules/multigo.svg"),
    "play_now.choose": fixed("/play"),
    "post.held": led(Link.CONFIRM_MAIL.to, Letter.key, Letter.kind.in_(("confirm", "confirm_reply"))),
    "post.stoppable": lambda world: [
        path(links.to_stop(world.town.site, world.id(name), AT_ONCE)) for name in OTHERS[:2]
    ],
    "post_office.letters": CLOSED,
    "post_office.letter": CLOSED,
    "post_office.html": CLOSED,
    "rules.index": fixed("/rules"),
    "rules.by_mail": fixed("/by-mail"),
    "rules.page": fixed("/rules/multigo-parallel-coop"),
    "static": fixed(),
}
"""The paths by which each page is requested."""

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
    "comments.add": [
        (f"/match/{match}/at/0/comment", {"text": text, "nonce": "comment"})
        for match, text in ((FINISHED, "Well played"), (FINISHED, ""), (AT_ONCE, "Not yet"))
    ],
    "comments.remove": [(f"/match/{FINISHED}/comments/1/remove", {})],
    "lobby.withdraw": [(f"/match/{match}/withdraw", {}) for match in (1, 2)],
    "people.play": [(f"/player/{number}/play", {"nonce": "again"}) for number in (1, 2)],
    "explore.attempt": [("/match/1/explore/4/try", {"at": at, "text": "e5"}) for at in ("TRIED", "")],
    "explore.forget": [("/match/1/explore/4/forget", {"at": "TRIED"})],
    "match.send": [
        *(("/match/1/order", {"text": move, "round": "2", "nonce": move}) for move in ("c3", "nonsense", "ally black")),
        ("/match/1/order", {"text": "g1", "round": "3", "nonce": "sealed"}),
        ("/match/2/order", {"text": "if d6 then b2", "nonce": "ahead"}),
    ],
    "events.join": [("/events/1/join", {})],
    "events.end": [("/events/1/end", {})],
    "events.challenge": [("/events/1/challenge/2", {})],
    "events.withdraw": [("/events/1/withdraw", {})],
    "events.found": [
        ("/events", {"name": f"{name} cup", "game": "multigo-parallel-coop", "clock": clock, "seats": "3"})
        for name, clock in (("Winter", "3d/move"), ("Spring", "soon"), ("Spring", "3d/move"))
    ],
    "wishes.make": [("/wishes", {"game": game, "most": "2"}) for game in ("medusa", "chess")],
    "wishes.meet": [("/wishes/meet/go", {"nonce": "meet"}), ("/wishes/meet/lotus", {"nonce": "meet"})],
    "wishes.choose_notices": [("/wishes/notices", {"about": "multigo-parallel-coop"})],
    "following.follow_player": [(f"/following/player/{number}", {"follow": "yes"}) for number in (1, 2)],
    "following.follow_event": [("/following/event/1", {"follow": follow}) for follow in ("yes", "no")],
    "wishes.end": [("/wishes/end", {})],
    "second_look.ask": [(f"/match/{match}/review", {}) for match in (FINISHED, AT_ONCE, IN_TURN)],
    "second_look.ask_for_dead": [(f"/match/{match}/estimate", {}) for match in (COUNTED, AT_ONCE, IN_TURN)],
    "second_look.again": [
        (f"/match/{match}/again/{ply}", {}) for match, ply in ((FINISHED, 2), (AT_ONCE, 4), (IN_TURN, 1))
    ],
    "talk.say": [("/match/1/say", {"text": "Psst", "audience": "some", "reader": "0", "nonce": "say"})],
    "talk.note": [("/match/1/note", {"text": "x" * 20_001}), ("/match/1/note", {"text": "A note"})],
    "lobby.join": [("/match/1/join", {}), ("/match/2/join", {})],
    "lobby.offer_seat": [
        ("/match/1/seat", {"heir": "somebody", "address": address}) for address in ("nobody", "fay@example.org")
    ],
    "lobby.answer": [("/match/1/answer", {"answer": "accept"})],
    "settings.choose_mails_here": [("/account/mails/1", {"post": "instant"})],
    "sight.choose": [("/match/1/sight", {"turned": "yes"})],
}
"""What everybody else sends to the routes that accept something about a match."""

ABOUT_NO_MATCH = {
    "inbound",
    "webhooks",
    "auth",
    "address",
    "operators",
    "keys",
    "doors",
    "settings",
    "leaving",
    "programs",
    "play_now",
    "peace",
    "post",
}
ABOUT_NO_MATCH |= {"records.bring", "lobby.open_match", "post_office.answer"}
"""Blueprints, or routes, that accept things about the sender alone, or from outside."""


def token(world: World, name: str) -> str:
    return feeds.address(world.town.site, world.id(name)).rpartition("/")[2]


FEW = cases(1, full=99)
"""How many paths of each route are requested by tests about other things."""

OF_NOBODY = (
    *("auth.ask", "auth.knock", "auth.sent", "cards.app_icon", "cards.game", "cards.house", "cards.manifest"),
    *(
        "figures",
        "guide",
        "health.live",
        "learn",
        "lobby.new",
        "pictures.ink",
        "pictures.sample",
        "play_now",
        "problems",
    ),
    *("records.bring_form", "rules"),
)
"""Blueprints, or routes, that show nothing that belongs to anybody."""

OF_THE_ASKER = (
    *("address", "auth", "doors", "keys", "leaving.ask", "leaving.recoverable", "lobby.new_match", "metrics"),
    *("operators", "post", "programs", "settings"),
)
"""Those that show only what belongs to the visitor who asks."""

LIKE_ANOTHER = ("cards.match", "share.oembed")
"""Routes that show nothing of a match but what the picture of its board and its page show."""

SOMEBODYS = {
    route: paths
    for route, paths in ASK.items()
    if FULL or not {route, route.partition(".")[0]} & {*OF_NOBODY, *OF_THE_ASKER, *LIKE_ANOTHER}
}
"""What tests about other things request: all of it with every case, otherwise what may be about other people."""

ASKING = OTHERS if FULL else ("bruno", "emil", "")
"""Who asks: everybody with every case, otherwise not Cleo, who is an opponent like Bruno."""

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""

CHANCE = rb'(name="(?:csrf_token|nonce|visit)" value=)"[^"]*"'
"""What differs each time a page is shown."""


PASSING = ("Set-Cookie", "Content-Length", "Date")
"""Headers that don't depend on the page."""


def answered(answer: TestResponse) -> Answer:
    told = {name: value for name, value in answer.headers.items() if name not in PASSING}
    return answer.status_code, told, re.sub(CHANCE, rb"\1", answer.data)


def asked(
    world: World, name: str, each: int | None = None, routes: Mapping[str, Paths] = SOMEBODYS
) -> dict[str, Answer]:
    """Every answer this visitor gets from these routes, by path; with `each`, from that many paths of a route."""
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for paths in routes.values():
        for number, path in enumerate(paths(world)[:each]):
            answers[f"{number} {re.sub('at=.*|order=.*', '', path)}"] = answered(browser.get(path))
    return answers


def looked(world: World, name: str, paths: Iterable[str]) -> dict[str, Answer]:
    """What this visitor sees at each of these addresses."""
    replay.forget()
    return {path: answered(world.browsers[name].client.get(path)) for path in paths}


def sent(world: World, name: str) -> dict[str, Answer]:
    """Every answer to what this visitor sends, with and without the page's script. New matches are the same on all
    sites, and no computer opponent moves in them, which would take long."""
    luck("what is sent")
    replay.forget()
    browser, answers = world.browsers[name].client, {}
    for given in SEND.values():
        for path, form in given:
            filled = {key: value.replace("TRIED", TRIED) for key, value in form.items()}
            for kind in ("application/json", "text/html")[: 2 if (path, form) == given[0] else 1]:
                answer = browser.post(path, data=filled, headers={"Accept": kind})
                answers[f"{path} {form} {kind}"] = answered(answer)
    thinking = [subject for task, subject in world.town.queue if task == "think"]
    world.town.queue = [job for job in world.town.queue if job[0] != "think"]
    world.town.work()
    for match in thinking:
        estimate.think(world.town.site, match)
    world.town.now = LATER
    return answers


def reached(world: World, answers: Iterable[tuple[str, int]], method: str) -> set[str]:
    """The routes that answered neither with an error nor, for a page, with a redirect."""
    routes, most = world.app.url_map.bind("127.0.0.1"), 300 if method == "GET" else 400
    return {routes.match(address.partition("?")[0], method)[0] for address, status in answers if 200 <= status < most}


def is_refused(answer: Answer) -> bool:
    """Whether the page's script gets just a message that says why something wasn't accepted."""
    _, told, body = answer
    return told["Content-Type"] == "application/json" and json.loads(body).keys() == {"message"}


def differing(answers: Sequence[Mapping[str, object]]) -> list[str]:
    """The keys of what was answered differently on some sites."""
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
    "timed_out",
    "result",
    "reviewed",
    "rematch",
    "declined",
    "withdrawn",
}
"""The kinds of letters that `test_afterwards` causes."""

TEAM_KINDS = {"taken", "left", "fewer"}
"""Those that `test_teams` causes."""

NOTICE_KINDS = {"openings", "gazette", "club_notice"}
"""Those that `test_notices` and `test_gazette` in `tests/play/company` and `tests/play/outbox/test_hooks.py` cause:
they're about matches that haven't begun, and results."""

CUP_KINDS = {"event_news"}
"""Those that `test_cups` causes."""

ALONE_KINDS = {"account", "draw_offered", "draw_declined", "sign_in", "unheard", "undone"}
"""Those that `test_agreements` causes."""


def kinds(world: World) -> set[str]:
    """The kinds of letters that the others were sent."""
    with world.town.store.reading() as session:
        own = Player.email.in_([f"{name}@example.org" for name in OTHERS if name])
        return set(session.scalars(select(Letter.kind).join(Player, Player.id == Letter.player_id).where(own)))
