"""What the command line prints of a match is the same whatever a player hides."""

from __future__ import annotations

import pytest

from service.cli import COMMANDS, Parser, main
from tests.secrecy.worlds import AT_ONCE, IN_TURN, World

PRINTS = {"export"}
"""Commands that print what anybody may see of a match."""

OPERATORS = {
    "operator",
    "run",
    "migrate",
    "mail",
    "import",
    "reports",
    "backup",
    "restore",
    "health",
    "ratings",
    "annul",
    "gtp",
    "doctor",
}
"""Commands for operators, who may read the database."""

FILES = {"replay", "moves", "perft", "board", "review", "rate", "draw", "standings", "bot"}
"""Commands that read files and no database."""

PLAYERS = {"play"}
"""Commands that ask the API with a token, and show what it answers (see test_api.py)."""


def test_every_command_is_known_here() -> None:
    commands = Parser().add_subparsers()
    for module in COMMANDS:
        module.add(commands)
    assert commands.choices.keys() == PRINTS | (OPERATORS & commands.choices.keys()) | FILES | PLAYERS


@pytest.mark.parametrize("suffix", ["txt", "json", "sgf"])
@pytest.mark.parametrize("match", [AT_ONCE, IN_TURN])
def test_exports_are_the_same_whatever_a_player_hides(
    worlds: list[World],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    match: int,
    suffix: str,
) -> None:
    printed = []
    for world in worlds:
        monkeypatch.setenv("STONEPOST_DATA", str(world.town.settings.data))
        monkeypatch.setenv("STONEPOST_SECRET", world.town.settings.secret)
        printed.append((main(["export", str(match), "--as", suffix]), capsys.readouterr()))
    assert all(told == printed[0] for told in printed)
    assert "black" in printed[0][1].out or printed[0][0] == 2
