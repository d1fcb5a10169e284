"""SGF that other programs read and write."""

from __future__ import annotations

import re

import pytest
from sgfmill import sgf

from service.engine.game import Outcome
from service.engine.record import RecordError
from service.engine.record_formats import Entry, Record
from service.games import GAMES
from tests.games.playing import Variant, playout

(GO,) = GAMES["go"].formats(2)
MATCH = Record(
    "go",
    {"size": "9", "komi": "6.5", "setup": ""},
    ("Ada", "Bruno"),
    (Entry(0, "e5"), Entry(1, "a9", remark="A [corner]"), Entry(0, "pass"), Entry(1, "resign")),
    Outcome.shared(2, [0], "resignation"),
)


def test_another_program_reads_our_files() -> None:
    game = sgf.Sgf_game.from_string(GO.write(MATCH))
    assert (game.get_size(), game.get_komi(), game.get_winner()) == (9, 6.5, "b")
    assert (game.get_player_name("b"), game.get_player_name("w")) == ("Ada", "Bruno")
    moves = [node.get_move() for node in game.get_main_sequence()[1:4]]
    assert moves == [("b", (4, 4)), ("w", (8, 0)), ("b", None)]
    assert game.get_main_sequence()[2].get("C") == "A [corner]"


def test_files_of_other_programs_are_read() -> None:
    record = GO.read(
        """(;GM[1]FF[3]SZ[9]KM[0.5]HA[2]AB[cc][gg]
PB[A\\]da]RE[W+R]C[a game]
;White[ee]C[hello][and more](;B[tt];W[ac])(;B[aa]))"""
    )
    assert record.log == ((1, "e5"), (0, "pass"), (1, "a7"), (0, "resign"))
    assert record.names == ("A]da", "")
    assert record.options == {"size": "9", "komi": "0.5", "setup": "black: c7 g3; turn: white"}
    assert record.entries[0].remark == "hello"
    assert record.outcome == Outcome.shared(2, [1], "resignation")


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("B+3.5", Outcome.shared(2, [0], "points")),
        ("W+T", Outcome.shared(2, [1], "time")),
        ("b+r", Outcome.shared(2, [0], "resignation")),
        ("0", Outcome.shared(2, [0, 1], "points")),
        ("?", None),
        ("Void", None),
    ],
)
def test_results(result: str, outcome: Outcome | None) -> None:
    assert GO.read(f"(;RE[{result}];B[aa])").outcome == outcome


def test_passes_after_the_end_of_play_are_left_out() -> None:
    """Some programs write three, as under AGA rules."""
    record = GO.read("(;SZ[9]RE[B+3.5];B[aa];W[];B[];W[])")
    assert record.log == ((0, "a9"), (1, "pass"), (0, "pass"))
    assert record.outcome == Outcome.shared(2, [0], "points")


def test_play_that_goes_on_after_two_passes_was_resumed() -> None:
    """Other programs write nothing between the passes and the next stone."""
    record = GO.read("(;SZ[5];B[cc];W[];B[];W[bb];B[];W[])")
    resumed = [(0, "c3"), (1, "pass"), (0, "pass"), (1, "resume"), (1, "b4"), (0, "pass"), (1, "pass")]
    assert list(record.log) == resumed
    assert record.outcome is not None
    assert GO.read(GO.write(record)).log == record.log


def test_an_empty_komi_is_the_usual_one() -> None:
    assert GO.read("(;SZ[9]KM[];B[aa])").options["komi"] == "7.5"


def test_a_match_with_its_agreement() -> None:
    orders = ((0, "e5"), (1, "c3"), (0, "pass"), (1, "pass"), (0, "dead c3"), (1, "accept"))
    entries = tuple(Entry(seat, move) for seat, move in orders)
    settings = {"size": "9", "komi": "0.5", "setup": ""}
    written = GO.write(Record("go", settings, ("Ada [of L]", ""), entries, Outcome.shared(2, [0], "points")))
    assert written.startswith(
        "(;FF[4]GM[1]CA[UTF-8]AP[Stonepost]SZ[9]KM[0.5]RU[Chinese]PB[Ada [of L\\]]RE[B+80.5]\n"
        ";B[ee]\n;W[cg]\n;B[]\n;W[]\n;ORDER[black: dead c3]\n;ORDER[white: accept]TB[ai]"
    )
    assert GO.read(written).log == orders


def test_the_result_of_a_draw_is_0() -> None:
    (both,) = GAMES["multigo"].formats(2)
    settings = GAMES["multigo"].settle(2, {"size": "9"})
    entries = tuple(Entry(seat, move) for move in ("pass", "accept") for seat in (0, 1))
    record = Record("multigo", settings, ("Ada", "Bruno"), entries, Outcome.shared(2, [0, 1], "points"))
    assert "RE[0]" in both.write(record)
    assert "RE" not in both.write(record._replace(entries=entries[:3], outcome=None))


