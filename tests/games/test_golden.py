"""Golden playthroughs: one match of every game, with its positions as last reviewed.

`tests/data/games/GAME.record` begins with the command that replays it; `GAME.expected` holds what the command prints,
without the boards, which the setups repeat. `python -m tests.games.test_golden` writes the expectations again; then
review the diff.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.engine.game import Position
from service.engine.record import snapshot, steps
from service.games import GAMES

DATA = Path(__file__).parent.parent / "data" / "games"
RECORDS = sorted(DATA.glob("*.record"))


def positions(path: Path) -> Iterator[Position]:
    """The start, and the position after every move."""
    text = path.read_text()
    words = shlex.split(text.splitlines()[0].removeprefix("#"))
    assert words[:2] == ["stonepost", "replay"], f"{path.name} must begin with the command that replays it."
    seats = int(words[words.index("--seats") + 1]) if "--seats" in words else 0
    settings = [words[place + 1].partition("=") for place, word in enumerate(words) if word == "--set"]
    options = {name: value for name, _, value in settings}
    start = GAMES[words[2]].start(seats, **options)  # type: ignore[arg-type]
    yield start
    yield from (step.position for step in steps(start, text))


def printed(path: Path) -> Iterator[str]:
    """One line of JSON for each position."""
    for ply, position in enumerate(positions(path)):
        shown = snapshot(ply, position)
        del shown["board"]
        yield json.dumps(shown)


def expected(path: Path) -> Path:
    return path.with_suffix(".expected")


def test_every_game_has_a_playthrough() -> None:
    assert {path.stem for path in RECORDS} == set(GAMES)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_playthrough(path: Path) -> None:
    assert [*printed(path)] == expected(path).read_text().splitlines()


if __name__ == "__main__":
    for record in RECORDS:
        expected(record).write_text("".join(f"{line}\n" for line in printed(record)))
