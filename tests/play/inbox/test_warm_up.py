"""What a worker does before its first move."""

from __future__ import annotations

import threading
from pathlib import Path

from service.config import Settings
from service.games import GAMES
from service.play.inbox.warm_up import rehearse


def test_a_rehearsal_turns_a_move_of_every_game_into_letters_and_leaves_nothing_behind(tmp_path: Path) -> None:
    settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "MAIL_DOMAIN": "play.example"})
    before = {*tmp_path.rglob("*")}
    # The opponent's letter and the mover's receipt; in games with simultaneous moves, only the answer to the mover.
    at_once = sum(len(game.start().public_turns) > 1 for game in GAMES.values())
    assert rehearse(settings) == 2 * len(GAMES) - at_once
    assert {*tmp_path.rglob("*")} == before


def test_the_rehearsal_starts_no_thread_because_processes_are_forked_after_it(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    rehearse(Settings.from_environment({"STONEPOST_DATA": str(tmp_path)}))
    assert {*threading.enumerate()} <= before
