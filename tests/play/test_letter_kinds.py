"""The registry of letters: each kind is declared once, can be composed, and has its templates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import String

from service.config import ROOT
from service.mail.reply_address import Purpose
from service.play import letter_kinds as kinds
from service.play.letter_contents import Contents, UnreadableLetter
from service.play.letter_kinds import KINDS
from service.play.outbox import compose
from service.play.outbox.match_context import view
from service.store.tables.mail_rows import Letter

MAIL = ROOT / "templates/mail"
UNTIL = datetime(2026, 12, 1, 12, tzinfo=UTC)
LINE = {"line": "h12", "said": "unknown", "rows": [{"until": None}]}

STORED: list[tuple[Contents, dict[str, Any]]] = [
    (kinds.Turn(ply=0, seat=0), {"ply": 0, "seat": 0}),
    (
        kinds.Turn(ply=3, seat=1, deadline=UNTIL, dropped="h3"),
        {"ply": 3, "seat": 1, "deadline": "2026-12-01T12:00:00+00:00", "dropped": "h3"},
    ),
    (kinds.Late(ply=3, seat=1, by=1, mate=True), {"ply": 3, "seat": 1, "by": 1, "mate": True}),
    (
        kinds.Said(ply=1, seat=0, by=1, text="Hi", chosen=(0, 2)),
        {"ply": 1, "seat": 0, "by": 1, "text": "Hi", "chosen": [0, 2]},
    ),
    (
        kinds.TakebackAgreed(ply=1, seat=0, by=1, taken=((0, "h3"), (1, "h4"))),
        {"ply": 1, "seat": 0, "by": 1, "taken": [[0, "h3"], [1, "h4"]]},
    ),
    (kinds.Refusal(submission=7, unheard="secret"), {"submission": 7, "unheard": "secret"}),
    (kinds.Reviewed(submission=7), {"submission": 7}),
    (kinds.CommandsAnswer(mail=1, lines=(LINE,), resigns=False), {"mail": 1, "lines": [LINE], "resigns": False}),
    (kinds.Digest(rows=((1, 2, 0, ""),), held=(5,)), {"rows": [[1, 2, 0, ""]], "held": [5]}),
]  # fmt: skip

UNREADABLE: list[tuple[str, dict[str, Any]]] = [
    ("turn", {"ply": "0", "seat": 0}),
    ("turn", {"ply": True, "seat": 0}),
    ("turn", {"ply": 0, "seat": None}),
    ("turn", {"ply": 0, "seat": 0, "by": 1}),
    ("turn", {"deadline": "tomorrow"}),
    ("turn", {"deadline": "2026-12-01T12:00:00"}),
    ("late", {"ply": 0, "seat": 0}),
    ("late", {"by": 1, "mate": 1}),
    ("said", {"by": 1, "text": "Hi", "chosen": 1}),
    ("said", {"by": 1, "text": "Hi", "chosen": ["1"]}),
    ("takeback_agreed", {"by": 1, "taken": [[0, "h3", 1]]}),
    ("refusal", {"submission": 7, "unheard": "because"}),
    ("account", {"event": "adress-asked"}),
    ("answer", {"mail": 1, "lines": ["h12"], "resigns": False}),
    ("carrier_pigeon", {}),
]


@pytest.mark.parametrize(("contents", "data"), STORED, ids=lambda value: getattr(value, "kind", ""))
def test_contents_are_read_as_they_were_stored(contents: Contents, data: dict[str, Any]) -> None:
    assert contents.to_json() == data
    assert kinds.read(Letter(kind=contents.kind, data=data)) == contents


@pytest.mark.parametrize(("kind", "data"), UNREADABLE, ids=str)
def test_contents_that_a_kind_does_not_have_are_refused(kind: str, data: dict[str, Any]) -> None:
    with pytest.raises(UnreadableLetter):
        kinds.read(Letter(kind=kind, data=data))


def test_the_names_of_kinds_are_unique_and_fit_their_column() -> None:
    with pytest.raises(TypeError, match="Two kinds of letters are called turn"):
        type("Turn", (Contents,), {}, kind="turn")
    column = Letter.__table__.c.kind.type
    assert isinstance(column, String)
    assert max(map(len, KINDS)) <= (column.length or 0)


def test_every_kind_can_be_composed() -> None:
    assert compose.COMPOSERS
    assert [kind for kind, letter in KINDS.items() if view.dispatch(letter) is view.dispatch(object)] == []


def test_every_kind_has_templates_and_all_templates_have_a_kind() -> None:
    parts = {"subject.txt", "body.txt", "body.html"}
    folders = {path.name for path in MAIL.iterdir() if path.is_dir()} - {"event", "events", "doors"}
    events = {path.stem for path in (MAIL / "events").iterdir()}
    assert folders | events == KINDS.keys() - {"confirm_reply"}  # It has the templates of `confirm`.
    assert folders & events == set()
    assert [name for name in (*folders, "event") if not parts <= {path.name for path in (MAIL / name).iterdir()}] == []


def kinds_with(flag: str) -> set[str]:
    return {kind for kind, letter in KINDS.items() if getattr(letter, flag)}


def test_the_letters_that_a_player_can_turn_off_and_those_that_wait() -> None:
    assert KINDS.keys() - kinds_with("optional") == {
        "account", "answer", "choice_saved", "club_notice", "conditional_saved", "confirm", "confirm_reply",
        "event_news", "limit", "not_ready", "private_saved", "receipt", "refusal", "rematch", "reviewed",
        "sign_in", "standing_saved", "undone", "unheard", "unknown_sender",
    }  # fmt: skip
    assert kinds_with("urgent") == {"reminder", "digest"}
    assert kinds_with("delayable") == {"turn", "begun"}
    assert kinds_with("weekly") == {"gazette"}
    assert kinds_with("inviting") == {"invitation", "seat"}


def test_the_purpose_of_a_reply_to_each_kind() -> None:
    assert {kind: letter.reply for kind, letter in KINDS.items() if letter.reply != Purpose.ORDER} == {
        "openings": Purpose.OPENINGS,
        "gazette": Purpose.GAZETTE,
        "result": Purpose.RESULT,
        "said": Purpose.TALK,
        "invitation": Purpose.INVITATION,
        "reviewed": Purpose.RESULT,
        "draw_offered": Purpose.DRAW,
        "takeback_offered": Purpose.TAKEBACK,
        "pause_offered": Purpose.PAUSE,
        "resume_offered": Purpose.RESUME,
    }


def test_the_flags_of_each_kind_agree() -> None:
    both = [kind for kind, letter in KINDS.items() if letter.optional and letter.quota]
    assert both == [], "a player can't turn off the answers to their own email"
    needless = [kind for kind, letter in KINDS.items() if not letter.optional and (letter.urgent or letter.delayable)]
    assert needless == [], "only what a player can turn off is ever held back"
    assert all(by in KINDS for letter in KINDS.values() for by in letter.superseded_by)
