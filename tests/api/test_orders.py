"""Orders through the API: each counts once however often it's sent, and is answered with a verdict or a problem."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import func, select

from service.play import links
from service.play.match import invitations
from service.play.match.judge import judge_waiting
from service.store.models import Entry, Submission
from service.web import places
from tests.api.conftest import Program, Reply
from tests.play.conftest import Town


def test_a_move_is_judged_and_the_others_see_it(ada: Program, bruno: Program, match: int) -> None:
    before = ada.ask(f"/matches/{match}").json
    assert (before["my_turn"], before["round"], before["seats"][1]["name"]) == (True, 1, "Bruno")
    answer = ada.order(match, "E 9", round=1, message="Hello")
    assert (answer.status, answer.json["state"]) == (200, "accepted")
    seen = bruno.ask(f"/matches/{match}").json
    assert [(one["move"], one["remark"]) for one in seen["log"]] == [("e9", "Hello")]
    assert seen["my_turn"]
    assert "[X]" in seen["board"]


def test_an_order_sent_again_is_one_order(town: Town, ada: Program, match: int) -> None:
    sent = {"text": "e9", "round": 1}
    answers = [ada.send(f"/matches/{match}/orders", sent, Idempotency_Key="one") for _ in range(3)]
    assert [answer.json for answer in answers] == [answers[0].json] * 3
    assert counted(town, Submission) == counted(town, Entry) == 1


def test_an_order_that_gives_up_a_seat_can_be_sent_again(ada: Program, bruno: Program) -> None:
    """Its sender may not have got the first answer."""
    team = ada.send("/matches", {"new": "rosette base=5 with bruno@example.org vs bot"}).json["id"]
    assert bruno.send(f"/matches/{team}/answer", {"accept": True}).status == 200
    first, again = (
        ada.send(f"/matches/{team}/orders", {"text": "leave team"}, Idempotency_Key="one") for _ in range(2)
    )
    assert (first.status, first.json["state"]) == (200, "accepted")
    assert (again.status, again.json) == (200, first.json)
    assert ada.send(f"/matches/{team}/orders", {"text": "e9"}, Idempotency_Key="one").status == 422
    assert ada.order(team, "leave team").status == ada.order(team, "e9").status == 404


@pytest.mark.parametrize(
    "other", [{"text": "e10"}, {"text": "e9", "round": 2}, {"text": "e9", "round": 1, "message": "Hello"}]
)
def test_a_key_is_for_one_order_only(town: Town, ada: Program, match: int, other: dict[str, object]) -> None:
    ada.send(f"/matches/{match}/orders", {"text": "e9", "round": 1}, Idempotency_Key="one")
    again = ada.send(f"/matches/{match}/orders", other, Idempotency_Key='"one"')
    assert (again.status, again.json["type"]) == (422, "/api#key-reused")
    assert counted(town, Submission) == 1


def test_players_may_choose_the_same_keys(ada: Program, bruno: Program, match: int) -> None:
    for who, text in ((ada, "e9"), (bruno, "e10")):
        assert who.send(f"/matches/{match}/orders", {"text": text}, Idempotency_Key="one").status == 200
    assert ada.ask("/orders/one").json["text"] == "e9"
    assert bruno.ask("/orders/one").json["text"] == "e10"


@pytest.mark.parametrize(
    ("who", "body", "status", "kind", "detail"),
    [
        ("ada", {"text": "nonsense"}, 422, "unreadable", "nonsense"),
        ("ada", {"text": "dead e9"}, 422, "illegal", ""),
        ("bruno", {"text": "e9"}, 409, "out-of-turn", "turn"),
        ("ada", {"text": "e9", "round": 7}, 409, "out-of-turn", "in round 1"),
        ("ada", {"text": ""}, 422, "malformed", "The field text is empty."),
        ("ada", {"text": "e9", "round": -1}, 422, "malformed", "The field round must be at least 0."),
        ("ada", {"text": "e9", "rounds": 1}, 422, "malformed", "There's no field rounds here."),
        ("ada", {"text": "x" * 2_001}, 422, "malformed", "The field text can have up to 2,000 characters."),
        ("ada", {"text": "e\0 9"}, 422, "malformed", "zero byte"),
        ("ada", {}, 422, "malformed", "The field text is missing."),
        ("ada", [], 422, "malformed", "The body must be a JSON object, in braces."),
    ],
)
def test_a_refusal_says_why(
    ada: Program, bruno: Program, match: int, who: str, body: object, status: int, kind: str, detail: str
) -> None:
    answer = {"ada": ada, "bruno": bruno}[who].send(f"/matches/{match}/orders", body)
    assert (answer.status, answer.mimetype) == (status, "application/problem+json")
    assert detail in answer.json["detail"]
    assert answer.json["type"] == f"/api#{kind}"
    if kind != "malformed":
        assert answer.json["round"] == 1
        assert "." in answer.json["board"]


def test_text_about_a_zero_byte_isnt_refused_as_one(ada: Program, match: int) -> None:
    told = ada.send(f"/matches/{match}/orders", {"text": "e9\n\n\\u0000"})
    assert (told.status, told.json["type"]) == (422, "/api#unreadable")
    assert ada.send(f"/matches/{match}/orders", {"text": "\\\0"}).json["detail"] == (
        "The body must not contain a zero byte."
    )


def test_an_order_for_a_board_that_was_lost_when_a_backup_was_restored_is_refused(
    town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.order(match, "e9")
    seen = bruno.ask(f"/matches/{match}").json
    assert (seen["round"], seen["restored"]) == (2, 0)
    town.now += timedelta(hours=1)
    monkeypatch.setitem(links._restorations, town.store, [town.now])
    assert bruno.order(match, "e10", round=2, restored=0).status == 200  # The restored board is the one Bruno saw.
    late = ada.order(match, "f9", round=3, restored=0)
    assert late.status == 409
    assert "a board that was lost when the service was restored from a backup" in late.json["detail"]
    assert (late.json["round"], late.json["restored"]) == (3, int(town.now.timestamp()))
    assert counted(town, Submission) == 2
    assert ada.order(match, "f9", round=3, restored=late.json["restored"]).status == 200


def test_an_illegal_move_has_its_kind(ada: Program, bruno: Program, match: int) -> None:
    ada.order(match, "e9")
    answer = bruno.order(match, "e9")
    assert (answer.status, answer.json["type"]) == (422, "/api#illegal")


def test_an_order_that_waits_has_an_address(town: Town, door: Flask, ada: Program, match: int) -> None:
    door.extensions["site"] = replace(town.site, nudge=lambda _task, _subject: None)
    answer = ada.send(f"/matches/{match}/orders?wait=0", {"text": "e9"}, Idempotency_Key="one")
    assert (answer.status, answer.json["state"]) == (202, "waiting")
    assert answer.headers["Location"] == "/api/v1/orders/one"
    judge_waiting(town.site, match)
    assert ada.ask(answer.headers["Location"] + "?wait=5").json["state"] == "accepted"


def test_only_the_sender_of_an_order_sees_its_verdict(ada: Program, bruno: Program, match: int) -> None:
    ada.send(f"/matches/{match}/orders", {"text": "e9"}, Idempotency_Key="one")
    assert bruno.ask("/orders/one").status == 404
    assert ada.ask("/orders/two").status == 404


def test_only_players_of_a_match_can_order(enter: Callable[..., Program], match: int) -> None:
    assert enter("cleo").order(match, "e9").status == 404
    assert enter("ada", "read").order(match, "e9").status == 403


def test_offers_are_orders_too(ada: Program, bruno: Program, match: int) -> None:
    ada.order(match, "e9")
    assert ada.order(match, "takeback").status == 200
    (offer,) = bruno.ask(f"/matches/{match}").json["offers"]
    assert (offer["kind"], offer["is_mine"]) == ("takeback", False)
    assert bruno.order(match, "accept takeback").status == 200
    assert ada.ask(f"/matches/{match}").json["my_turn"]
    assert ada.order(match, "resign").status == 200
    over = ada.ask(f"/matches/{match}").json
    assert (over["state"], over["reason"], [seat["score"] for seat in over["seats"]]) == (
        "over",
        "resignation",
        ["0", "1"],
    )


def test_only_their_owner_sees_conditional_moves(ada: Program, bruno: Program, anybody: Program, match: int) -> None:
    bruno.order(match, "if e9 then e10")
    assert bruno.ask(f"/matches/{match}").json["ahead"] == "if e9 then e10"
    assert [who.ask(f"/matches/{match}").json["ahead"] for who in (ada, anybody)] == ["", ""]


def test_legal_moves_and_previews(ada: Program, bruno: Program, match: int) -> None:
    legal = ada.ask(f"/matches/{match}/moves").json
    assert (legal["round"], legal["my_turn"], "e9" in legal["moves"]) == (1, True, True)
    assert bruno.ask(f"/matches/{match}/moves").json == {"round": 1, "my_turn": False, "moves": []}
    seen = ada.send(f"/matches/{match}/preview", {"text": "e9"}).json
    assert (seen["text"], seen["complete"], seen["following"]) == ("e9", True, ["White"])
    assert ada.send(f"/matches/{match}/preview", {"text": ""}).json["choices"]
    assert ada.ask(f"/matches/{match}").json["round"] == 1
    assert ada.send(f"/matches/{match}/preview", {"text": "zz"}).json["type"] == "/api#unreadable"


def test_a_rematch_names_the_new_match(ada: Program, bruno: Program, match: int) -> None:
    assert ada.order(match, "resign").json["match"] is None
    asked = ada.order(match, "rematch").json
    assert (asked["state"], asked["match"]) == ("accepted", match + 1)
    assert ada.ask(f"/matches/{match}").json["rematch"] == match + 1
    assert bruno.order(match, "rematch").json["match"] == match + 1
    assert ada.ask(f"/matches/{match + 1}").json["state"] == "running"


def counted(town: Town, row: type[Submission | Entry]) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(row)) or 0


def test_an_order_to_a_match_that_is_over_comes_too_late(ada: Program, bruno: Program, match: int) -> None:
    ada.order(match, "resign")
    for text in ("e9", "takeback", "resign", "if e9 then e10", "accept", "standing none", "extend 1d", "draw", "pass"):
        answer = bruno.order(match, text)
        assert (answer.status, answer.json["type"]) == (409, "/api#out-of-turn"), (text, answer.json)
        assert answer.json["round"], answer.json["board"]


@pytest.mark.parametrize("text", ["e9", "takeback"])
def test_a_token_that_may_only_play_cannot_send_a_message(
    enter: Callable[..., Program], ada: Program, match: int, text: str
) -> None:
    answer = enter("ada", "read", "play").send(f"/matches/{match}/orders", {"text": text, "message": "Hello"})
    assert (answer.status, answer.json["type"]) == (403, "/api#forbidden")
    assert "needs the scope talk" in answer.json["detail"]
    assert "Hello" not in str(ada.ask(f"/matches/{match}").json)


@pytest.mark.parametrize("text", ["accept", "yes", "accept, thank you", "ok"])
def test_a_token_that_may_only_play_cannot_begin_a_match(
    enter: Callable[..., Program], ada: Program, text: str
) -> None:
    number = ada.send("/matches", {"new": "rosette base=5 vs bruno@example.org"}).json["id"]
    plays, joins = enter("bruno", "read", "play"), enter("bruno", "read", "play", "lobby")
    answer = plays.order(number, text)
    assert (answer.status, answer.json["type"]) == (403, "/api#forbidden")
    assert "needs the scope lobby" in answer.json["detail"]
    assert ada.ask(f"/matches/{number}").json["state"] == "open"
    assert joins.order(number, text).status == 200
    assert plays.order(number, "resign").status == 200
    assert plays.order(number, "rematch").status == 403
    assert joins.order(number, "rematch").status == 200


def test_an_ambiguous_order_names_its_candidates(ada: Program, match: int) -> None:
    answer = ada.order(match, "e9 e10")
    assert (answer.status, answer.json["type"]) == (422, "/api#ambiguous")
    assert answer.json["candidates"] == ["e9", "e10"]


@pytest.mark.parametrize("key", ["", "two words", "n" * 101, "é", '"'])
def test_a_key_of_other_characters_is_refused_and_nothing_stored(
    town: Town, ada: Program, match: int, key: str
) -> None:
    answer = ada.send(f"/matches/{match}/orders", {"text": "e9"}, Idempotency_Key=key)
    assert (answer.status, answer.json["type"], answer.json["field"]) == (422, "/api#malformed", "Idempotency-Key")
    assert answer.json["detail"] == (
        "An Idempotency-Key has 1 to 100 characters: letters, digits, dots, underscores, colons and hyphens."
    )
    assert counted(town, Submission) == 0


def test_a_program_waits_for_the_verdict_of_its_order(town: Town, door: Flask, ada: Program, match: int) -> None:
    door.extensions["site"] = replace(town.site, nudge=lambda _task, _subject: None)
    heard: list[Reply] = []
    waiting = threading.Thread(
        target=lambda: heard.append(ada.send(f"/matches/{match}/orders?wait=10", {"text": "e9"}))
    )
    waiting.start()
    while waiting.is_alive() and not places._waiting[ada.id]:
        time.sleep(0.01)
    judge_waiting(town.site, match)
    waiting.join()
    assert (heard[0].status, heard[0].json["state"]) == (200, "accepted")
    assert not places._waiting


def test_an_order_beyond_the_room_for_those_who_wait_is_stored_and_answered_at_once(
    town: Town, door: Flask, ada: Program, match: int
) -> None:
    door.extensions["site"] = replace(town.site, nudge=lambda _task, _subject: None)
    with ExitStack() as others:
        for _ in range(places.EACH):
            others.enter_context(places.room(ada.id))
        began = time.monotonic()
        answer = ada.send(f"/matches/{match}/orders?wait=10", {"text": "e9"}, Idempotency_Key="one")
    assert (answer.status, answer.headers["Location"]) == (202, "/api/v1/orders/one")
    assert time.monotonic() - began < 10, "it waits for no verdict"
    judge_waiting(town.site, match)
    assert ada.ask("/orders/one").json["state"] == "accepted"


def test_an_ambiguous_order_stays_ambiguous_when_its_candidates_are_gone(
    ada: Program, bruno: Program, match: int
) -> None:
    assert ada.send(f"/matches/{match}/orders", {"text": "e9 e10"}, Idempotency_Key="one").json["candidates"]
    ada.order(match, "e9")
    bruno.order(match, "resign")
    later = ada.ask("/orders/one")
    assert (later.status, later.json["type"], "candidates" in later.json) == (422, "/api#ambiguous", False)
    assert "e9 or e10" in later.json["detail"]


def test_programs_that_accept_the_same_count_at_once_are_all_heard(
    enter: Callable[..., Program], town: Town, ada: Program
) -> None:
    """Each has been called about the proposal once, so one that is refused would never answer it."""
    others = [enter(name) for name in ("bruno", "cleo", "dana")]
    names = " ".join(f"vs {name}@example.org" for name in ("bruno", "cleo", "dana"))
    match = int(ada.send("/matches", {"new": f"multigo size=5 {names}"}).json["id"])
    for one in others:
        invitations.answer(town.site, match, one.id, True)
    for one, move in zip((ada, *others, ada), ("c3", "pass", "pass", "pass", "pass"), strict=True):
        one.order(match, move)
    round_ = ada.ask(f"/matches/{match}").json["round"]
    bruno, cleo, dana = others
    assert bruno.order(match, "accept", round=round_ - 1).status == 409
    assert [one.order(match, "accept", round=round_).status for one in (bruno, cleo)] == [200, 200]
    assert dana.order(match, "dead c3", round=round_).status == 200
    late = ada.order(match, "accept", round=round_)
    assert (late.status, late.json["type"]) == (409, "/api#out-of-turn")
