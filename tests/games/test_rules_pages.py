"""The rules pages: every diagram is a position that can be played, every game named in GAMES has its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.engine.game import Position
from service.games import GAMES

TEMPLATES = Path(__file__).parent.parent.parent / "templates"
PAGES = sorted(path.stem for path in (TEMPLATES / "rules").glob("*.html") if path.stem in GAMES)


def diagrams(page: str) -> list[Position]:
    """The positions a page shows, drawn the way the web does: moves between commas, by whose turn it is."""
    shown: list[Position] = []

    def diagram(game: str, moves: str = "", seats: int = 0, **options: str) -> str:
        position = GAMES[game].start(seats, 0, **options)
        for move in filter(None, map(str.strip, re.split(r"[,\n]", moves))):
            seat = position.turns[0]
            position = position.play(seat, position.read(seat, move))
        shown.append(position)
        return ""

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    environment.globals["diagram"] = diagram
    environment.get_template(f"rules/{page}.html").render()
    return shown


@pytest.mark.parametrize("page", PAGES)
def test_diagrams_can_be_played(page: str) -> None:
    assert len(diagrams(page)) >= 4


@pytest.mark.parametrize("page", PAGES)
def test_the_service_does_not_exclaim(page: str) -> None:
    assert "!" not in re.sub(r"<!--.*?-->", "", (TEMPLATES / "rules" / f"{page}.html").read_text())


def test_the_numbers_in_the_text_are_those_of_the_diagrams() -> None:
    """What the pages say about points and captures, looked up in the positions they show."""
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
