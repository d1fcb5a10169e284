"""Go as SGF."""

from __future__ import annotations

import pytest

from service.engine.game import OptionError, Outcome, Sheet
from service.engine.record import RecordError
from service.games import GAMES
from tests.games.playing import Variant, playout

GO = GAMES["go"]
LOG = ((0, "e5"), (1, "c3"), (0, "pass"), (1, "pass"), (0, "dead c3"), (1, "accept"))


def test_a_match_with_its_agreement() -> None:
    start = GO.start(size="9", komi="0.5")
    text = GO.write_sheet(start, LOG, {"Black": "Ada [of L]", "White": "Grace"})
    assert text == (
        "(;FF[4]GM[1]CA[UTF-8]AP[Stonepost]SZ[9]KM[0.5]RE[B+80.5]PB[Ada [of L\\]]PW[Grace]\n"
        ";B[ee]\n;W[cg]\n;B[]\n;W[]\n;C[Black: dead c3]\n;C[White: accept])\n"
    )
    assert GO.read_sheet(text) == Sheet({"Black": "Ada [of L]", "White": "Grace"}, {"size": "9", "komi": "0.5"}, LOG)


def test_stones_to_begin_with() -> None:
    options = {"size": "5x7", "komi": "7.5", "setup": "black: a1 g5; white: c3; turn: white"}
    text = GO.write_sheet(GO.start(**options), ((1, "g1"), (0, "resign")), {})  # type: ignore[arg-type]
    assert "SZ[7:5]KM[7.5]RE[W+R]AB[ae][ga]AW[cc]PL[W]" in text
    assert GO.read_sheet(text) == Sheet({}, options, ((1, "g1"), (0, "resign")))


def test_an_end_that_no_move_made() -> None:
    late = Outcome.shared(2, (1,), "time")
    text = GO.write_sheet(GO.start(), ((0, "d4"),), {}, late)
    assert "RE[W+T]" in text
    assert GO.read_sheet(text).log == ((0, "d4"),)


def test_files_of_other_programs() -> None:
    text = """ (;GaMe[1]GM[1]FF[3]
      SiZe[19] SZ[19] HA[2] AB[pd] [dp] C[a comment with \\] in it; W[aa\\]]
      ;W[dd]C[White: well played!](;B[tt];W[tt])(;B[qq]))"""
    sheet = GO.read_sheet(text)
    assert sheet.options == {"size": "19", "setup": "black: d4 p16; turn: white"}
    assert sheet.log == ((1, "d16"), (0, "pass"), (1, "pass"))


@pytest.mark.parametrize(
    "text", ["", "hello", "(;GM[2])", "(;SZ[99])", "(;SZ[9]AB[zz])", "(;SZ[9]AB[aa][aa])", "(;KM[1e99999999])"]
)
def test_what_is_no_game_of_go(text: str) -> None:
    with pytest.raises(OptionError):
        GO.read_sheet(text)


@pytest.mark.parametrize(
    ("moves", "line", "words"),
    [("B[zz]", 2, "no point"), ("B[aa]\n;W[aa]", 3, "taken by Black"), ("B[aa];B[bb]", 2, "not Black's turn")],
)
def test_a_bad_move_is_told_with_its_line(moves: str, line: int, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        GO.read_sheet(f"(;SZ[9]\n;{moves})")
    assert (caught.value.line, words in str(caught.value)) == (line, True)


@pytest.mark.parametrize("seed", range(4))
def test_random_matches_come_back(seed: int) -> None:
    variant = Variant(GO, 2, (("size", "5"),))
    log = playout(variant, seed).log
    sheet = GO.read_sheet(GO.write_sheet(variant.start(), log, {}))
    assert sheet.log == log
    assert GO.replay(GO.start(**sheet.options), sheet.log).setup == playout(variant, seed).positions[-1].setup  # type: ignore[arg-type]
