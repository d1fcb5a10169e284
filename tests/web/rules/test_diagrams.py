"""The figures of rules pages, on which a reader can play on: the engine judges each step, and nothing is stored."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask

from service.games import GAMES
from service.web.rules import diagrams
from tests.render.boards import targets
from tests.web.conftest import Visitor

CAPTURE = {"setup": "black: s1 t1 r3 q3 t2; white: u1 s2"}


def step(visitor: Visitor, game: str, **asked: str) -> Any:
    return visitor.get(f"/rules/{game}/try?{urlencode(asked)}").json


def standing(board: str, cell: str) -> str:
    return targets(board)[cell].says


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_to_try_answers_with_the_legal_moves(anybody: Visitor, game: str) -> None:
    page = anybody.get(f"/rules/{game}").text
    tried = re.findall(r'data-try="([^"]*)" data-moves="([^"]*)"', page)
    assert len(tried) >= 2
    for address, moves in tried:
        query = urlencode({"moves": unescape(moves)})
        answer = anybody.get(f"{unescape(address)}{'&' if '?' in address else '?'}{query}")
        assert answer.status_code == 200, answer.text
        assert (answer.json or {})["choices"]
        assert "to move." in (answer.json or {})["told"]


@pytest.mark.parametrize("game", ["rosette", "multigo-coop", "multigo-parallel", "multigo-parallel-coop"])
def test_a_figure_whose_example_is_a_button_has_its_buttons_from_the_beginning(anybody: Visitor, game: str) -> None:
    figures = re.findall(
        r'<figure class="try"([^>]*)>.*?<span class="move">([^<]*)', anybody.get(f"/rules/{game}").text, re.DOTALL
    )
    assert {live.startswith("pass") for _, live in figures} == {True, False}
    assert all(("data-buttons" in given) == live.startswith("pass") for given, live in figures)


def test_a_complete_order_is_played_and_reported(anybody: Visitor) -> None:
    answer = step(anybody, "lotus", text="u2", **CAPTURE)
    assert (answer["moves"], answer["text"]) == ("u2", "")
    assert "2 stones turned from white to black: s2 u1." in answer["told"]
    assert "White to move." in answer["told"]
    assert standing(answer["board"], "u1") == "Black, changed colour"


def test_an_order_that_can_be_continued_waits_for_its_end(anybody: Visitor) -> None:
    begun = {"base": "6", "setup": "black: c5 d5 f5 g5; white: c7 d7 h9", "text": "f5-h5"}
    answer = step(anybody, "medusa", **begun)
    assert (answer["moves"], answer["text"], answer["complete"]) == ("", "f5-h5", True)
    assert "f5-h5 c5-e5" in [text for text, _, _ in answer["choices"]]
    assert step(anybody, "medusa", play="yes", **begun)["moves"] == "f5-h5"


def test_one_reader_plays_all_sides_and_sees_what_each_has_chosen(anybody: Visitor) -> None:
    shown = {"seats": "3", "size": "5"}
    answer = step(anybody, "multigo-parallel", moves="b2", text="d4", **shown)
    assert standing(answer["board"], "b2") == "Black, your sealed move"
    assert standing(answer["board"], "d4") == "White, your sealed move"
    assert "Red to move." in answer["told"]


@pytest.mark.parametrize(
    ("game", "asked", "sentence"),
    [
        ("lotus", {"text": "z9", **CAPTURE}, "z9"),
        ("lotus", {"setup": "black: nowhere"}, "nowhere"),
        ("lotus", {"seed": "1"}, "no option 'seed'"),
        ("lotus", {"moves": "u1", **CAPTURE}, "u1"),
    ],
)
def test_what_is_impossible_is_explained(anybody: Visitor, game: str, asked: dict[str, str], sentence: str) -> None:
    answer = anybody.get(f"/rules/{game}/try?{urlencode(asked)}")
    assert answer.status_code == 200
    assert sentence in (answer.json or {})["message"]


@pytest.mark.parametrize(("live", "buttons"), [("pass", True), ("e6", False)])
def test_a_figure_mentions_buttons_where_one_is_worth_pressing(
    app: Flask, anybody: Visitor, live: str, buttons: bool
) -> None:
    with app.test_request_context():
        figure = diagrams.diagram("rosette", base="5", live=live)
    assert ("Press the board or a button to try a move" in figure) == ("data-buttons" in figure) == buttons


def test_questions_are_short_and_about_our_games(anybody: Visitor) -> None:
    assert anybody.get("/rules/chess/try").status_code == 404
    longest = "text=" + "x" * 1_995
    assert [anybody.get(f"/rules/go/try?{asked}").status_code for asked in (longest, f"{longest}x")] == [200, 414]


def test_a_figure_ends_after_forty_moves(anybody: Visitor) -> None:
    moves = [f"{column}{row}" for row in (3, 9, 15) for column in "abcdefghjklmno"]
    assert step(anybody, "go", moves=",".join(moves))["moves"].split(", ") == moves[:40]


def test_nothing_may_be_played_once_the_game_is_over(anybody: Visitor) -> None:
    asked = {"setup": "k10/11/11/11/11/11/1T9/11/2T8/11/7K3 w - 0 1", "text": "T-A3", "play": "yes"}
    answer = step(anybody, "pillars", **asked)
    assert (answer["moves"], answer["choices"]) == ("T-A3", [])
    assert "Black is checkmated." in answer["told"]
