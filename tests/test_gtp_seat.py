"""`stonepost gtp`: an external Go program plays for a seat. Here it's our own bot, treated like any other."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from service.cli import main
from service.cli.gtp_seat import Engine, EngineError, _sit_down, setup_stones
from service.engine.game import Position
from service.engine.options import OptionError
from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Entry, Match
from tests.play.conftest import Town, town, writing
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


@pytest.fixture
def here(town: Town, monkeypatch: pytest.MonkeyPatch) -> Town:
    """The town, on whose server programs are started."""
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    return town


def script(tmp_path: Path, *answers: str) -> str:
    """A program that answers each command with the next of these lines and then ends."""
    file = tmp_path / "program.sh"
    file.write_text("".join(f"read -r _; printf '%s\\n\\n' '{answer}'\n" for answer in answers))
    return f"sh {shlex.quote(str(file))}"


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
    go = {"size": "9", "komi": "7.5"}
    stones = [(0, "a1"), (0, "b2"), (1, "c3")]
    assert setup_stones(go | {"setup": "black: a1 b2; white: c3; turn: white"}) == stones
    assert setup_stones(go | {"setup": "Black:A1, b2;WHITE : c3"}) == stones
    assert setup_stones(go | {"setup": ""}) == []


def test_programs_that_cannot_play_are_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command, why in ((str(tmp_path / "nothing"), "No such file"), (" ", "it names no program")):
        with pytest.raises(OptionError, match=f"can't be started: .*{why}"):
            Engine(command)
    for script, why in (("cat", "It answered 'name'"), ("true", "The program has ended.")):
        engine = Engine(script)
        with pytest.raises(EngineError, match=why):
            engine.ask("name")
        engine.close()


def test_a_program_waits_for_its_turn_and_is_reported_when_it_ends(
    here: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = player(here, "ada@example.org")
    match = lobby.open_match(here.site, ada, "go", {"size": "5"}, [Chair("me"), Chair("open")])
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        play(here, match, "c3")

    monkeypatch.setattr(time, "sleep", wait)
    program = script(tmp_path, "= Old Bot", "=", "=")
    assert main(["gtp", program, "--match", str(match), "--every", "0.5"]) == 1
    assert waited == [0.5]
    told = capsys.readouterr()
    assert (told.out, told.err) == ("Old Bot is ready.\n", "stonepost: The program has ended.\n")
    assert log(here, match) == ["c3"]


def test_dead_stones_that_arent_on_the_board_are_left_out(here: Town, tmp_path: Path) -> None:
    options = {"size": "5", "komi": "7.5", "setup": SETUP}
    position: Position = GAMES["go"].start(2, 0, **options)
    for seat in (0, 1):
        position = position.play(seat, "pass")
    played = ["="] * (3 + len(setup_stones(options)))
    for answer, order in (("= A2 T19", "dead a2"), ("= PASS", "accept")):
        engine = Engine(script(tmp_path, *played, answer))
        assert engine.choose(options, position, [], 1) == order
        engine.close()


def test_a_program_that_refuses_the_board_takes_no_seat(
    here: Town, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = player(here, "ada@example.org")
    match = lobby.open_match(here.site, ada, "go", {"size": "25"}, [Chair("me"), Chair("open")])
    program = script(tmp_path, "= Old Bot", "? unacceptable size")
    assert main(["gtp", program, "--match", str(match), "--once"]) == 1
    assert capsys.readouterr().err == "stonepost: It answered 'boardsize 25' with '? unacceptable size'.\n"
    with here.store.reading() as session:
        assert session.get_one(Match, match).state == "open"


def test_a_program_is_asked_about_the_board_while_nothing_is_being_written(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some take minutes to answer, and SQLite has one writer at a time."""
    ada = player(town, "ada@example.org")
    match = lobby.open_match(town.site, ada, "go", {"size": "5"}, [Chair("me"), Chair("open")])
    engine = Engine("cat")
    with writing(town.store) as found:
        asked: list[tuple[str, bool]] = []
        monkeypatch.setattr(engine, "ask", lambda command: asked.append((command, found.is_open)))
        _sit_down(town.site, engine, "old bot", match)
    engine.close()
    assert asked == [("boardsize 5", False)]
    with town.store.reading() as session:
        assert session.get_one(Match, match).state == "running"


@pytest.mark.parametrize(
    ("name", "game", "seats", "refusal"),
    [
        ("CLOVER", "go", "open", "CLOVER is the name of a computer opponent. Choose another."),
        ("Old Bot", "rosette", "open", "A GTP program can only play Go, on a square board."),
        ("Old Bot", "go", "taken", "This match has begun and has no open seat."),
        ("Old Bot", "none", "", "There's no match 999."),
    ],
)
def test_the_reason_why_a_program_cannot_have_the_seat_is_printed(
    here: Town, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, game: str, seats: str, refusal: str
) -> None:
    match = 999
    if game != "none":
        chair = Chair("open") if seats == "open" else Chair("paired", player_id=player(here, "ben@example.org"))
        match = lobby.open_match(here.site, player(here, "ada@example.org"), game, {}, [Chair("me"), chair])
    assert main(["gtp", script(tmp_path, f"= {name}"), "--match", str(match), "--once"]) == 2
    assert capsys.readouterr().err == f"stonepost: {refusal}\n"
