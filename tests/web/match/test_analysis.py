"""The private board on the page."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.web.conftest import Forms, Visitor, words
from tests.web.match.test_page import Play, standing


def test_moves_are_tried_from_any_position(match: str, ada: Visitor, bruno: Visitor, play: Play) -> None:
    play(ada, "e9")
    play(bruno, "e10")
    explore = f"{match}/explore/1"
    assert "White to move" in ada.read(explore)
    tried = ada.send(explore, f"{explore}/try", text="f9")
    assert tried.status_code == 303
    assert standing(ada, str(tried.location), "f9") == "White, last move"
    assert standing(ada, str(tried.location), "e10") == "empty"
    assert "White tried f9." in ada.read(str(tried.location))
    assert "f9" in ada.read(explore)
    assert "f9" not in bruno.read(explore)
    assert "This variation no longer exists." in bruno.read(str(tried.location))
    assert "f9" not in ada.read(match)


def test_explore_steps_through_a_match_that_is_over_and_leads_back(match: str, ada: Visitor, play: Play) -> None:
    play(ada, "e9")
    play(ada, "resign")

    def way(path: str, rel: str) -> str:
        found = re.search(rf'<a class="button" rel="{rel}" href="([^"]*)"', ada.get(path).text)
        return found[1] if found else ""

    (over,) = re.findall(r'<a class="button faint" href="([^"]*)">Explore', ada.get(match).text)
    assert over == f"{match}/explore/2"
    assert "The game is over here" in ada.read(over)
    assert way(over, "next") == ""
    last_move = way(over, "previous")
    assert "White to move" in ada.read(last_move)
    start = way(last_move, "previous")
    assert "Before the first move of the match." in ada.read(start)
    assert way(start, "previous") == ""
    assert way(way(start, "next"), "next") == over
    tried = str(ada.send(last_move, f"{last_move}/try", text="f9").location)
    assert "White tried f9." in ada.read(tried)
    assert way(tried, "previous") == last_move
    back = re.findall(r'href="([^"]*)">Back to the match', ada.get(tried).text + ada.get(over).text)
    assert back == [f"{match}/at/1", match]


def test_an_illegal_move_is_refused_in_a_sentence(match: str, ada: Visitor, play: Play) -> None:
    play(ada, "e9")
    refused = ada.send(f"{match}/explore/1", f"{match}/explore/1/try", text="e9")
    assert refused.status_code == 422
    assert "e9 is taken by Black." in refused.text


def test_a_variation_is_deleted_with_what_follows_it(match: str, ada: Visitor) -> None:
    explore = f"{match}/explore/0"
    first = str(ada.send(explore, f"{explore}/try", text="e9").location)
    second = str(ada.send(first, f"{explore}/try", text="f9").location)
    back = ada.send(second, f"{explore}/forget")
    assert str(back.location) == first
    ada.send(first, f"{explore}/forget")
    assert "What you tried" not in ada.read(explore)
    assert "no longer exists" in ada.read(first)
    kept = Forms(ada.get(explore).text).forms[1][1] | {"at": first.partition("=")[2], "text": "e9"}
    refused = ada.client.post(f"{explore}/try", data=kept)
    assert "no longer exists" in words(refused)
    assert 'value="e9"' in refused.text


def test_spectators_can_explore_too_after_signing_in(
    match: str, ada: Visitor, anybody: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    carla = sign_in("carla@example.org")
    explore = f"{match}/explore/0"
    tried = carla.send(explore, f"{explore}/try", text="e9")
    assert "tried e9" in carla.read(str(tried.location))
    assert anybody.get(explore).status_code == 303
    assert ada.get(f"{match}/explore/3").status_code == 404
