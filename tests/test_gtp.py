"""`stonepost bot GAME` as programs that speak GTP see it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from service.cli import main
from service.cli.gtp import Controller
from service.games import GAMES


def session(game: str, *lines: str, **options: str) -> list[str]:
    controller = Controller(GAMES[game], 0, options, 2, 8, 1)
    return [answer.rstrip("\n") for answer in controller.answers(lines)]


def test_a_session_of_go() -> None:
    assert session(
        "go",
        "protocol_version",
        "1 name",
        "known_command genmove",
        "known_command fly",
        "fly",
        "boardsize 5",
        "boardsize 99",
        "komi 6.5",
        "# a comment",
        "",
        "2 play B C3 # the middle",
        "play white C3",
        "play b z9",
        "play green c4",
        "undo",
        "undo",
        "quit",
        "name",
    ) == [
        "= 2",
        "=1 Stonepost",
        "= true",
        "= false",
        "? unknown command",
        "=",
        "? unacceptable size",
        "=",
        "=2",
        "? illegal move",
        "? illegal move",
        "? invalid color: the sides are black, white",
        "=",
        "? cannot undo",
        "=",
    ]


def test_moves_of_go_are_written_as_gtp_writes_them() -> None:
    answers = session("go", "play black J9", "genmove w", "showboard", size="9")
    assert answers[0] == "="
    vertex = answers[1].removeprefix("= ")
    assert vertex[0] in "ABCDEFGHJ"
    assert vertex[1:].isdecimal()
    assert "\n\n" not in answers[2]


def test_a_colour_may_move_twice_in_go() -> None:
    assert session("go", "play b c3", "play b d3", "play b e3", size="5") == ["="] * 3


def test_the_score_and_the_dead_stones() -> None:
    setup = "black: c1 c2 c3 c4 c5 b2 b4; white: d1 d2 d3 d4 d5 a5"
    answers = session("go", "final_score", "final_status_list dead", "final_status_list x", size="5", setup=setup)
    # Black has 15 points once a5 is dead, White 10 and komi.
    assert answers == ["= W+2.5", "= A5", "? invalid status: alive, dead or seki"]


def test_play_goes_on_after_two_passes_if_the_controller_says_so() -> None:
    assert session("go", "play b pass", "play w pass", "genmove b", "play b c3", size="5") == ["=", "=", "= pass", "="]


def test_the_score_of_a_board_that_was_counted_isnt_a_resignation() -> None:
    lines = (
        "play b pass",
        "play w pass",
        "play b c3",
        "play w pass",
        "play b pass",
        "final_score",
        "final_status_list dead",
    )
    assert session("go", *lines, size="5")[-2:] == ["= B+17.5", "="]
    assert session("go", *lines, size="5", komi="25")[-2:] == ["= 0", "="]


def test_passes_that_nobody_made_dont_end_the_game() -> None:
    assert session("go", "play b c3", "play w pass", "play w d4", "play b d3", size="5") == ["="] * 4


def test_undo_also_takes_back_the_passes_made_for_others() -> None:
    lines = ("play b c3", "play b d3", "undo", "showboard", "play w d4", "undo", "undo", "undo")
    answers = session("go", *lines, size="5")
    assert [*answers[:3], *answers[4:]] == ["=", "=", "=", "=", "=", "=", "? cannot undo"]
    assert answers[3] == session("go", "play b c3", "showboard", size="5")[1]


@pytest.mark.parametrize("line", ["genmove b", "play b c3"])
def test_a_colour_may_move_after_its_own_pass_in_go(line: str) -> None:
    # The pass that is played for White is the second in a row.
    assert re.fullmatch(r"=( [A-E][1-5])?", session("go", "play b pass", line, size="5")[-1])


def test_the_score_after_play_went_on_and_ended_again() -> None:
    passes = ("play b pass", "play w pass")
    lines = (*passes, "play b c3", "play w pass", "play b pass", "final_score", "final_status_list dead")
    assert session("go", *lines, size="5", komi="7.5")[-2:] == ["= B+17.5", "="]
    assert session("go", *passes, *passes, "final_score", size="5", komi="0")[-1] == "= 0"


def test_the_same_seed_and_moves_give_the_same_answers() -> None:
    lines = ("play black c3", "genmove white", "genmove black")
    assert session("go", *lines, size="5") == session("go", *lines, size="5")


@pytest.mark.parametrize("game", [name for name in GAMES if name != "go"])
def test_every_game_is_played_by_gtp(game: str) -> None:
    options = {"rosette": {"base": "5"}, "medusa": {"base": "4"}}.get(game, {})
    options = {"size": "5"} if game.startswith("multigo") else options
    start = GAMES[game].start(0, 0, **options)
    first, second = start.sides
    moves = [*start.moves(start.turns[0])]
    answers = session(game, f"play {first} {moves[3]}", f"genmove {second}", "undo", "showboard", **options)
    assert answers[0] == "="
    assert answers[2] == "="
    position = start.play(0, moves[3])
    assert answers[1].removeprefix("= ").partition(" take ")[0] in {*position.moves(1)} | {"resign"}
    assert session(game, "play nobody x")[0].startswith("? invalid color")


def test_a_group_move_with_spaces_is_one_move() -> None:
    setup = "black: a1 b1; white: g7 g6"
    answers = session("medusa", "play black c1 b1-d1", "play black a1", "showboard", base="4", setup=setup)
    assert answers[0].startswith(("=", "? illegal move: "))
    assert answers[1].startswith("? illegal move")


def test_the_command_reads_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "bot", "go", "--set", "size=5", "--budget", "5"],
        input="name\nquit\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "= Stonepost\n\n=\n\n"
    assert done.returncode == 0


def test_a_comment_that_isnt_utf8_ends_no_session() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "bot", "go", "--set", "size=5"],
        input="name # caf\xe9\nquit\n".encode("latin-1"),
        capture_output=True,
        timeout=120,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert (done.stdout, done.returncode) == (b"= Stonepost\n\n=\n\n", 0)


def test_errors_on_the_command_line_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "chess"]) == 2
    assert "There's no game 'chess'" in capsys.readouterr().err
    assert main(["bot", "go", "--budget", "0"]) == 2


def test_a_cleared_board_has_no_moves_to_take_back() -> None:
    answers = session("go", "play b c3", "clear_board", "undo", "play w c3", size="5")
    assert answers == ["=", "=", "? cannot undo", "="]


def test_another_komi_keeps_the_moves() -> None:
    lines = ("play b c3", "play w c4", "komi 0.5", "play b c4", "final_score", "komi lots", "undo", "undo", "undo")
    assert session("go", *lines, size="5") == [
        *("=", "=", "=", "? illegal move"),
        "= W+0.5",
        "? komi must be a whole or half number of points from -99.5 to 99.5, such as 7.5, not 'lots'.",
        *("=", "=", "? cannot undo"),
    ]


@pytest.mark.parametrize(
    ("game", "line", "refusal"),
    [
        ("pillars", "boardsize 9", "unacceptable size"),
        ("pillars", "komi 7.5", "this game has no komi"),
        ("pillars", "genmove black", "it is not black's turn"),
        ("pillars", "final_score", "cannot score"),
        ("go", "play black", "syntax error: play COLOR MOVE"),
        ("go", "play black c3 d4", "illegal move: Only one point can be played at a time: c3 or d4?"),
        (
            "rosette",
            "play black z99",
            "illegal move: There's no point z99 on this board. Letters go from a to n, numbers from 1 to 27.",
        ),
    ],
)
def test_a_refused_command_changes_nothing(game: str, line: str, refusal: str) -> None:
    board, answer, after = session(game, "showboard", line, "showboard")
    assert (answer, after) == (f"? {refusal}", board)


def test_a_hopeless_position_is_resigned_and_stays_on_the_board() -> None:
    queens = "k10/11/11/11/11/2K8/11/11/5Q5/6T4/7Q3 b - 0 1"
    lines = [f"genmove {side}" for side in ("black", "white", "black", "white", "black")]
    controller = Controller(GAMES["pillars"], 0, {"setup": queens}, 3, 300, 1)
    assert [*controller.answers(lines)][-1] == "= resign\n"
    assert (len(controller.log), controller.position.turns) == (4, (1,))


@pytest.mark.parametrize(
    ("game", "loser", "score"), [("go", "black", "W+R"), ("go", "white", "B+R"), ("lotus", "black", "black 0 white 1")]
)
def test_the_score_after_a_resignation(game: str, loser: str, score: str) -> None:
    lines = ("play black pass",) if loser == "white" else ()
    assert session(game, *lines, f"play {loser} resign", "final_score")[-1] == f"= {score}"


def test_the_score_of_another_game_is_each_sides_points() -> None:
    assert session("rosette", "final_score", komi="4.5") == ["= black 0 white 4.5"]


def test_an_option_without_a_value_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "go", "--set", "size"]) == 2
    assert capsys.readouterr().err == "stonepost: --set must be followed by NAME=VALUE, not 'size'.\n"
