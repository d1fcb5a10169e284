"""The SVG: with named cells on pages, and self-contained in a file."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from service.engine.board import Board
from service.engine.grid import COLUMNS
from service.engine.scene import STONES, Piece
from service.games import GAMES
from service.render.art.board_art import place
from service.render.art.cell_look import look
from service.render.art.stylesheet import style
from service.render.orientation import Sight, seen
from service.render.svg import svg
from service.render.text import text
from tests.render.boards import cells, chess, full, graph, sample, square, targets

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = [square(9), square(19), graph(3), graph(7), cells(4), chess(8)]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_on_a_page_every_cell_has_its_place_and_a_description(board: Board) -> None:
    drawing = svg(sample(board), standalone=False)
    ET.fromstring(drawing)
    found = targets(drawing)
    assert {name: target[:2] for name, target in found.items()} == dict(
        zip(board.names, map(place, board.at), strict=True)
    )
    assert [found[board.names[cell]].says for cell in (0, 1)] == ["empty, captured here", "White, last move"]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_every_marker_that_a_path_uses_exists(board: Board) -> None:
    root = ET.fromstring(svg(sample(board)))
    drawn = {f"url(#{marker.get('id')})" for marker in root.iter(f"{SVG}marker")}
    assert {path.get("marker-mid") for path in root.iter(f"{SVG}path")} - {None} == drawn


def test_an_embedded_board_has_no_inline_styles_and_no_tooltip() -> None:
    drawing = svg(sample(square(9)), standalone=False)
    assert "style" not in drawing
    assert "<title>" not in drawing


def test_a_file_contains_its_title_its_colours_and_the_text_board() -> None:
    scene = sample(square(9))._replace(title="Rosette 12 <b>")
    root = ET.fromstring(svg(scene))
    assert root.findtext(f"{SVG}title") == "Rosette 12 <b>"
    assert root.findtext(f"{SVG}desc") == text(scene)
    assert root.findtext(f"{SVG}style") == style(material="wood")
    assert "prefers-color-scheme:dark" in style(material="wood")


@pytest.mark.parametrize("standalone", [True, False])
@pytest.mark.parametrize("board", [square(19), graph(7)], ids=lambda board: board.name)
def test_a_full_board_has_at_most_20_kb(board: Board, standalone: bool) -> None:
    assert len(svg(full(board), standalone=standalone)) <= 20_000


@pytest.mark.parametrize(("game", "seats"), [("medusa", 2), ("multigo", 8)])
def test_boards_with_the_most_cells_and_colours_have_at_most_20_kb(game: str, seats: int) -> None:
    empty = GAMES[game].start(seats).view(None)
    stones = [Piece(seat, STONES[colour]) for seat, colour in enumerate(empty.colours)]
    pieces = {cell: stones[cell * cell % 101 % seats] for cell in range(len(empty.board.names))}
    crowded = empty._replace(pieces=pieces, marks={40: ("last",), 41: ("captured",)})
    assert len(svg(crowded, standalone=False)) <= 20_000
    assert len(svg(crowded)) <= 20_000


@pytest.mark.parametrize("turned", [False, True])
def test_dead_stones_of_all_colours_in_all_territories_take_at_most_20_kb(turned: bool) -> None:
    """The largest drawing: 25 by 25 points in eight walled strips, each with dead stones of the other seven colours."""
    walls: dict[str, list[str]] = {side: [] for side in STONES}
    dead = []
    for strip, side in enumerate(STONES):
        others = [other for other in STONES if other != side]
        for row in range(1, 26):
            walls[side] += [f"{COLUMNS[3 * strip]}{row}", f"{COLUMNS[3 * strip + 2]}{row}"]
            if row % 3 != 1:
                dead.append(f"{COLUMNS[3 * strip + 1]}{row}")
                walls[others[(row + row // 3) % 7]].append(dead[-1])
    setup = "; ".join(f"{side}: {' '.join(names)}" for side, names in walls.items())
    position = GAMES["multigo"].start(8, size="25", setup=setup)
    for seat in range(8):
        position = position.play(seat, "pass")
    scene = seen(position.play(0, position.read(0, f"dead {' '.join(dead)}")).view(None), Sight(turned=turned))
    assert sum("dead" in marks for marks in scene.marks.values()) == len(dead) == 128
    assert len({look(scene, cell) for cell in scene.marks}) == 8 * 8
    assert len(svg(scene)) <= 20_000
    assert len(svg(scene, standalone=False)) <= 20_000
