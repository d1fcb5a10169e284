"""Matches exported as records, and records imported from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.config import ROOT
from service.engine.record import RecordError
from service.games import GAMES
from service.play.accounts import identity
from service.play.pages import match_lists, match_page, records
from service.render.notation.record_json import Json
from service.render.notation.record_text import Text
from service.render.notation.records import formats, recognise
from tests.play.conftest import Town, writing
from tests.play.pages.test_browse import at_once, order
from tests.play.test_match import play, rosette

PLAYTHROUGHS = sorted((ROOT / "tests/data/games").glob("*.record"))


@pytest.fixture
def eva(town: Town) -> int:
    """A player who imports records."""
    with town.store.writing() as session:
        return identity.by_email(session, "eva@example.org", town.now).id


def exported(town: Town, match: int) -> str:
    text = records.export(town.site, match, Text())
    assert text is not None
    return text


def shown(town: Town, match: int, viewer: int | None = None) -> match_page.MatchPage:
    page = match_page.match_page(town.site, match, viewer)
    assert page is not None
    return page


def test_a_running_match_is_exported_with_names_times_and_remarks(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    town.reply(town.post()[-1], "e10\nGood luck!")
    assert exported(town, match) == (
        "# stonepost replay rosette --seats 2 --set base=5 --set counting=area --set komi=4.5\n"
        "# black: Player 1\n"
        "# white: Player 2\n"
        f"black: g10  # {shown(town, match).entries[0].played.isoformat()}\n"
        f"white: e10  # {shown(town, match).entries[1].played.isoformat()}\n"
        "# > Good luck!\n"
    )


def test_the_export_of_a_running_match_has_nothing_sealed_or_private(town: Town) -> None:
    match, players = at_once(town, "ada ben eva", "multigo-parallel-coop")
    order(town, match, players, 0, "prefer red")
    order(town, match, players, 0, "c3")
    for notation in (Text(), Json()):
        text = records.export(town.site, match, notation)
        assert text is not None
        assert "c3" not in text
        assert "prefer" not in text
    order(town, match, players, 1, "resign")
    assert Text().read(exported(town, match)).log == ((1, "resign"),)
    order(town, match, players, 2, "b2")
    assert Text().read(exported(town, match)).log == ((0, "c3"), (1, "resign"), (2, "b2"))
    order(town, match, players, 2, "resign")
    assert Text().read(exported(town, match)).log[0] == (0, "prefer red")


def test_lines_may_end_as_a_form_or_windows_ends_them(town: Town, eva: int) -> None:
    sheet = '[White "Ada"]\n[Result "1-0"]\n\n1. E3-E5 {the\nplan} H10-H8\n1-0\n'
    pages = [shown(town, records.bring(town.site, eva, sheet.replace("\n", end).encode())) for end in ("\n", "\r\n")]
    assert [page.line.seats[0].name for page in pages] == ["Ada", "Ada"]
    assert [entry.remark for entry in pages[1].entries] == [entry.remark for entry in pages[0].entries]
    with pytest.raises(records.RecordRefused, match=r"^Line 4: "):
        records.bring(town.site, eva, b"1. E3-E5\r\nH10-H8\r\n\r\nnonsense")


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_every_game_is_exported_and_imported_again(town: Town, eva: int, path: Path) -> None:
    match = records.bring(town.site, eva, path.read_bytes())
    page = shown(town, match)
    record = Text().read(path.read_text())
    assert [(entry.seat, entry.move) for entry in page.entries] == [*record.log]
    assert (page.line.state, page.importer, page.line.my_turn, page.draft) == ("over", "Player 1", False, None)
    assert page.line.reason == (record.outcome.reason if record.outcome else "imported")
    for notation in formats(GAMES[record.game], len(record.names)).values():
        text = records.export(town.site, match, notation)
        assert text is not None
        again = shown(town, records.bring(town.site, eva, text.encode()))
        assert [entry.move for entry in again.entries] == [entry.move for entry in page.entries]
        assert (again.line.reason, again.line.seats[0].score) == (page.line.reason, page.line.seats[0].score)


def test_a_record_is_replayed_before_anything_is_written(town: Town, eva: int) -> None:
    """Replaying a long record takes long, and nobody else can write to SQLite during a transaction that writes."""
    raw = PLAYTHROUGHS[0].read_bytes()
    with writing(town.store) as found:
        match = records.bring(town.site, eva, raw)
        assert records.bring(town.site, eva, raw) == match
    assert (found.times, found.rules) == (1, [])
    assert shown(town, match).entries


def test_an_imported_match_cannot_be_played_on(town: Town, eva: int) -> None:
    record = b"# stonepost replay go --set size=9\n# black: Shusai\n# white: ben\ne5\n"
    match = records.bring(town.site, eva, record)
    page = shown(town, match, eva)
    assert [(seat.name, seat.player_id, seat.to_move) for seat in page.line.seats] == [
        ("Shusai", None, False),
        ("ben", None, False),
    ]
    assert (page.line.reason, page.line.seats[0].score, page.line.my_seat) == ("imported", None, None)
    assert match not in {line.id for line in match_lists.recent_matches(town.site)}
    assert match not in {line.id for line in match_lists.open_matches(town.site)}
    assert town.queue == []


def test_the_result_that_a_record_claims_is_kept(town: Town, eva: int) -> None:
    page = shown(town, records.bring(town.site, eva, b"(;SZ[9]RE[W+3.5];B[aa];W[bb])"))
    assert (page.line.reason, [seat.score for seat in page.line.seats]) == ("points", ["0", "1"])
    assert "RE[W+]" in (records.export(town.site, page.line.id, GAMES["go"].formats(2)[0]) or "")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"x" * 200_001, "A game record can have up to 200,000 bytes; this one has 200,001."),
        (b"", "Line 1: A record begins with the command that replays it"),
        (b"\xff\xfe\x00", "Line 1: "),
        (b"\xef\xbb\xbf# stonepost replay go\n\ne5\ne5\n", "Line 4: e5 is taken by Black."),
        (b"# stonepost replay go\nwhite: e5\n", "Line 2: It isn't White's turn"),
    ],
)
def test_a_record_that_cannot_be_imported_says_why(town: Town, eva: int, raw: bytes, sentence: str) -> None:
    with pytest.raises(records.RecordRefused) as caught:
        records.bring(town.site, eva, raw)
    assert str(caught.value).startswith(sentence)


KO = ("b1", "c1", "a2", "d2", "b3", "c3", "c2", "b2", "c2")
"""The ninth move retakes a ko at once."""
REPEATING = {
    "text": "# stonepost replay go --set size=5\n" + "\n".join(KO),
    "json": json.dumps({"game": "go", "options": {"size": "5"}, "seats": [{}, {}], "moves": [{"move": m} for m in KO]}),
    "sgf": "(;SZ[5]\n;B[be]\n;W[ce]\n;B[ad]\n;W[dd]\n;B[bc]\n;W[cc]\n;B[cd]\n;W[bd]\n;B[cd])",
}


@pytest.mark.parametrize("notation", REPEATING)
def test_a_record_is_checked_by_all_rules_including_superko(town: Town, eva: int, notation: str) -> None:
    with pytest.raises(RecordError, match="c2 would repeat an earlier position") as caught:
        recognise(REPEATING[notation]).read(REPEATING[notation])
    assert caught.value.ply == len(KO)
    with pytest.raises(records.RecordRefused, match="superko"):
        records.bring(town.site, eva, REPEATING[notation].encode())


def test_hostile_words_in_a_record_become_harmless(town: Town, eva: int) -> None:
    seats, moves = rb'[{"name": "\u0000\ud800<b>"}, {}]', rb'[{"move": "e5", "remark": "\ud800\u0000\n<i>"}]'
    record = b'{"game": "go", "seats": %s, "moves": %s}' % (seats, moves)
    page = shown(town, records.bring(town.site, eva, record))
    assert (page.line.seats[0].name, page.entries[0].remark) == ("<b>", "<i>")


def test_a_time_in_the_future_is_not_believed(town: Town, eva: int) -> None:
    record = b"# stonepost replay go\ne5  # 9999-12-31T23:59:59+00:00\npass  # 1999-01-01T00:00:00+00:00\n"
    entries = shown(town, records.bring(town.site, eva, record)).entries
    assert [entry.played.year for entry in entries] == [2026, 1999]


def test_there_is_no_record_of_a_match_that_does_not_exist(town: Town) -> None:
    assert records.export(town.site, 99, Text()) is None
