"""Score sheets in the manner of PGN."""

from __future__ import annotations

import pytest

from service.engine.game import Outcome, Sheet
from service.engine.record import RecordError
from tests.games.pillars.boards import PILLARS, TOKENS, at, ended, placed

NAMES = {"Event": 'The "Winstor" cup', "White": "John", "Black": "Orion"}


def log_of(*texts: str) -> tuple[tuple[int, str], ...]:
    """The log of a match from the first position; `white: draw` where it is not that side's turn."""
    position = PILLARS.start()
    log = []
    for text in texts:
        side, _, order = text.rpartition(": ")
        seat = ["white", "black"].index(side) if side else position.turns[0]
        move = position.read(seat, order)
        position = position.play(seat, move)
        log.append((seat, move))
    return tuple(log)


def test_the_sample_game() -> None:
    sheet = PILLARS.write_sheet(PILLARS.start(), log_of(*TOKENS), NAMES)
    assert sheet.startswith(
        """[Event "The \\"Winstor\\" cup"]
[White "John"]
[Black "Orion"]
[Result "*"]
[Variant "Pillars of Medusa"]

1. E3-E5 H10-H8 2. ME-C5 G9-G7 3. P-C3 P-I9 4. S-D4 P-D8 5. ME-C8+ MA-E10
6. (A)-B7 H-A9 7. MExD8 MAxB7"""
    )
    assert sheet.endswith("24. MExD11 MExD11 25. S-G9+ *\n")
    assert max(map(len, sheet.splitlines())) < 80
    assert PILLARS.read_sheet(sheet).headers["Event"] == NAMES["Event"]


@pytest.mark.parametrize(
    ("texts", "result"),
    [
        ([], "*"),
        (["E3-E5", "black: resign"], "1-0"),
        (["E3-E5", "white: resign"], "0-1"),
        (["draw", "E3-E5", "E9-E7", "black: draw", "D2-D3"], "*"),
        (["E3-E5", "white: draw", "black: draw"], "1/2-1/2"),
        (["E3-E5", "black: draw", "white: draw"], "1/2-1/2"),
        (["H-C3", "H-C9", "H-B1", "H-B11"] * 2, "1/2-1/2"),
        (TOKENS, "*"),
    ],
)
def test_sheets_read_back(texts: list[str], result: str) -> None:
    log = log_of(*texts)
    sheet = PILLARS.write_sheet(PILLARS.start(), log, NAMES)
    read = PILLARS.read_sheet(sheet)
    assert read == Sheet({**NAMES, **read.headers}, {}, log)
    assert read.headers["Result"] == result
    assert PILLARS.write_sheet(PILLARS.start(), read.log, NAMES) == sheet


def test_a_setup_where_black_begins() -> None:
    start = placed("Kb9 Ta1 wk5 kk11", "b - 3 41")
    log = ((1, "K5-K4"), (0, "T-A4"))
    sheet = PILLARS.write_sheet(start, log, {})
    assert '[SetUp "1"]\n[FEN "10k/11/1K9/' in sheet
    assert "\n41... K5-K4 42. T-A4 *\n" in sheet
    read = PILLARS.read_sheet(sheet)
    assert read.log == log
    assert at(read.options["setup"]) == start


def test_mate_and_time() -> None:
    start = placed("Kb9 Tc1 ka11")
    mate = PILLARS.write_sheet(start, [(0, "T-C11")], {})
    assert mate.endswith("\n1. T-C11# 1-0\n")
    assert ended(PILLARS.replay(start, PILLARS.read_sheet(mate).log))[0] == "checkmate"
    late = PILLARS.write_sheet(start, [], {}, Outcome.shared(2, [1], "time"))
    assert '[Result "0-1"]' in late
    assert PILLARS.read_sheet(late).log == ()


def test_sheets_written_by_hand() -> None:
    read = PILLARS.read_sheet(
        """
        [White "John"]
        1.e3e5 {the plan: $ and } h10-h8!? ; a remark
        2. Me-c5 $1 g9g7 1-0
        """
    )
    assert read.log == ((0, "E3-E5"), (1, "H10-H8"), (0, "ME-C5"), (1, "G9-G7"), (1, "resign"))


def test_a_move_that_cannot_be_played_is_reported_with_its_line() -> None:
    with pytest.raises(RecordError) as caught:
        PILLARS.read_sheet('[White "John"]\n\n1. E3-E5 H10-H8\n2. ME-C7\n')
    assert caught.value.report == {
        "ply": 3,
        "line": 4,
        "error": "illegal",
        "message": "The Medusa on F2 cannot go to C7; it can play ME-E3, ME-D4, ME-C5.",
    }