def test_a_margin_is_written_only_if_the_board_was_counted() -> None:
    """Here the file states the result, and the dead stones aren't known."""
    record = GO.read("(;SZ[9]RE[W+5.5];B[cc];W[ee];B[];W[])")
    assert "RE[W+]" in GO.write(record)


def test_setup_stones() -> None:
    settings = {"size": "5x7", "komi": "7.5", "setup": "black: a1 g5; white: c3; turn: white"}
    record = Record("go", settings, ("", ""), (Entry(1, "g1"),))
    written = GO.write(record)
    assert "AB[ae][ga]AW[cc]PL[W]" in written
    assert GO.read(written).options == settings
    without = re.sub(r"SET\[[^]]*\]", "", written)
    assert GO.read(without).options == settings


@pytest.mark.parametrize(("said", "turn"), [("W", "white"), ("white", "white"), ("B", "black"), ("", "black")])
def test_pl_says_whose_turn_it_is(said: str, turn: str) -> None:
    record = GO.read(f"(;SZ[9]AB[aa]PL[{said}])")
    assert record.options["setup"] == f"black: a9; turn: {turn}"


@pytest.mark.parametrize("seed", range(4))
def test_random_matches_survive_a_round_trip(seed: int) -> None:
    match = playout(Variant(GAMES["go"], 2, (("size", "5"),)), seed)
    entries = tuple(Entry(seat, move) for seat, move in match.log)
    settings = {"size": "5", "komi": "7.5", "setup": ""}
    read = GO.read(GO.write(Record("go", settings, ("", ""), entries, match.positions[-1].outcome)))
    assert (read.log, read.outcome) == (match.log, match.positions[-1].outcome)


def test_lists_with_rectangles_and_names_in_lower_case() -> None:
    record = GO.read("""(;GaMe[1]SiZe[9]
AB[aa:bb] [dd]
;W[dc]C[a \\] in it; W[aa\\]](;B[ca]))""")
    assert (record.log, record.entries[0].remark) == (((1, "d7"), (0, "c9")), "a ] in it; W[aa]")
    assert record.options["setup"] == "black: a8 b8 a9 b9 d6; turn: white"


def test_a_comment_belongs_to_the_move_of_its_node() -> None:
    """The properties of a node have no order."""
    record = GO.read("(;SZ[9]C[a game];B[cc];C[mine]W[dd];C[a node without a move];B[ee]C[last])")
    assert [entry.remark for entry in record.entries] == ["", "mine\na node without a move", "last"]


def test_stones_in_several_nodes_or_lists_before_the_first_move() -> None:
    record = GO.read("(;SZ[9]AB[aa]AB[ba];AB[ca]AW[bb];AE[ba];W[cc])")
    assert (record.options["setup"], record.log) == ("black: a9 c9; white: b8; turn: white", ((1, "c7"),))


def test_rectangles_have_columns_first() -> None:
    record = GO.read("(;SZ[5:3];B[ec])")
    assert (record.options["size"], record.log) == ("3x5", ((0, "e1"),))
    assert "SZ[5:3]" in GO.write(record)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file ends too soon"),
        ("hello", 1, "Expected a property"),
        ("(;SZ[9]KM[1e99999999])", 1, "komi must be"),
        ("(;SZ[9]\nKM[375])", 2, "komi must be"),
        ("(;SZ[9]AB[aa][aa])", 1, "AB has a9 twice"),
        (f"(;SZ[25]AB{'[aa:yy]' * 28_000};B[aa])", 1, "AB has a1 twice"),
        (f"(;SZ[25]{'AB[aa:yy]AE[aa:yy]' * 11_000};B[aa])", 1, "AB has a1 twice"),
        ("(;SZ[9]AB[aa]AW[aa])", 1, "given twice"),
        ("(;SZ[9]\n;B[aa];B[bb])", 2, "isn't Black's turn"),
        ("(;GM[2])", 1, "another game, GM[2]"),
        ("(;SZ[9]\n;B[zz])", 2, "B[zz] isn't a point of this board"),
        ("(;SZ[9]\n;B[aa]\n;W[aa])", 3, "a9 is taken by Black."),
        ("(;SZ[9]\n;B[aa]", 2, "the file ends too soon"),
        ("(;SZ[9]\nnonsense)", 2, "Expected a property"),
        ("(;SZ[99])", 1, "size must be"),
        ("(;\n;B[aa];W[bb]\nAB[cc])", 3, "set up in the middle"),
        ("(;SZ[9]\nAB[aa][ba][ab][bb][zz])", 2, "AB[zz] isn't a point"),
    ],
)
def test_the_error_for_a_record_has_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        GO.read(text)
    assert caught.value.line == line
    assert words in str(caught.value)
