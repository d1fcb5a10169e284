"""No operation of the API shows a program what another player hides, whatever the scopes of its token.

As in test_pages.py, the sites differ only in what Ada hides, and every answer must be the same on all, byte for byte. A
new operation needs a way to call it here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

from service.api.document import document
from service.play.pages import analysis
from service.play.table import estimate, replay
from service.store.models import Match
from tests.secrecy.asking import PASSING, differing
from tests.secrecy.worlds import AT_ONCE, COUNTED, CUP, FINISHED, HIDDEN, IN_TURN, World, count_and_finish, mailed

MATCHES = (AT_ONCE, IN_TURN, CUP)

Answer = tuple[int, dict[str, str], bytes]
Asked = Callable[[World], list[tuple[str, object]]]
"""Paths below /api/v1, each with its body, or None without one."""


def get(*paths: str) -> Asked:
    return lambda _world: [(path, None) for path in paths]


def of_matches(*tails: str) -> Asked:
    return get(*(f"/matches/{match}{tail}" for match in MATCHES for tail in tails))


def put(*bodies: tuple[str, object]) -> Asked:
    return lambda _world: [*bodies]


POINTS = ("d6", "b2", "e5", "a1", "pass", "prefer blue", "nonsense", "")

ASK: dict[str, Asked] = {
    "matches": get("/matches", "/matches?player=ada", "/matches?before=4&state=running"),
    "open_matches": get("/matches/open"),
    "my_matches": get("/matches/mine"),
    "match": of_matches("", *(f"?ply={ply}" for ply in (0, 4, 5, 6))),
    "moves": of_matches("/moves"),
    "board_svg": of_matches("/board.svg", "/board.svg?ply=4"),
    "board_png": of_matches("/board.png", "/board.png?ply=6"),
    "board_text": of_matches("/board.txt", "/board.txt?ply=6"),
    "record": of_matches("/record.txt", "/record.json", "/record.sgf"),
    "talk": of_matches("/messages"),
    "comments_on": get(f"/matches/{FINISHED}/comments", f"/matches/{AT_ONCE}/comments"),
    "review": get(f"/matches/{FINISHED}/review", f"/matches/{AT_ONCE}/review"),
    "verdict": get("/orders/sealed", "/orders/held"),
    "events": get("/events", "/events?after=1&wait=0", "/events?after=1763726400000"),
    "games": get("/games"),
    "wish": get("/wish"),
    "seekers": get("/wishes"),
    "contests": get("/contests"),
    "contest": get("/contests/1", "/contests/1?season=1"),
    "me": get("/me"),
    "bots": get("/bots"),
    "hooks": get("/hooks"),
    "player": lambda world: [(f"/players/{world.id(name)}", None) for name in ("ada", "bruno", "emil")],
    "ratings": get("/ratings/multigo", "/ratings/go?floor=1500&player=1&place=50"),
    "variations": lambda world: [
        (f"/matches/{match}/variations?ply={ply}{at}", None)
        for match in (AT_ONCE, IN_TURN, FINISHED)
        for ply in (0, 4, 5)
        for at in ("", *(f"&at={number}" for number in tried()))
    ],
    "estimate": get(f"/matches/{COUNTED}/estimate", f"/matches/{AT_ONCE}/estimate"),
    "statistics": get("/statistics/multigo", "/statistics/multigo-parallel"),
    "following": get("/following"),
    "notices": get("/notices"),
    "openapi": get("/openapi.json"),
}


def tried() -> list[int]:
    """The numbers of the variations that Ada tried on one of the sites."""
    return [analysis.variation_number(None, 0, hidden.tried) for hidden in HIDDEN if hidden]


def trials(tail: str = "") -> Asked:
    """Paths of moves tried where Ada tried some, and after hers."""
    return put(
        *(
            (f"/matches/{match}/variations{tail}", {"ply": ply, "at": at, "text": text})
            for match, ply in ((AT_ONCE, 4), (AT_ONCE, 5), (IN_TURN, 4), (FINISHED, 0))
            for at in ("", *map(str, tried()))
            for text in ("e5", "a1", "d6", "pass", "")
        )
    )


def about(name: str, *tails: str) -> Asked:
    """Paths below /players and /following/players with the number of this player."""
    return lambda world: [(tail.format(world.id(name)), None) for tail in tails]


RECORD = "# stonepost replay go --set size=9\ne5\n"

SEND: dict[str, Asked] = {
    "ask_for_estimate": put(*((f"/matches/{match}/estimate", None) for match in (COUNTED, AT_ONCE, IN_TURN))),
    "preview": put(*((f"/matches/{match}/preview", {"text": text}) for match in MATCHES for text in POINTS)),
    "send_order": put(
        *((f"/matches/{match}/orders?wait=0", {"text": text, "round": 2}) for match in (1, 2) for text in ("c3", "no")),
        (f"/matches/{AT_ONCE}/orders?wait=0", {"text": "g1", "round": 3}),
        (f"/matches/{IN_TURN}/orders?wait=0", {"text": "if d6 then b2"}),
        (f"/matches/{IN_TURN}/orders?wait=0", {"text": "undo"}),
        (f"/matches/{COUNTED}/orders?wait=0", {"text": "resume"}),
    ),
    "say": put(
        (f"/matches/{AT_ONCE}/messages", {"text": "Psst", "to": [0]}), (f"/matches/{CUP}/messages", {"text": "Hi"})
    ),
    "keep_note": put((f"/matches/{AT_ONCE}/note", {"text": "A note"})),
    "comment": put((f"/matches/{FINISHED}/comments", {"ply": 0, "text": "Well"})),
    "ask_for_review": put(*((f"/matches/{match}/review", None) for match in (FINISHED, AT_ONCE))),
    "open_match": put(("/matches", {"new": "lotus vs open"}), ("/matches", {"new": "lotus vs ada@example.org"})),
    "join": put(*((f"/matches/{match}/join", {}) for match in MATCHES)),
    "answer": put((f"/matches/{AT_ONCE}/answer", {"accept": True})),
    "withdraw": put((f"/matches/{AT_ONCE}/withdraw", None)),
    "make_wish": put(("/wish", {"wish": "medusa"}), ("/wish", {"wish": "chess"})),
    "end_wish": put(("/wish", None)),
    "make_bot": put(("/bots", {"name": "Lily"})),
    "add_hook": put(("/hooks", {"address": "https://bot.example.org/"})),
    "test_hook": put(*((f"/hooks/{number}/test", None) for number in (1, 2))),
    "rotate_secret": put(*((f"/hooks/{number}/rotate", None) for number in (1, 2))),
    "remove_hook": put(*((f"/hooks/{number}", None) for number in (1, 2))),
    "join_contest": put(("/contests/1/join", None)),
    "leave_contest": put(("/contests/1/withdraw", None)),
    "challenge": put(("/contests/1/challenge/2", None)),
    "found_contest": put(
        ("/contests", {"kind": "cup", "name": "Spring cup", "game": "go", "clock": "3d/move"}),
        ("/contests", {"kind": "ladder", "game": "medusa", "clock": "3d/move"}),
    ),
    "end_contest": put(("/contests/1/end", None), ("/contests/2/end", None)),
    "try_move": trials(),
    "preview_variation": trials("/preview"),
    "forget_variation": lambda _world: [
        (f"/matches/{match}/variations?ply={ply}&at={at}", None)
        for match, ply in ((AT_ONCE, 4), (IN_TURN, 4), (FINISHED, 0))
        for at in tried()
    ],
    "play_again": put(
        *((f"/matches/{match}/again", {"ply": ply}) for match, ply in ((FINISHED, 2), (AT_ONCE, 4), (IN_TURN, 1)))
    ),
    "bring_record": put(("/records", {"record": RECORD}), ("/records", {"record": "nonsense"})),
    "offer_seat": put(*((f"/matches/{match}/seat", {"to": to}) for match in MATCHES for to in ("anybody", ""))),
    "invite_player": about("ada", "/players/{}/matches"),
    "meet": put(("/wishes/go/meet", None), ("/wishes/lotus/meet", None)),
    "choose_notices": put(("/notices", {"games": ["multigo-parallel-coop"]})),
    "follow_player": about("ada", "/following/players/{}"),
    "follow_contest": put(("/following/contests/1", None)),
    "unfollow_player": about("ada", "/following/players/{}"),
    "unfollow_contest": put(("/following/contests/1", None)),
    "remove_comment": put((f"/matches/{FINISHED}/comments/1", None)),
    "report": lambda world: [(f"/players/{world.id('ada')}/report", {"text": "She hides something."})],
    "block": about("ada", "/players/{}/block"),
    "unblock": about("ada", "/players/{}/block"),
}

METHODS = dict.fromkeys(("keep_note", "make_wish", "choose_notices", "follow_player", "follow_contest", "block"), "PUT")
METHODS |= dict.fromkeys(("end_wish", "forget_variation", "unfollow_player", "unfollow_contest"), "DELETE")
METHODS |= dict.fromkeys(("remove_comment", "unblock", "remove_hook"), "DELETE")
"""Operations whose method isn't POST."""


