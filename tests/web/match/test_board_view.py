"""How the board is turned for the player who looks at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.render.boards import targets
from tests.web.conftest import Visitor


def place(visitor: Visitor, path: str, cell: str) -> tuple[int, int]:
    """The position of a cell in the picture."""
    return targets(visitor.get(path).text)[cell][:2]


def has_coordinates(visitor: Visitor, path: str) -> bool:
    return "<text " in visitor.get(path).text


def choose(visitor: Visitor, match: str, **wanted: str) -> str:
    return str(visitor.send(match, f"{match}/sight", **wanted).location)


def test_a_player_turns_the_board_of_a_match(match: str, ada: Visitor, bruno: Visitor) -> None:
    x, y = place(ada, match, "e9")
    assert choose(bruno, match, turned="yes") == match
    assert place(bruno, match, "e9") == (-x, -y)
    assert place(bruno, f"{match}/at/0", "e9") == (-x, -y)
    assert place(ada, match, "e9") == (x, y)
    choose(bruno, match, turned="no")
    assert place(bruno, match, "e9") == (x, y)


@pytest.mark.parametrize("who", ["player", "watcher", "stranger"])
def test_turning_a_board_does_not_turn_any_other(
    match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, sign_in: Callable[[str], Visitor], who: str
) -> None:
    other = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5", own="1").location)
    visitor = {"player": bruno, "watcher": sign_in("carla@example.org"), "stranger": anybody}[who]
    x, y = place(visitor, match, "e9")
    choose(visitor, match, turned="yes")
    assert place(visitor, match, "e9") == (-x, -y)
    assert place(visitor, other, "e9") == (x, y)
    choose(visitor, other, turned="yes")
    choose(visitor, match, turned="no")
    assert (place(visitor, match, "e9"), place(visitor, other, "e9")) == ((x, y), (-x, -y))


@pytest.mark.parametrize("who", ["player", "stranger"])
def test_coordinates_can_be_hidden(match: str, ada: Visitor, anybody: Visitor, who: str) -> None:
    visitor = ada if who == "player" else anybody
    assert has_coordinates(visitor, match)
    choose(visitor, match, coordinates="no")
    assert not has_coordinates(visitor, match)
    choose(visitor, match, turned="yes")
    assert not has_coordinates(visitor, match)
    choose(visitor, match, coordinates="yes")
    assert has_coordinates(visitor, match)


def test_an_address_says_how_its_board_is_turned(match: str, ada: Visitor, anybody: Visitor) -> None:
    assert place(anybody, f"{match}?turned=yes", "e9") != place(anybody, match, "e9")
    assert not has_coordinates(anybody, f"{match}/at/0?coordinates=no")
    page = f"{match}?coordinates=no"
    assert f"{match}/preview?coordinates=no" in ada.get(page).text


def test_a_visitor_comes_back_to_the_same_page_and_never_to_another_site(match: str, ada: Visitor) -> None:
    assert choose(ada, match, turned="yes", back=f"{match}/at/0") == f"{match}/at/0"
    assert choose(ada, match, turned="no", back="https://elsewhere.example/") == match


def test_the_board_of_an_unknown_match_cannot_be_turned(match: str, ada: Visitor) -> None:
    assert ada.send(match, f"{match}/sight", "/match/999/sight", turned="yes").status_code == 404


@pytest.mark.parametrize(
    "back", ["//evil.example", "//evil.example/match/1/at/0", "/\\evil.example", "{match}/\r\nX: 1"]
)
def test_no_form_leads_to_another_site_or_writes_a_header(match: str, ada: Visitor, back: str) -> None:
    assert choose(ada, match, turned="no", back=back.format(match=match)) == match
