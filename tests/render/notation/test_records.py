"""Records as files: they survive a round trip, and errors have the line of what can't be read."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.cli import main
from service.config import ROOT
from service.engine.game import Outcome
from service.engine.record import RecordError
from service.engine.record_formats import MOST_MOVES, Entry, Format, Record
from service.games import GAMES
from service.render.notation.record_json import Json
from service.render.notation.record_text import Text
from service.render.notation.records import formats, recognise

RECORDS = {path.stem: Text().read(path.read_text()) for path in sorted((ROOT / "tests/data/games").glob("*.record"))}
"""The golden playthrough of every game."""
NOTATIONS = [
    pytest.param(record, known, id=f"{name} {suffix}")
    for name, record in RECORDS.items()
    for suffix, known in formats(GAMES[name], len(record.names)).items()
]
NAMES = ("Ada", "Bruno O'Neill", '"Eva" [x]\\', "Ö # 1", "f", "g", "h", "i")
NOON = datetime(2026, 11, 21, 12, 0, 7, tzinfo=UTC)


def dressed(record: Record) -> Record:
    """The record with names, times and some remarks."""
    remarks = {0: "Good luck!", 2: 'Two lines,\n# and > signs: { } [ ] \\ "quotes"'}
    entries = tuple(
        entry._replace(played=NOON, remark=remarks.get(number, "")) for number, entry in enumerate(record.entries)
    )
    return record._replace(names=NAMES[: len(record.names)], entries=entries)


def wrong(notation: Format, text: str) -> tuple[int, str]:
    """The line and the message of the error."""
    with pytest.raises(RecordError) as caught:
        notation.read(text)
    return caught.value.line, str(caught.value)


@pytest.mark.parametrize(("record", "notation"), NOTATIONS)
def test_every_game_survives_a_round_trip_in_every_notation(record: Record, notation: Format) -> None:
    written = notation.write(dressed(record))
    read = notation.read(written)
    assert (read.game, read.options, read.log, read.outcome) == (
        record.game,
        record.options,
        record.log,
        record.outcome,
    )
    assert read.names == NAMES[: len(record.names)]
    assert [entry.round for entry in read.entries] == [entry.round for entry in record.entries]
    assert read.entries[0].remark == "Good luck!"
    assert notation.write(read) == notation.write(dressed(record)._replace(entries=read.entries))
    assert recognise(written).suffix == notation.suffix


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("notation", [Text(), Json()], ids=["text", "json"])
def test_text_and_json_keep_everything(name: str, notation: Format) -> None:
    record = dressed(RECORDS[name])
    assert notation.read(notation.write(record)) == record


@settings(max_examples=60, deadline=None)
@given(remark=st.text(max_size=60), name=st.text(max_size=80))
@pytest.mark.parametrize("notation", [Text(), Json(), *GAMES["go"].formats(2)], ids=["text", "json", "sgf"])
def test_names_and_remarks_never_change_the_moves(notation: Format, remark: str, name: str) -> None:
    record = RECORDS["go"]._replace(
        names=(name, "Bruno"),
        entries=(RECORDS["go"].entries[0]._replace(remark=remark), *RECORDS["go"].entries[1:]),
    )
    assert notation.read(notation.write(record)).log == record.log


@pytest.mark.parametrize("name", RECORDS)
def test_the_command_in_a_text_replays_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.txt"
    file.write_text(Text().write(dressed(RECORDS[name])))
    command = shlex.split(file.read_text().splitlines()[0].removeprefix("# stonepost "))
    assert main([*command, str(file)]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["ply"] == len(RECORDS[name].entries)


def test_a_whole_text() -> None:
    record = Record(
        "go",
        {"size": "9", "komi": "7.5", "setup": "black: a1; turn: white"},
        ("Ada", ""),
        (Entry(1, "e5", 1, NOON, "Hello\n\nagain"), Entry(0, "resign", 2)),
        Outcome.shared(2, [1], "resignation"),
    )
    text = """\