OWN = ("RateLimit", "Retry-After")
"""Headers that count the asker's requests, or give a time of the real clock."""


def asked(world: World, name: str, routes: dict[str, Asked], method: str) -> dict[str, Answer]:
    """Every answer to this player's token, which has all scopes; "" asks without a token."""
    replay.forget()
    client, answers = world.app.test_client(), {}
    headers = {"Authorization": f"Bearer {world.token(name)}"} if name else {}
    for operation, paths in routes.items():
        for number, (path, body) in enumerate(paths(world)):
            given: dict[str, Any] = {} if body is None else {"json": body}
            key = {"Idempotency-Key": f"{operation}-{number}"} if method != "GET" else {}
            sent = METHODS.get(operation, method)
            answer = client.open(f"/api/v1{path}", method=sent, headers=headers | key, **given)
            told = {header: value for header, value in answer.headers.items() if header not in (*PASSING, *OWN)}
            answers[f"{operation} {path} {json.dumps(body)}"] = answer.status_code, told, answer.data
    return answers


def settle_chance(world: World) -> None:
    """Gives the matches that were opened the same seeds on all sites: emails show a random move as an example."""
    with world.town.store.writing() as session:
        session.execute(update(Match).where(Match.id > FINISHED).values(seed=Match.id))
    replay.forget()


