"""Access, rate limits and refusals: the API never answers with a page or a cookie."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from service.api.operations import OPERATIONS
from service.api.problem_details import KINDS
from service.play.accounts.programs import bot_accounts, tokens
from service.store.models import Player
from service.web.security import limiter
from tests.api.conftest import Program, Reply, program
from tests.play.conftest import Town


def refused(answer: Reply, status: int, kind: str) -> None:
    """It's a problem of this kind (RFC 9457)."""
    assert (answer.status, answer.mimetype) == (status, "application/problem+json")
    assert answer.json["type"] == f"/api#{kind}"
    assert (answer.json["status"], answer.json["title"]) == (status, KINDS[kind])
    assert answer.json["detail"]
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "given", "status", "kind"),
    [
        ("GET", "/nowhere", {}, 404, "not-found"),
        ("GET", "/api/v1", {}, 404, "not-found"),
        ("GET", "/api/", {}, 404, "not-found"),
        ("POST", "/api/v2/matches", {}, 404, "not-found"),
        ("GET", "/matches/999", {}, 404, "not-found"),
        ("GET", "/matches/9999999999999", {}, 404, "not-found"),
        ("DELETE", "/matches", {}, 405, "method-not-allowed"),
        ("POST", "/matches", {"data": "new=lotus"}, 415, "not-json"),
        ("POST", "/matches", {"data": "{", "content_type": "application/json"}, 400, "malformed"),
        ("POST", "/matches", {"data": b'{"new": "\xff"}', "content_type": "application/json"}, 400, "malformed"),
        ("POST", "/matches", {"json": {"new": "x" * 300_000}}, 413, "too-large"),
        ("POST", "/matches", {"json": {"new": "chess vs open"}}, 422, "refused"),
        ("GET", "/matches?befor=3", {}, 422, "malformed"),
        ("GET", "/matches?game=chess", {}, 422, "malformed"),
        ("POST", "/matches", {"json": {"new": "lotus vs Rando (bot)"}}, 422, "refused"),
        ("GET", "/matches?before=3&before=4", {}, 422, "malformed"),
        ("GET", "/matches?before=x", {}, 422, "malformed"),
        ("GET", "/matches?player=a%00b", {}, 400, "malformed"),
        ("GET", "/ratings/chess", {}, 404, "not-found"),
        ("GET", "/ratings/lotus?floor=null", {}, 422, "malformed"),
        ("GET", "/ratings/lotus?floor=nan", {}, 422, "malformed"),
        ("GET", "/players/77", {}, 404, "not-found"),
        *(("POST", f"/contests/77/{act}", {}, 404, "not-found") for act in ("join", "withdraw", "end", "challenge/1")),
        ("POST", "/matches/77/join", {"json": {}}, 404, "not-found"),
        ("POST", "/matches/77/answer", {"json": {"accept": True}}, 404, "not-found"),
        ("POST", "/matches/77/withdraw", {}, 404, "not-found"),
        ("PUT", "/wish", {"json": {"wish": "chess"}}, 422, "refused"),
        ("POST", "/matches/1/messages", {"json": {"text": "Hello"}}, 404, "not-found"),
        ("POST", "/bots", {"json": {"name": " "}}, 422, "refused"),
    ],
)
def test_every_refusal_is_a_problem(
    ada: Program, method: str, path: str, given: dict[str, Any], status: int, kind: str
) -> None:
    answer = ada._sent(method, path, given)
    refused(answer, status, kind)
    if status == 405:
        assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


