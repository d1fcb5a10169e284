"""Analysis of matches: private variations, reviews, dead stones, and matches begun from a position."""

from __future__ import annotations

from service.play.match import review
from service.play.operations import operator_acts
from service.play.table import estimate
from tests.api.conftest import Program
from tests.play.conftest import Town


def test_moves_are_tried_in_private(ada: Program, bruno: Program, match: int) -> None:
    here = f"/matches/{match}/variations"
    first = ada.send(here, {"ply": 0, "text": "E9"}).json["id"]
    assert ada.send(here, {"ply": 0, "text": "e9"}).json["id"] == first
    second = ada.send(here, {"ply": 0, "at": first, "text": "e10"}).json["id"]
    seen = ada.ask(f"{here}?ply=0&at={second}").json
    assert (seen["path"], seen["side"]) == (["e9", "e10"], "black")
    assert [(one["move"], [after["move"] for after in one["after"]]) for one in seen["variations"]] == [("e9", ["e10"])]
    assert "[O]" in seen["board"]
    assert bruno.ask(f"{here}?ply=0").json["variations"] == []
    assert ada.ask(f"/matches/{match}").json["log"] == []
    assert ada.send(f"{here}?ply=0&at={first}", None, "DELETE").status == 200
    assert ada.ask(f"{here}?ply=0").json["variations"] == []
    gone = ada.ask(f"{here}?ply=0&at={second}")
    assert (gone.status, gone.json["detail"]) == (404, "This variation is gone.")


def test_variations_become_an_order(ada: Program, match: int) -> None:
    here, at = f"/matches/{match}/variations", ""
    for text in ("e9", "e10", "e11"):
        at = ada.send(here, {"ply": 0, "at": at, "text": text}).json["id"]
    order = ada.ask(f"{here}?ply=0&at={at}").json["order"]
    assert order == "e9; if e10 then e11"
    assert ada.order(match, order).status == 200
    assert ada.ask(f"/matches/{match}").json["ahead"] == "if e10 then e11"


def test_a_variation_is_previewed_before_it_is_stored(ada: Program, match: int) -> None:
    here = f"/matches/{match}/variations"
    seen = ada.send(f"{here}/preview", {"ply": 0, "text": "e9"}).json
    assert (seen["text"], seen["complete"]) == ("e9", True)
    assert ada.ask(f"{here}?ply=0").json["variations"] == []
    for path, text, kind in ((here, "zz", "unreadable"), (f"{here}/preview", "zz", "unreadable")):
        assert ada.send(path, {"ply": 0, "text": text}).json["type"] == f"/api#{kind}"
    assert ada.send(here, {"ply": 9, "text": "e9"}).status == 404
    assert ada.ask(f"{here}?ply=9").status == 404
    missing = ada.ask(here)
    assert (missing.status, missing.json["detail"]) == (422, "The parameter ply is missing.")
    assert ada.send("/matches/99/variations", {"ply": 0, "text": "e9"}).status == 404


def test_the_computer_reviews_a_match_that_is_over(town: Town, ada: Program, match: int) -> None:
    assert ada.send(f"/matches/{match}/review").json["type"] == "/api#out-of-turn"
    ada.order(match, "e9")
    ada.order(match, "resign")
    assert ada.ask(f"/matches/{match}/review").status == 404
    assert ada.send(f"/matches/{match}/review").status == 202
    review.go_on(town.site)
    found = ada.ask(f"/matches/{match}/review").json
    assert (found["done"], found["total"], found["is_finished"]) == (1, 1, True)
    assert found["moments"][0]["move"] == "e9"


def test_dead_stones_are_estimated(town: Town, ada: Program, bruno: Program) -> None:
    number = ada.send("/matches", {"new": "go size=9 vs bruno@example.org"}).json["id"]
    bruno.send(f"/matches/{number}/answer", {"accept": True})
    assert ada.send(f"/matches/{number}/estimate").json["type"] == "/api#out-of-turn"
    for who, text in ((ada, "e5"), (bruno, "pass"), (ada, "pass")):
        assert who.order(number, text).status == 200
    assert bruno.ask(f"/matches/{number}/estimate").status == 404
    assert ada.send(f"/matches/{number}/estimate").status == 202
    assert bruno.ask(f"/matches/{number}/estimate").json == {"order": "", "board": ""}
    estimate.think(town.site, number)
    found = bruno.ask(f"/matches/{number}/estimate").json
    assert found["order"]
    assert found["board"]


def test_a_position_is_played_again(ada: Program, match: int) -> None:
    ada.order(match, "e9")
    assert ada.send(f"/matches/{match}/again", {"ply": 1}).json["type"] == "/api#out-of-turn"
    ada.order(match, "resign")
    asked = [ada.send(f"/matches/{match}/again", {"ply": 1}, Idempotency_Key="one") for _ in range(2)]
    assert [(answer.status, answer.json["id"]) for answer in asked] == [(201, match + 1)] * 2
    unknown = ada.send(f"/matches/{match}/again", {"ply": 9})
    assert unknown.json["detail"] == "There's no move 9 to replay in this match."
    assert [(seat["is_me"], seat["is_bot"]) for seat in asked[0].json["seats"]] == [(True, False), (False, True)]


def test_a_record_becomes_a_match(ada: Program, match: int) -> None:
    ada.order(match, "e9")
    ada.order(match, "resign")
    record = ada.ask(f"/matches/{match}/record.txt").text
    brought = [ada.send("/records", {"record": record}) for _ in range(2)]
    assert [(answer.status, answer.json["id"], answer.json["state"]) for answer in brought] == [
        (201, match + 1, "over")
    ] * 2
    assert ada.ask(f"/matches/{match + 1}").json["importer"] == "Ada"
    refused = ada.send("/records", {"record": "nonsense"})
    assert (refused.status, refused.json["type"]) == (422, "/api#refused")
    assert refused.json["detail"].startswith("Line 1: ")


def test_a_banned_player_plays_no_position_again(town: Town, ada: Program, bruno: Program, match: int) -> None:
    ada.order(match, "e9")
    ada.order(match, "resign")
    operator_acts.ban(town.site, bruno.id, ada.id, "Spam.", None)
    answer = ada.send(f"/matches/{match}/again", {"ply": 1})
    assert (answer.status, answer.json["type"]) == (422, "/api#refused")
    assert answer.json["detail"].startswith("You can't do this because you're banned.")
    assert ada.ask(f"/matches/{match + 1}").status == 404