def done(answers: dict[str, Answer]) -> set[str]:
    return {key.partition(" ")[0] for key, (status, *_) in answers.items() if status < 400}


def test_every_operation_is_called_here(worlds: list[World]) -> None:
    """The document, the application and the table above have the same operations."""
    paths = document("")["paths"]
    documented = {(one["operationId"], method.upper()) for path in paths.values() for method, one in path.items()}
    routes = worlds[0].app.url_map
    answered = {
        (rule.endpoint.removeprefix("api."), method)
        for rule in routes.iter_rules()
        if rule.rule.startswith("/api/")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    ways = {(name, "GET") for name in ASK} | {(name, METHODS.get(name, "POST")) for name in SEND}
    assert ways == answered == documented | {("openapi", "GET")}


def test_every_call_reaches_its_operation(worlds: list[World]) -> None:
    routes = worlds[0].app.url_map.bind("localhost")
    for name, ways in (ASK | SEND).items():
        method = "GET" if name in ASK else METHODS.get(name, "POST")
        for path, _ in ways(worlds[0]):
            assert routes.match(f"/api/v1{path.partition('?')[0]}", method)[0] == f"api.{name}", path


def test_programs_of_others_cannot_read_what_a_player_hides(worlds: list[World]) -> None:
    for world, hidden in zip(worlds, HIDDEN, strict=True):
        replay.forget()
        count_and_finish(world, hidden)
        estimate.ask(world.town.site, COUNTED, world.id("bruno"))
    reached: set[str] = set()
    for name in ("bruno", "emil", ""):
        answers = [asked(world, name, ASK, "GET") for world in worlds]
        assert differing(answers) == [], name
        reached |= done(answers[0])
    assert ASK.keys() - reached == {"review", "verdict"}, "what is missing everywhere isn't compared"


def test_programs_of_others_learn_nothing_from_what_they_send(
    worlds: list[World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.play.notify.doors.token_urlsafe", lambda size: "x" * size)  # The seeds of hooks.
    for world, hidden in zip(worlds, HIDDEN, strict=True):
        replay.forget()
        count_and_finish(world, hidden)
    reached: set[str] = set()
    for name in ("bruno", "emil"):
        answers = []
        for world in worlds:
            answers.append(asked(world, name, SEND, "POST"))
            settle_chance(world)
            world.town.queue = [job for job in world.town.queue if job[0] != "think"]
            world.town.work()
        assert differing(answers) == [], name
        reached |= done(answers[0])
        after = {"verdict": get(*(f"/orders/send_order-{number}?wait=0" for number in range(8)))}
        after |= {wanted: ASK[wanted] for wanted in ("review", "variations", "following", "player", "talk")}
        verdicts = [asked(world, name, after, "GET") for world in worlds]
        assert differing(verdicts) == [], name
        reached |= done(verdicts[0])
    refused = {"challenge", "withdraw"}
    asked_for = SEND.keys() | {"verdict", "review"}
    assert asked_for - reached == refused, "what is refused everywhere tells little"
    assert all(mailed(world) == mailed(worlds[0]) for world in worlds)


def test_the_players_own_program_reads_it_all(worlds: list[World]) -> None:
    """Otherwise there would be nothing to hide."""
    hidden = HIDDEN[1]
    assert hidden is not None
    answers = asked(worlds[1], "ada", ASK, "GET")
    told = b"".join(body for _, _, body in answers.values()).decode(errors="replace")
    for word in (hidden.sealed, hidden.ahead, hidden.standing, f"whisper {hidden.words}", f"note {hidden.words}"):
        assert word in told