@pytest.mark.parametrize(
    ("method", "path", "given", "detail", "field"),
    [
        ("GET", "/matches?befor=3", {}, "There's no parameter befor here.", "befor"),
        ("GET", "/me?befor=3", {}, "There's no parameter befor here.", "befor"),
        ("GET", "/matches?before=3&before=4", {}, "The parameter before is given twice.", "before"),
        ("GET", "/matches?before=x", {}, "The parameter before must be a whole number.", "before"),
        ("GET", "/matches?before=-1", {}, "The parameter before must be at least 0.", "before"),
        (
            *("GET", "/matches?state=lost", {}),
            *("The parameter state must be one of these: open, running, over, declined.", "state"),
        ),
        ("GET", "/events?wait=99", {}, "The parameter wait can be up to 25.", "wait"),
        ("POST", "/matches", {"json": {"new": 3}}, "The field new must be text, not a whole number.", "new"),
        ("POST", "/matches", {"json": {"new": ""}}, "The field new is empty.", "new"),
        ("POST", "/matches", {"json": {"new": "x" * 2_001}}, "The field new can have up to 2,000 characters.", "new"),
        ("POST", "/matches", {"json": {}}, "The field new is missing.", "new"),
        ("POST", "/matches", {"json": {"new": "x", "old": 1}}, "There's no field old here.", "old"),
        (
            *("POST", "/matches", {"json": {f" - at `$.{'a' * 200_000} ": 1}}),
            *(f"There's no field  - at `$.{'a' * 51} here.", f" - at `$.{'a' * 51}"),
        ),
        ("POST", "/matches", {"json": []}, "The body must be a JSON object, in braces.", None),
        (
            *("POST", "/matches/1/messages", {"json": {"text": "x", "to": [16]}}),
            *("Each item of the field to can be up to 15.", "to"),
        ),
        (
            *("POST", "/matches/1/messages", {"json": {"text": "x", "to": ["1"]}}),
            *("Each item of the field to must be a whole number, not text.", "to"),
        ),
        (
            *("POST", "/matches/1/messages", {"json": {"text": "x", "to": [1] * 17}}),
            *("The field to can have up to 16 items.", "to"),
        ),
        ("POST", "/bots", {"json": {"name": "x", "scopes": []}}, "The field scopes is empty.", "scopes"),
        (
            *("POST", "/bots", {"json": {"name": "x", "scopes": "read"}}),
            *("The field scopes must be a list or null, not text.", "scopes"),
        ),
        (
            *("POST", "/matches/1/join", {"json": {"side": "black"}}),
            *("The field side must be a whole number or null, not text.", "side"),
        ),
        (
            *("POST", "/matches/1/answer", {"json": {"accept": 1}}),
            *("The field accept must be true or false, not a whole number.", "accept"),
        ),
        ("POST", "/matches", {"data": "{"}, "The body isn't valid JSON: it ends too soon.", None),
        ("POST", "/matches", {"data": '{"new": "\\ud83d\\ude00'}, "The body isn't valid JSON: it ends too soon.", None),
        *(
            (
                *("POST", "/matches", {"data": f'{{"new": "{half}"}}'}),
                *("The body isn't valid JSON: escapes from \\ud800 to \\udfff come in pairs, and one is alone.", None),
            )
            for half in ("\\ud800", "\\udc00", "\\ud800\\u0041")
        ),
        *(
            (
                *("POST", "/matches/1/orders", {"data": f'{{"text": "e9", "round": {digits}}}'}),
                *("The field round has too many digits.", "round"),
            )
            for digits in ("9" * 6000, "-" + "9" * 6000, "1e400")
        ),
        ("GET", f"/matches?before={'9' * 6000}", {}, "The parameter before has too many digits.", "before"),
        (
            "POST",
            "/matches",
            {"data": '{"new" 3}'},
            "The body isn't valid JSON: it can't be read from byte 7 on.",
            None,
        ),
        ("POST", "/matches", {"data": b'{"new": "\xff"}'}, "The body isn't valid JSON: it isn't in UTF-8.", None),
        ("GET", "/matches/999", {}, "There's no match 999.", None),
        ("GET", "/nowhere", {}, "There's no address /api/v1/nowhere here. The page /api lists them all.", None),
        (
            *("DELETE", "/me", {}),
            *("The address /api/v1/me doesn't accept DELETE. The header Allow lists what it accepts.", None),
        ),
        ("POST", "/matches", {"json": {"new": "x" * 300_000}}, "The body can have up to 262,144 bytes.", None),
    ],
)
def test_a_refusal_is_a_sentence_that_names_the_field(
    ada: Program, method: str, path: str, given: dict[str, Any], detail: str, field: str | None
) -> None:
    kind = {"content_type": "application/json"} if "data" in given else {}
    answer = ada._sent(method, path, given | kind)
    assert (answer.json["detail"], answer.json.get("field")) == (detail, field)