# stonepost replay go --seats 2 --set size=9 --set komi=7.5 --set 'setup=black: a1; turn: white'
# black: Ada
# white: ?
# result: black 0, white 1 (resignation)
white: e5  # 2026-11-21T12:00:07+00:00
# > Hello
# >
# > again
black: resign
"""
    assert Text().write(record) == text
    assert Text().read(text) == record


def test_a_loss_on_time_is_kept() -> None:
    late = Outcome.shared(2, [1], "time")
    for name in ("go", "pillars", "rosette"):
        record = RECORDS[name]._replace(entries=RECORDS[name].entries[:3], outcome=late)
        for notation in formats(GAMES[name], 2).values():
            assert notation.read(notation.write(record)).outcome == late


def test_only_go_boards_for_two_have_sgf() -> None:
    known = {name: {*formats(game, seats)} for name, game in GAMES.items() for seats in (game.min_seats,)}
    assert {name for name, suffixes in known.items() if "sgf" in suffixes} == {"go", "multigo", "multigo-coop"}
    assert {name for name, suffixes in known.items() if "pgn" in suffixes} == {"pillars"}
    assert {*formats(GAMES["multigo"], 3)} == {"txt", "json"}


TEXTS = [
    ("e5\n", 1, "begins with the command that replays it"),
    ("# stonepost replay chess\ne5\n", 1, "There's no game 'chess'"),
    ("\n# stonepost replay 'go\n", 2, "lacks a quotation mark"),
    ("# stonepost replay go --sise 9\n", 1, "accepts --seats N and --set NAME=VALUE, not --sise 9"),
    ("# stonepost replay go --seats 3\n", 1, "Go is not for 3 players"),
    ("# stonepost replay go --set size=99\n", 1, "size must be"),
    ("# stonepost replay go --set komi=1e999999999\n", 1, "komi must be"),
    ("# stonepost replay go\n# result: black 2, white 0 (points)\n", 2, "each side its part of one point"),
    ("# stonepost replay go\n# hello\n\ne5\ne5\n", 5, "e5 is taken by Black."),
    ("# stonepost replay go\n" + "pass\nresume\n" * 3, 3, "Play hasn't ended yet"),
]


@pytest.mark.parametrize(("text", "line", "words"), TEXTS)
def test_texts_that_cannot_be_read(text: str, line: int, words: str) -> None:
    found, sentence = wrong(Text(), text)
    assert (found, words in sentence) == (line, True), sentence


JSONS = [
    ("{", 1, "This is not JSON"),
    ('{\n"game": "go",\n"moves": [,]}', 3, "This is not JSON"),
    ("[" * 100_000, 1, "nested too deeply"),
    ("[]", 1, "An object with 'game' was expected"),
    ('{"game": 5}', 1, "'game' must be text, not 5."),
    ('{\n"game": "chess"}', 2, "There's no game 'chess'; there are medusa, lotus"),
    ('{"game": "go", "seats": [{}, {}, {}]}', 1, "Go is not for 3 players."),
    ('{"game": "go", "seats": "two"}', 1, "'seats' must be a list"),
    ('{"game": "go",\n"options": {"size": "x"}}', 2, "size must be"),
    ('{"game": "go",\n"moves": [\n{"move": "e5"},\n{"move": "e5"}]}', 4, "e5 is taken by Black."),
    ('{"game": "go",\n"moves": [\n{"move": "e5"},\n{"move": 5}]}', 4, "'move' must be text, not 5."),
    ('{"game": "go",\n"moves": [\n{"move": "e5"},\n"a1"]}', 1, "was expected"),
    ('{"game": "go",\n"result": {"scores": {"black": "1e9"}}}', 2, "The scores must include each side"),
]


@pytest.mark.parametrize(("text", "line", "words"), JSONS)
def test_json_that_cannot_be_read(text: str, line: int, words: str) -> None:
    found, sentence = wrong(Json(), text)
    assert (found, words in sentence) == (line, True), sentence


def test_an_overlong_result_is_refused_quickly() -> None:
    record = f"# stonepost replay go\n# result: {'()' * 99_000}x\nblack: a1\n"
    assert wrong(Text(), record)[0] == 2


@pytest.mark.timeout(100)
@pytest.mark.parametrize("notation", [Text(), Json(), *GAMES["go"].formats(2), *GAMES["pillars"].formats(2)])
def test_overlong_records_are_refused_quickly(notation: Format) -> None:
    hostile = {
        "txt": "# stonepost replay go\n" + "pass\n" * 30_000,
        "json": '{"game": "go", "moves": [' + ",".join(['{"move": "pass"}'] * 9_000) + "]}",
        "sgf": "(;" + "A[" * 90_000,
        "pgn": '[A "\n' * 10_000 + "{" * 100_000,
    }[notation.suffix]
    assert wrong(notation, hostile)[1][-1] in ".?"


def test_records_have_a_maximum_length() -> None:
    record = "# stonepost replay multigo-coop --seats 3 --set size=5\n" + "black: prefer red\n" * 2 * MOST_MOVES
    assert wrong(Text(), record) == (MOST_MOVES + 2, "A record has at most 3,000 moves.")


@settings(max_examples=80, deadline=None)
@given(
    text=st.text(max_size=200),
    prefix=st.sampled_from(["", "(;", "(;SZ[9];B[", "[White", "1. ", "{", '{"game": "go", ']),
)
def test_nonsense_is_answered_with_a_sentence(text: str, prefix: str) -> None:
    notation = recognise(prefix + text)
    try:
        notation.read(prefix + text)
    except RecordError as error:
        complaint = error.report
    else:
        return
    assert str(complaint["message"])[-1] in ".?"
    assert int(str(complaint["line"])) >= 1
