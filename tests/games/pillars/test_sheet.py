"""Score sheets in the style of PGN."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from service.engine.game import Outcome, Position
from service.engine.record import RecordError
from service.engine.record_formats import Entry, Record
from tests.games.pillars.boards import PILLARS, TOKENS, at, ended, placed

NAMES = 'John "J" Doe', "Orion"
(SHEETS,) = PILLARS.formats(2)


def log_of(*texts: str) -> tuple[tuple[int, str], ...]:
    """The log of a match from the first position; write `white: draw` if it isn't that side's turn."""
    position = PILLARS.start()
    log = []
    for text in texts:
        side, _, order = text.rpartition(": ")
        seat = ["white", "black"].index(side) if side else position.turns[0]
        move = position.read(seat, order)
        position = position.play(seat, move)
        log.append((seat, move))
    return tuple(log)


def sheet(start: Position, log: Iterable[tuple[int, str]], names: tuple[str, str] = NAMES) -> str:
    """The sheet of a match that isn't over, or whose moves ended it."""
    moves = [*log]
    entries = tuple(Entry(seat, move) for seat, move in moves)
    ended = PILLARS.replay(start, moves).outcome
    setup = "" if start == PILLARS.start() else start.setup
    return SHEETS.write(Record("pillars", {"setup": setup}, names, entries, ended))


def test_a_declined_offer_survives_a_round_trip() -> None:
    log = log_of("D2-D3", "white: draw", "black: decline")
    text = sheet(PILLARS.start(), log)
    assert "{Black declines a draw.}" in text
    entries = SHEETS.read(text).entries
    assert [(entry.seat, entry.move) for entry in entries] == [*log]


def test_the_sample_game() -> None:
    written = sheet(PILLARS.start(), log_of(*TOKENS))
    assert written.startswith(
        """[White "John \\"J\\" Doe"]
[Black "Orion"]
[Date "????.??.??"]
[Result "*"]
[Variant "Pillars of Medusa"]

1. E3-E5 H10-H8 2. ME-C5 G9-G7 3. P-C3 P-I9 4. S-D4 P-D8 5. ME-C8+ MA-E10
6. (A)-B7 H-A9 7. MExD8 MAxB7"""
    )
    assert written.endswith("24. MExD11 MExD11 25. S-G9+ *\n")
    assert max(map(len, written.splitlines())) < 80
    assert SHEETS.read(written).names == NAMES


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
def test_sheets_survive_a_round_trip(texts: list[str], result: str) -> None:
    log = log_of(*texts)
    written = sheet(PILLARS.start(), log)
    read = SHEETS.read(written)
    assert read.log == log
    assert f'[Result "{result}"]' in written
    assert SHEETS.write(read) == written


def test_a_setup_where_black_begins() -> None:
    start = placed("Kb9 Ta1 wk5 kk11", "b - 3 41")
    log = ((1, "K5-K4"), (0, "T-A4"))
    written = sheet(start, log)
    assert '[SetUp "1"]\n[FEN "10k/11/1K9/' in written
    assert "\n41... K5-K4 42. T-A4 *\n" in written
    read = SHEETS.read(written)
    assert read.log == log
    assert at(read.options["setup"]) == start


def test_mate_and_time() -> None:
    start = placed("Kb9 Tc1 ka11")
    mate = sheet(start, [(0, "T-C11")])
    assert mate.endswith("\n1. T-C11# 1-0\n")
    assert ended(PILLARS.replay(start, SHEETS.read(mate).log))[0] == "checkmate"
    late = SHEETS.write(Record("pillars", {"setup": ""}, NAMES, (), Outcome.shared(2, [1], "time")))
    assert '[Result "0-1"]' in late
    assert SHEETS.read(late).log == ((0, "timeout"),)
    assert SHEETS.write(SHEETS.read(late)) == late
    assert SHEETS.read(late).outcome == Outcome.shared(2, [1], "time")


def test_sheets_written_by_hand() -> None:
    read = SHEETS.read(
        """
        [White "John"]
        1.e3e5 {the plan: $ and } h10-h8!? ; a remark
        2. Me-c5 $1 g9g7 1-0
        """
    )
    assert read.log == ((0, "E3-E5"), (1, "H10-H8"), (0, "ME-C5"), (1, "G9-G7"), (1, "resign"))
    assert (read.names, read.entries[0].remark) == (("John", ""), "the plan: $ and")


def test_a_remark_worded_like_an_offer_stays_a_remark() -> None:
    entries = (Entry(0, "E3-E5", 1, None, "White offers a draw."), Entry(1, "H10-H8", 2, None, "{no}\nnever"))
    read = SHEETS.read(SHEETS.write(Record("pillars", {"setup": ""}, NAMES, entries)))
    assert [entry.remark for entry in read.entries] == ["White offers a draw.", "(no) never"]


def test_a_remark_worded_like_a_header_stays_a_remark() -> None:
    """Even if the line breaks before and after it."""
    remark = f'{"so " * 25}well, [White "Eve"] {"x" * 78} [FEN "none"] {"y" * 78}'
    record = Record("pillars", {"setup": ""}, NAMES, (Entry(0, "E3-E5", 1, None, remark),))
    read = SHEETS.read(SHEETS.write(record))
    assert (read.names, read.entries[0].remark) == (NAMES, remark)


def test_a_substitute_is_no_move_of_the_sheet() -> None:
    log = ((0, "E3-E5"), (0, "substitute"), (1, "H10-H8"), (1, "substitute"), (0, "ME-C5"))
    written = sheet(PILLARS.start(), log)
    assert written.endswith("\n1. E3-E5 H10-H8 2. ME-C5 *\n")
    assert SHEETS.read(written).log == tuple(entry for entry in log if entry[1] != "substitute")


def test_an_offer_that_lapses_with_its_player_is_declined_in_the_sheet() -> None:
    log = ((0, "draw"), (0, "substitute"), (1, "draw"), (0, "E3-E5"))
    read = SHEETS.read(sheet(PILLARS.start(), log))
    assert read.outcome is None
    assert read.log == ((0, "draw"), (1, "decline"), (1, "draw"), (0, "E3-E5"))


def test_an_illegal_move_is_reported_with_its_line() -> None:
    with pytest.raises(RecordError) as caught:
        SHEETS.read('[White "John"]\n\n1. E3-E5 H10-H8\n2. ME-C7\n')
    assert caught.value.report == {
        "ply": 3,
        "line": 4,
        "error": "illegal",
        "message": "The Medusa on F2 cannot go to C7; it can play ME-E3, ME-D4, ME-C5.",
    }