def test_a_match_says_how_many_moves_it_has(ada: Program, match: int) -> None:
    detail = f"Match {match} has fewer than 7 moves that you can see."
    assert ada.ask(f"/matches/{match}?ply=7").json["detail"] == detail


def test_every_answer_in_json_ends_with_a_newline(ada: Program, match: int) -> None:
    answers = [
        ada.ask("/me"),
        ada.ask("/nowhere"),
        ada.ask("/openapi.json"),
        ada.order(match, "e9"),
        ada.order(match, "x"),
    ]
    assert {answer.text[-2:] for answer in answers} == {"}\n"}


def test_a_fault_in_our_code_is_a_problem_too(door: Flask, ada: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    door.config.update(PROPAGATE_EXCEPTIONS=False, TESTING=False)
    monkeypatch.setattr("service.api.subjects.lobby.GAMES", None)
    refused(ada.ask("/games"), 500, "unavailable")


def test_a_database_that_refuses_writes_is_a_problem_too(town: Town, door: Flask, ada: Program, match: int) -> None:
    door.config.update(PROPAGATE_EXCEPTIONS=False, TESTING=False)
    with town.store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    answer = ada.order(match, "e9")
    town.store.close()
    refused(answer, 500, "unavailable")


@pytest.mark.parametrize(
    "header",
    ["Bearer stonepost_nothing", "Bearer ", "Basic YWRhOmFkYQ==", "stonepost_x", "Bearer stonepost_" + "a" * 200],
)
def test_a_bad_token_is_refused(anybody: Program, header: str) -> None:
    for path in ("/me", "/games", "/matches"):
        answer = anybody.ask(path, headers={"Authorization": header})
        refused(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_every_operation_accepts_only_tokens_with_its_scope(
    town: Town, anybody: Program, enter: Callable[..., Program]
) -> None:
    """Whatever the numbers in its path, so nobody else learns what exists."""
    faults = []
    for one in OPERATIONS:
        path = (
            re.sub(r"<number:\w+>", "1", one.path)
            .replace("<suffix>", "txt")
            .replace("<key>", "x")
            .replace("<game>", "go")
        )
        body: object = {} if one.body else None
        others = tuple(scope for scope in tokens.SCOPES if scope != one.scope)
        without, wrong = (who.send(path, body, one.method).status for who in (anybody, enter("ada", *others)))
        if one.scope and (without, wrong) != (401, 403):
            faults.append(f"{one.name}: {without} without a token, {wrong} with one for something else")
        if not one.scope and {401, 403} & {without, wrong}:
            faults.append(f"{one.name} is for everybody")
    assert faults == []


def test_a_token_that_may_not_read_sees_what_everybody_sees(
    enter: Callable[..., Program], anybody: Program, ada: Program, match: int
) -> None:
    ada.order(match, "if e10 then e11")
    blind = enter("ada", "play")
    assert blind.ask(f"/matches/{match}").json == anybody.ask(f"/matches/{match}").json
    assert ada.ask(f"/matches/{match}").json["ahead"]


def test_a_token_stops_working(town: Town, ada: Program) -> None:
    assert ada.ask("/me").json["name"] == "Ada"
    with town.store.reading() as session:
        assert session.get_one(Player, ada.id).name == "Ada"
    held = tokens.of(town.site, ada.id)[0]
    assert held.used == town.now
    tokens.revoke(town.site, ada.id, held.hash)
    refused(ada.ask("/me"), 401, "unauthorized")


def test_a_cookie_is_ignored(door: Flask, ada: Program) -> None:
    client = door.test_client()
    with client.session_transaction() as kept:
        kept["visit"] = "anything"
    assert client.get("/api/v1/me").status_code == 401


def test_a_bot_is_made_with_its_token(ada: Program, door: Flask) -> None:
    made = [ada.send("/bots", {"name": "Rose"}, Idempotency_Key="one").json for _ in range(2)]
    assert made[0] == made[1]
    bot = Program(door.test_client(), made[0]["id"], made[0]["token"])
    me = bot.ask("/me").json
    assert (me["name"], me["is_bot"], me["scopes"]) == ("Rose (bot)", True, [*tokens.OF_BOTS])
    number = bot.send("/matches", {"new": "rosette base=5 vs open"}).json["id"]
    seats = ada.send(f"/matches/{number}/join", {}).json["seats"]
    assert [(seat["name"], seat["is_bot"]) for seat in seats] == [("Rose (bot)", True), ("Ada", False)]
    assert bot.order(number, "e9").status == 200
    assert ada.ask("/bots").json["bots"] == [{"id": bot.id, "name": "Rose (bot)", "token": ""}]


def test_limits_are_shown_and_enforced(town: Town, door: Flask, ada: Program) -> None:
    first = ada.ask("/me")
    assert re.fullmatch(r'"api";q=600;w=60', first.headers["RateLimit-Policy"])
    assert re.fullmatch(r'"api";r=599;t=\d+', first.headers["RateLimit"])
    for _ in range(20):
        ada.send("/bots", {"name": "Rose"})
    answer = ada.send("/bots", {"name": "Rose"})
    refused(answer, 429, "too-many-requests")
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    assert answer.headers["RateLimit-Policy"] == '"api";q=600;w=60, "make_bot";q=20;w=3600'
    assert ada.ask("/me").status == 200
    invited = ada.send("/matches", {"new": "lotus vs bruno@example.org"}).headers["RateLimit-Policy"]
    assert {one.partition(";")[0] for one in invited.split(", ")} == {
        '"api"',
        '"open_match"',
        '"invitations-hour"',
        '"invitations-day"',
    }


def test_a_player_with_all_tokens_and_bots_has_one_limit(town: Town, door: Flask, ada: Program, bruno: Program) -> None:
    other, made = program(town, door, "ada", ("read",)), ada.send("/bots", {"name": "Rose", "token": "At home"}).json
    bot = Program(door.test_client(), made["id"], made["token"])
    left = [one.ask("/me").headers["RateLimit"].partition(";t=")[0] for one in (ada, other, bot, bruno)]
    assert left == [f'"api";r={number}' for number in (598, 597, 596, 599)]


@pytest.mark.parametrize("sign", ["@", r"\u0040"])
def test_an_address_is_an_invitation_however_json_spells_it(
    ada: Program, bruno: Program, match: int, sign: str
) -> None:
    """All players at one internet address can invite 30 people an hour. Bruno is the first."""

    def sent(who: Program, path: str, body: str) -> int:
        data = body.replace("@", sign)
        return who._sent("POST", path, {"data": data, "headers": {"Content-Type": "application/json"}}).status

    def team(who: Program, number: int) -> int:
        others = f"b{number}@example.org with c{number}@example.org"
        return sent(who, "/matches", f'{{"new": "go with a{number}@example.org vs {others}"}}')

    seat = f"/matches/{match}/seat", '{"to": "eve@example.org"}'
    assert [team(ada if number % 2 else bruno, number) for number in range(9)] == [201] * 9
    assert [sent(who, *seat) for who in (ada, bruno)] == [422] * 2, "this match has no substitutes"
    assert {sent(who, *seat) for who in (ada, bruno)} == {team(ada, 9), team(bruno, 10)} == {429}
    assert sent(ada, "/matches", '{"new": "lotus vs open"}') == 201


def test_requests_that_no_token_allows_invite_nobody(town: Town, door: Flask, ada: Program, anybody: Program) -> None:
    """They come from the same internet address, such as that of a school."""
    reader = program(town, door, "ada", ("read",))
    for number in range(8):
        others = " vs ".join(f"{name}{number}@example.org" for name in "abcd")
        assert anybody.send("/matches", {"new": f"multigo vs {others}"}).status == 401
        assert reader.send("/matches", {"new": f"multigo vs {others}"}).status == 403
    assert ada.send("/matches", {"new": "lotus vs bruno@example.org"}).status == 201


def test_a_body_that_is_too_large_does_not_reset_a_count(ada: Program) -> None:
    for _ in range(20):
        ada.send("/bots", {"name": "Rose"})
    refused(ada.send("/matches", {"new": "x" * 300_000}), 413, "too-large")
    refused(ada.send("/bots", {"name": "Rose"}), 429, "too-many-requests")


def test_an_etag_saves_repeating_the_answer(ada: Program, match: int) -> None:
    first = ada.ask(f"/matches/{match}")
    again = ada.ask(f"/matches/{match}", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.text) == (304, "")
    ada.order(match, "e9")
    assert ada.ask(f"/matches/{match}", headers={"If-None-Match": first.headers["ETag"]}).status == 200


def test_an_if_match_that_no_longer_fits_is_a_problem(ada: Program, match: int) -> None:
    for path in (f"/matches/{match}", "/openapi.json"):
        first = ada.ask(path)
        for fits in (first.headers["ETag"], "*"):
            assert ada.ask(path, headers={"If-Match": fits}).json == first.json
        assert ada.ask(path, headers={"If-Match": "*", "If-None-Match": first.headers["ETag"]}).status == 304
        refused(ada.ask(path, headers={"If-Match": '"other"'}), 412, "refused")


def test_head_has_the_headers_of_get(ada: Program, match: int) -> None:
    path = f"/matches/{match}"
    got, head = ada.ask(path), ada._sent("HEAD", path, {})
    assert head.text == ""
    for name in ("ETag", "Cache-Control", "Content-Length", "Content-Type"):
        assert head.headers[name] == got.headers[name], name
    assert ada._sent("HEAD", path, {"headers": {"If-None-Match": got.headers["ETag"]}}).status == 304


def test_no_list_has_matches_that_were_declined(ada: Program, bruno: Program, match: int) -> None:
    declined = ada.send("/matches", {"new": "lotus vs bruno@example.org"}).json["id"]
    bruno.send(f"/matches/{declined}/answer", {"accept": False})
    assert ada.ask("/matches?state=declined").json == {"matches": [], "next": None}
    assert [one["id"] for one in ada.ask("/matches?state=running").json["matches"]] == [match]


def test_pages_of_other_sites_may_read_only_public_data(ada: Program, anybody: Program) -> None:
    assert anybody.ask("/games").headers["Access-Control-Allow-Origin"] == "*"
    assert anybody.ask("/openapi.json").headers["Access-Control-Allow-Origin"] == "*"
    for path in ("/me", "/matches/mine", "/events"):
        assert "Access-Control-Allow-Origin" not in ada.ask(path).headers, path
    assert "Access-Control-Allow-Headers" not in anybody._sent("OPTIONS", "/matches", {}).headers


def test_lists_continue_where_the_last_page_ended(town: Town, ada: Program, anybody: Program) -> None:
    for number in range(51):
        town.now += timedelta(minutes=1)
        ada.send("/matches", {"new": "rosette base=5 vs open"}, Idempotency_Key=str(number))
    first = anybody.ask("/matches?state=open&game=rosette&player=ada")
    following = first.json["next"]
    assert following.startswith("/api/v1/matches?player=ada&game=rosette&state=open&before=")
    assert first.headers["Link"] == f'<{following}>; rel="next"'
    second = anybody.ask(following)
    assert [len(page.json["matches"]) for page in (first, second)] == [50, 1]
    assert second.json["next"] is None


def test_a_match_is_opened_once_for_each_key(ada: Program) -> None:
    answers = [ada.send("/matches", {"new": "lotus vs open"}, Idempotency_Key="one") for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 201]
    assert answers[0].json["id"] == answers[1].json["id"]


def test_pictures_and_records(ada: Program, match: int) -> None:
    ada.order(match, "e9")
    assert ada.ask(f"/matches/{match}/board.svg").text.startswith("<svg")
    assert ada.ask(f"/matches/{match}/board.png").answer.data.startswith(b"\x89PNG")
    assert "[X]" in ada.ask(f"/matches/{match}/board.txt").text
    assert "[X]" not in ada.ask(f"/matches/{match}/board.txt?ply=0").text
    assert "black: e9" in ada.ask(f"/matches/{match}/record.txt").text
    assert json.loads(ada.ask(f"/matches/{match}/record.json").text)
    assert ada.ask(f"/matches/{match}/record.exe").status == 404


def test_wishes_talk_and_notes(ada: Program, bruno: Program, anybody: Program, match: int) -> None:
    assert ada.send("/wish", {"wish": "lotus 1d-7d up to 3"}, "PUT").status == 200
    assert ada.ask("/wish").json["wish"] == "lotus 1d-7d up to 3"
    assert bruno.ask("/wishes").json == {"seekers": {"lotus": 1}}
    assert ada.send("/wish", None, "DELETE").status == 200
    ada.send(f"/matches/{match}/messages", {"text": "Hello"})
    ada.send(f"/matches/{match}/note", {"text": "A plan"}, "PUT")
    assert [one["text"] for one in bruno.ask(f"/matches/{match}/messages").json["messages"]] == ["Hello"]
    assert anybody.ask(f"/matches/{match}/messages").json["messages"] == []
    assert [who.ask(f"/matches/{match}/messages").json["note"] for who in (ada, bruno)] == ["A plan", ""]


def test_all_requests_of_a_token_share_one_budget(ada: Program, match: int) -> None:
    ada.ask("/me")
    ada.ask("/matches")
    third = ada.ask("/games")
    assert re.fullmatch(r'"api";r=\d+;t=\d+', third.headers["RateLimit"])
    left = int(third.headers["RateLimit"].partition(";r=")[2].partition(";")[0])
    order = ada.order(match, "e9")
    assert order.headers["RateLimit-Policy"] == '"send_order";q=240;w=60, "api";q=600;w=60'
    assert re.fullmatch(rf'"send_order";r=239;t=\d+, "api";r={left - 1};t=\d+', order.headers["RateLimit"])
    for _ in range(left - 1):
        assert ada.ask("/me").status == 200
    for path in ("/me", "/matches", "/games", f"/matches/{match}/board.txt"):
        refused(ada.ask(path), 429, "too-many-requests")


def test_a_preflight_allows_only_reading_public_data(anybody: Program) -> None:
    asked = {"Origin": "https://club.example", "Access-Control-Request-Headers": "if-none-match"}
    read = asked | {"Access-Control-Request-Method": "GET"}
    for path in ("/matches", "/matches/1", "/matches/1/board.svg", "/games", "/openapi.json"):
        answer = anybody._sent("OPTIONS", path, {"headers": read})
        assert (answer.status, answer.text) == (204, ""), path
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
        assert answer.headers["Access-Control-Allow-Headers"] == "If-None-Match"
        assert "Content-Type" not in answer.headers
    others = [
        ("/me", "GET"),
        ("/matches/mine", "GET"),
        ("/matches", "POST"),
        ("/matches/1/orders", "POST"),
        ("/x", "GET"),
    ]
    for path, method in others:
        answer = anybody._sent("OPTIONS", path, {"headers": asked | {"Access-Control-Request-Method": method}})
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control")], path


def test_the_answer_to_a_page_of_another_site_shows_the_headers_it_needs(anybody: Program) -> None:
    first = anybody.ask("/matches", headers={"Origin": "https://club.example"})
    again = anybody.ask("/matches", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 304
    for answer in (first, again):
        shown = answer.headers["Access-Control-Expose-Headers"].split(", ")
        assert shown == ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_the_document_has_an_etag_too(anybody: Program) -> None:
    first = anybody.ask("/openapi.json")
    assert anybody.ask("/openapi.json", headers={"If-None-Match": first.headers["ETag"]}).status == 304


@pytest.mark.parametrize("path", ["/api/v1//matches", "/api//v1/matches", "/api/v1/matches/"])
def test_an_extra_slash_is_a_problem_and_not_a_page(anybody: Program, path: str) -> None:
    refused(anybody.ask(path), 404, "not-found")


KEYED: dict[str, tuple[str, object, str, object]] = {
    "open_match": ("/matches", {"new": "lotus vs open"}, "/matches", {"new": "go vs open"}),
    "invite_player": ("/players/2/matches", None, "/matches", {"new": "lotus vs open"}),
    "meet": ("/wishes/lotus/meet", None, "/wishes/go/meet", None),
    "play_again": ("/matches/1/again", {"ply": 1}, "/matches/1/again", {"ply": 2}),
    "say": ("/matches/1/messages", {"text": "Hello"}, "/matches/1/messages", {"text": "Hello", "to": [1]}),
    "comment": ("/matches/1/comments", {"ply": 1, "text": "Oh"}, "/matches/1/comments", {"ply": 2, "text": "Oh"}),
    "make_bot": ("/bots", {"name": "Rose"}, "/bots", {"name": "Lily"}),
    "found_contest": (
        *("/contests", {"kind": "cup", "game": "lotus", "clock": "3d/move", "name": "Spring Cup"}),
        *("/contests", {"kind": "cup", "game": "go", "clock": "3d/move", "name": "Spring Cup"}),
    ),
    "send_order": ("/matches/1/orders", {"text": "e9"}, "/matches/1/orders", {"text": "e10"}),
}
"""For each operation that accepts an Idempotency-Key, a request and a different one."""


def test_every_operation_with_a_key_is_tried_here() -> None:
    assert KEYED.keys() == {one.name for one in OPERATIONS if one.headers}


@pytest.mark.parametrize("name", KEYED)
def test_a_key_is_for_one_request_only(ada: Program, bruno: Program, match: int, name: str) -> None:
    path, body, other_path, other_body = KEYED[name]
    first, copy = (ada.send(path, body, Idempotency_Key="one") for _ in range(2))
    assert (first.status, first.json) == (copy.status, copy.json)
    refused(ada.send(other_path, other_body, Idempotency_Key='"one"'), 422, "key-reused")
    assert bruno.send(other_path, other_body, Idempotency_Key="one").json.get("type") != "/api#key-reused"


def test_a_block_does_not_change_the_number_of_seekers(ada: Program, bruno: Program, anybody: Program) -> None:
    ada.send("/wish", {"wish": "lotus"}, "PUT")
    before = [who.ask("/wishes").json for who in (bruno, anybody)]
    ada.send(f"/players/{bruno.id}/block", None, "PUT")
    assert [who.ask("/wishes").json for who in (bruno, anybody)] == before == [{"seekers": {"lotus": 1}}] * 2
    refused(bruno.send("/wishes/lotus/meet"), 422, "refused")


def test_a_bots_token_has_no_more_scopes_than_the_requesting_token(town: Town, door: Flask, ada: Program) -> None:
    short, _ = tokens.make(town.site, ada.id, "", ("read", "play", "bot"), 90, "short")
    asking = Program(door.test_client(), ada.id, short)
    made = asking.send("/bots", {"name": "Rose"}).json
    named = asking.send("/bots", {"name": "Rose", "token": "At home", "scopes": ["play"], "days": 30}).json
    assert asking.send("/bots", {"name": "Rose", "token": "Long", "days": 365}).status == 201
    kept = {one.name: (one.scopes, one.expires) for one in tokens.of(town.site, made["id"])}
    ends = town.now + timedelta(days=90)
    assert kept == {
        "By the API": ("read play", ends),
        "At home": ("play", town.now + timedelta(days=30)),
        "Long": ("read play", ends),
    }
    assert Program(door.test_client(), named["id"], named["token"]).ask("/me").status == 403
    for scopes in (["lobby"], ["read", "hooks"]):
        answer = asking.send("/bots", {"name": "Lily", "scopes": scopes})
        refused(answer, 422, "refused")
        assert answer.json["detail"] == "A token can give a bot no more than it has itself: read, play, bot."
    assert len(ada.ask("/bots").json["bots"]) == 1


def test_a_token_that_repeats_anothers_key_gets_nothing_that_the_other_created(
    town: Town, door: Flask, ada: Program
) -> None:
    weak, _ = tokens.make(town.site, ada.id, "", ("read", "bot"), 30, "weak")
    asking = Program(door.test_client(), ada.id, weak)
    strong = ada.send("/bots", {"name": "Rose"}, Idempotency_Key="one").json["token"]
    refused(asking.send("/bots", {"name": "Rose"}, Idempotency_Key="one"), 422, "refused")
    named = asking.send("/bots", {"name": "Rose", "token": "Weak"}, Idempotency_Key="two").json
    assert named["token"] != strong
    kept = {one.name: (one.scopes, one.expires) for one in tokens.of(town.site, named["id"])}
    assert kept["Weak"] == ("read", town.now + timedelta(days=30))


def test_the_same_key_can_be_used_with_each_token_of_a_player(town: Town, door: Flask, ada: Program) -> None:
    other, _ = tokens.make(town.site, ada.id, "", tokens.SCOPES, None, "other")
    asking, key = Program(door.test_client(), ada.id, other), "k" * 100
    made = [who.send("/matches", {"new": "lotus vs open"}, Idempotency_Key=key).json["id"] for who in (ada, asking) * 2]
    assert made == [1, 2, 1, 2]


def test_two_tokens_of_a_bot_have_two_names(ada: Program) -> None:
    assert ada.send("/bots", {"name": "Rose"}).status == 201
    again = ada.send("/bots", {"name": "Rose"})
    refused(again, 422, "refused")
    assert (again.json["field"], "There's already a token called By the API" in again.json["detail"]) == ("token", True)
    assert ada.send("/bots", {"name": "Rose", "token": "By hand"}).status == 201


def test_all_own_matches_are_listed_page_by_page(
    town: Town, ada: Program, bruno: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without a clock, running, open or over: each once, in the same order."""
    monkeypatch.setattr(limiter, "enabled", False)
    for number in range(20):
        town.now += timedelta(minutes=1)
        clock = "none" if number % 2 else f"{30 - number}d/move"
        for against in ("bruno@example.org", "open", f"ben{number}@example.org"):
            opened = ada.send("/matches", {"new": f"rosette base=5 clock={clock} vs {against}"}).json["id"]
            bruno.send(f"/matches/{opened}/answer", {"accept": True})
        if number % 3:
            ada.order(opened - 2, "resign")
    first = ada.ask("/matches/mine")
    assert first.headers["Link"] == f'<{first.json["next"]}>; rel="next"'
    second = ada.ask(first.json["next"])
    listed = [one for page in (first, second) for one in page.json["matches"]]
    assert [len(page.json["matches"]) for page in (first, second)] == [50, 10]
    assert {one["id"] for one in listed} == {*range(1, 61)}
    assert second.json["next"] is None
    assert [one["my_turn"] for one in listed] == sorted((one["my_turn"] for one in listed), reverse=True)
    assert [one["state"] == "over" for one in listed] == sorted(one["state"] == "over" for one in listed)
    large = "9" * 23
    too_large = (f"9.{large}.1.1", f"{large}.0.0.1", f"0.0.0.{large}", "0.0.0.2147483648")
    for wrong in ("1", "1.2.3", "1.2.3.4.5", "...", *too_large):
        refused(ada.ask(f"/matches/mine?after={wrong}"), 422, "malformed")


def test_a_player_invited_by_name_is_shown_to_the_inviter(ada: Program, bruno: Program, anybody: Program) -> None:
    ada.send("/matches", {"new": "lotus vs bruno@example.org"})
    bruno.send("/matches/1/answer", {"accept": True})
    ada.send(f"/players/{bruno.id}/matches")
    ada.send("/matches", {"new": "go vs carla@example.org"})
    assert [(seat["name"], seat["player"]) for seat in ada.ask("/matches/2").json["seats"]][1] == ("Bruno", bruno.id)
    by_address = ada.ask("/matches/3").json["seats"][1]
    assert (by_address["name"], by_address["player"]) == ("an invited player", None)
    hidden = anybody.ask("/matches/2").json["seats"][1]
    assert (hidden["name"], hidden["player"]) == ("an invited player", None)


def test_a_position_that_does_not_exist_is_not_found(ada: Program, match: int) -> None:
    here = f"/matches/{match}/variations"
    for tail in ("?ply=9", "?ply=0&at=1"):
        refused(ada.ask(here + tail), 404, "not-found")
    for body in ({"ply": 9, "text": "e9"}, {"ply": 0, "at": "1", "text": "e9"}):
        for path in (here, f"{here}/preview"):
            refused(ada.send(path, body), 404, "not-found")


def test_a_bot_owns_no_bots(town: Town, door: Flask, ada: Program) -> None:
    rose = bot_accounts.make(town.site, ada.id, "Rose")
    token, _ = tokens.make(town.site, rose.id, "", ["bot", "play"], None, "form")
    bot = Program(door.test_client(), rose.id, token)
    answer = bot.send("/bots", {"name": "Lily"})
    refused(answer, 422, "refused")
    assert answer.json["detail"] == "Only a person with an account can own bots."
    assert bot.ask("/bots").json["bots"] == []
