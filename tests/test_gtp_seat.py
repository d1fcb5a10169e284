"""`stonepost gtp`: an external Go program plays for a seat. Here it's our own bot, treated like any other."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from service.cli import main
from service.cli.gtp_seat import Engine, EngineError, setup_stones
from service.engine.options import OptionError
from service.mail.grammar.orders import parse
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Entry, Match
from tests.play.conftest import Town, town
from tests.play.timekeeping.test_clocks import player

__all__ = ["town"]

OURS = f"{shlex.quote(sys.executable)} -m service.cli bot go --level 1 --budget 8"


def play(town: Town, match_id: int, move: str) -> None:
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        order = Incoming(
            f"web:{match.ply}", match_id, 0, match.seats[0].player_id or 0, match.round, parse(move), "web"
        )
    submit(town.site, order)
    town.work()


def log(town: Town, match_id: int) -> list[str]:
    with town.store.reading() as session:
        return [*session.scalars(select(Entry.move).where(Entry.match_id == match_id).order_by(Entry.ply))]


def answered(town: Town, match_id: int) -> None:
    """The program looks for its turns once, and a nudge has what it ordered judged."""
    assert main(["gtp", OURS, "--match", str(match_id), "--once"]) == 0
    town.queue.append(("judge", match_id))
    town.work()


SETUP = "black: c1 c2 c3 c4 c5 d3; white: b1 b2 b3 b4 b5 a2; turn: black"


def test_a_program_plays_a_match_to_the_end(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    ada = player(town, "ada@example.org")
    match = lobby.open_match(town.site, ada, "go", {"size": "5", "setup": SETUP}, [Chair("me"), Chair("open")])
    answered(town, match)
    play(town, match, "d4")
    answered(town, match)
    answered(town, match)
    assert len(log(town, match)) == 2
    for _ in range(8):
        with town.store.reading() as session:
            found = session.get_one(Match, match)
            name = found.seats[1].player and found.seats[1].player.name
            if found.state == "over":
                break
            phase = replay.position(session, found).phase
        play(town, match, "pass" if phase == "play" else "accept")
        answered(town, match)
    assert found.state == "over"
    assert name == "Stonepost"


def test_a_setup_is_sent_as_moves() -> None:
    assert setup_stones("black: a1 b2; white: c3; turn: white") == [(0, "a1"), (0, "b2"), (1, "c3")]
    assert setup_stones("") == []


def test_programs_that_cannot_play_are_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="can't be started"):
        Engine(str(tmp_path / "nothing"))
    for script, why in (("cat", "It answered 'name'"), ("true", "The program has ended.")):
        engine = Engine(script)
        with pytest.raises(EngineError, match=why):
            engine.ask("name")
        engine.close()
