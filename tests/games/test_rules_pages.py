"""The rules pages: every diagram is a position that can be played, and its numbers match the text."""

from __future__ import annotations

import re
from itertools import pairwise, starmap
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.engine.game import Position
from service.engine.options import has_count
from service.engine.stone_games.scoring import MOST_PROPOSALS
from service.games import GAMES
from tests.games.test_golden import DATA, positions

TEMPLATES = Path(__file__).parent.parent.parent / "templates"
PAGES = [*GAMES]


def diagrams(page: str) -> list[Position]:
    """The positions that a page shows. As on the web, moves are separated by commas, each by the seat to move."""
    return [position for position, _ in figures(page)]


def figures(page: str) -> list[tuple[Position, str]]:
    """The positions that a page shows, each with the orders that readers can try there."""
    shown: list[tuple[Position, str]] = []

    def diagram(game: str, moves: str = "", seats: int = 0, live: str = "", **options: str) -> str:
        shown.append((played(GAMES[game].start(seats, 0, **options), moves), live))
        return ""

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    environment.globals["diagram"] = diagram
    environment.get_template(f"rules/{page}.html").render()
    return shown


def played(position: Position, moves: str) -> Position:
    for move in filter(None, map(str.strip, re.split(r"[,\n]", moves))):
        seat = position.turns[0]
        position = position.play(seat, position.read(seat, move))
    return position


@pytest.mark.parametrize("page", PAGES)
def test_readers_can_try_what_is_special_about_the_game(page: str) -> None:
    """At least two figures can be played on; if the game captures, reverses or moves pieces, so do their orders."""
    tried = [(live, position, played(position, live)) for position, live in figures(page) if live]
    stays = not any(starmap(changed, pairwise(positions(DATA / f"{page}.record"))))
    special = [live for live, before, after in tried if stays or changed(before, after)]
    assert len(special) >= 2, (
        f"Two figures need live= with orders that {'can be played' if stays else 'change pieces'}."
    )


def changed(before: Position, after: Position) -> bool:
    """Whether a piece has gone or changed."""
    return any(after.occupants.get(cell) != piece for cell, piece in before.occupants.items())


@pytest.mark.parametrize("page", PAGES)
def test_diagrams_can_be_played(page: str) -> None:
    assert len(diagrams(page)) >= 4


@pytest.mark.parametrize("page", PAGES)
def test_a_game_has_three_reminders_for_the_page_of_a_match(page: str) -> None:
    assert (TEMPLATES / "rules/reminders" / f"{page}.html").read_text().count("<li>") == 3


@pytest.mark.parametrize("page", PAGES)
def test_rules_have_no_exclamation_marks(page: str) -> None:
    assert "!" not in re.sub(r"<!--.*?-->", "", (TEMPLATES / "rules" / f"{page}.html").read_text())


def test_the_numbers_in_the_text_match_the_diagrams() -> None:
    """The points and captures that the pages state, compared with the positions that they show."""
    *_, example, bottom_before, bottom, _, top, count = diagrams("medusa")
    assert example.setup.startswith("black: d5 e5 g5 h5")
    assert len(bottom.occupants) == len(bottom_before.occupants) + 1
    assert set(bottom.occupants.values()) == {"white"}
    assert top.facts["captured"] == {"white": 1}
    assert count.facts["points"] == {"black": "13", "white": "4"}
    assert diagrams("lotus")[-1].facts["points"] == {"black": "8", "white": "4"}
    assert diagrams("rosette")[-1].facts["points"] == {"black": "7", "white": "11/2"}
    *_, taken, eyes, ko, count = diagrams("go")
    assert taken.facts["captured"] == {"white": 2}
    assert "a1" not in eyes.moves(0)
    assert "f5" not in ko.moves(1)
    assert count.facts["points"] == {"black": "45", "white": "87/2"}


STRATEGY = {"black": "13", "white": "15", "red": "17", "blue": "11"}


def test_the_numbers_of_the_multiplayer_games() -> None:
    _, taken, ko, opening, _, gone, dead, count = diagrams("multigo")
    assert taken.facts["prisoners"] == {"black": {"white": 2}}
    assert "b2" not in ko.moves(1)
    assert len(opening.sides) == 5
    assert gone.facts["eliminated"] == {"white": 1}
    assert dead.facts["points"] == {"black": "10", "white": "8", "red": "14"}
    assert count.facts["points"] == STRATEGY
    *_, before, shared, _, count = diagrams("multigo-coop")
    for move, mover, prisoners in (
        ("c7", 2, {"red": {"white": 1}}),
        ("c7", 3, {"blue": {"white": 1}}),
        ("h8", 3, {"red": {"white": 1}, "blue": {"white": 1}}),
        ("h8", 2, {"black": {"blue": 1}, "red": {"white": 2}}),
        ("d1", 0, {"black": {"white": 1}, "blue": {"white": 1}}),
        ("d1", 2, {"red": {"white": 2}}),
    ):
        position = before
        while position.turns != (mover,):
            position = position.play(position.turns[0], "pass")
        assert position.play(mover, move).facts["prisoners"] == prisoners
    assert shared.facts["prisoners"] == {"black": {"blue": 1}, "red": {"white": 2}}
    assert count.facts["points"] == STRATEGY


def test_the_table_of_alliances() -> None:
    """The page has every alliance with its points; the other ways to count give the points it states."""
    page = (TEMPLATES / "rules/multiplayer/alliances.html").read_text()
    setup = diagrams("multigo-coop")[-1].setup
    counted = counted_at_the_end(setup)
    coalitions = counted.facts["coalitions"]
    assert isinstance(coalitions, list)
    assert len(coalitions) == 11
    for each in coalitions:
        named = " + ".join(map(str.capitalize, each["members"])) if len(each["members"]) < 4 else "All four"
        assert f"<td>{named}</td><td>{each['points']}</td>" in page
        assert each["qualifies"] == (int(each["points"]) > 30)
    assert counted.facts["total"] == 74
    crossman = counted_at_the_end(setup, prisoners="crossman")
    assert crossman.facts["points"] == {"black": "0", "white": "9", "red": "8", "blue": "11"}
    split = counted_at_the_end(setup, alliances="off")
    assert split.facts["points"] == {"black": "21", "white": "20", "red": "17", "blue": "14"}


def counted_at_the_end(setup: str, **options: str) -> Position:
    """The setup after all four have passed and accepted that no stone is dead."""
    position = GAMES["multigo-coop"].start(4, 0, setup=setup, size="10", **options)
    for move in ["pass"] * 4 + ["accept"] * 4:
        position = position.play(position.turns[0], move)
    return position


def test_the_numbers_of_the_simultaneous_games() -> None:
    _, both, collision, _, ko, _, eyes, gone, count = diagrams("multigo-parallel")
    assert both.facts["prisoners"] == {"black": {"white": 1}, "white": {"black": 1}}
    assert "j3" not in collision.occupants
    assert collision.occupants["k2"] == "white"
    assert ko.facts["captured"] == {"black": 1, "white": 1}
    assert set(eyes.occupants.values()) == {"white"}
    assert gone.facts["eliminated"] == {"white": 1}
    assert count.facts["points"] == STRATEGY
    *_, shared, alone, count = diagrams("multigo-parallel-coop")
    assert shared.facts["eliminated"] == {"blue": 1}
    assert shared.facts["prisoners"] == {"black": {"red": 1, "blue": 1}, "white": {"red": 1, "blue": 1}}
    assert alone.facts["eliminated"] == {"black": 1}
    assert count.facts["points"] == STRATEGY


@pytest.mark.parametrize("page", [name for name, game in GAMES.items() if has_count(game.words)])
def test_a_page_with_a_count_says_how_often_dead_stones_can_be_proposed(page: str) -> None:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    environment.globals["diagram"] = lambda *_, **__: ""
    text = " ".join(environment.get_template(f"rules/{page}.html").render().split())
    assert MOST_PROPOSALS == 10
    assert "Each player can propose dead stones at most ten times." in text
    assert "A player who doesn't answer in time accepts the proposal." in text
