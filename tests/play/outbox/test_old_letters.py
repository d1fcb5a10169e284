"""Letters owed by an earlier version of the service are sent by this one as that version would have sent them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alembic import command
from sqlalchemy import LargeBinary, bindparam, select, text

from service.mail import reply_address
from service.play.operations import failed_letters
from service.play.outbox.deliver import deliver
from service.play.outbox.digest import send_digests
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, parsed, whole
from tests.play.table.test_teams import begun, order, team
from tests.play.test_migrations import _insert, _scripts

NOW, UNTIL = "2026-11-21 12:00:00", "2026-12-01T12:00:00+00:00"
MATCH, OVER = 1, 2
BEN = {"seat": 1, "ply": 1}
ADA = {**BEN, "by": 0}
OFFERED = {**ADA, "text": "Well?"}

ORDERS = {
    101: "h12",
    102: "wait.",
    103: "prefer red",
    104: "if h3 then h4",
    105: "standing h4 or h5",
    106: "h1",
    107: "rematch",
}
OLD: tuple[tuple[str, dict[str, Any], str, str, str], ...] = (
    (
        "turn",
        {**BEN, "ply": 2, "by": 1, "deadline": UNTIL, "dropped": "if a then b"},
        "turn",
        "your move",
        "if a then b",
    ),
    ("reminder", {**BEN, "deadline": UNTIL}, "reminder", "your move", "until Tuesday 1 December"),
    ("result", BEN, "result", "Black won", "Black won"),
    ("invitation", {**BEN, "inviter": 1, "rematch": 7}, "invitation", "Ada invites you", "Rematch of: Rosette 7."),
    ("begun", {**BEN, "ply": 0, "deadline": UNTIL}, "begun", "the match has begun", "Ada is playing Black."),
    ("declined", {**ADA, "text": "Not now."}, "declined", "the invitation was declined", '"Not now."'),
    ("said", {**ADA, "text": "Hello!", "chosen": [1]}, "said", "message from Black to you", '"Hello!"'),
    ("extended", {**ADA, "deadline": UNTIL}, "extended", "you have more time", "Black gave you more time."),
    ("late", {**ADA, "by": 1, "deadline": UNTIL}, "late", "you're late", "The match waits once more"),
    ("late", {**ADA, "by": 1, "mate": 1, "deadline": UNTIL}, "late", "your partner is late", "Your partner is late."),
    ("sought", {**ADA, "who": "Ada"}, "sought", "Black (Ada) may be replaced", "missed three turns"),
    ("bounces", ADA, "bounces", "emails to Black are bouncing", "If you have another way"),
    ("seat", {**ADA, "by": 1, "outside": 1, "name": "Ada"}, "seat", "a seat is offered", "Ada offers you a seat"),
    ("taken", {**BEN, "by": 1, "deadline": UNTIL}, "taken", "you're now playing White", "You're now playing White"),
    ("substitute", {**ADA, "name": "Eva"}, "substitute", "Black has a new player", "a new player: Eva."),
    ("released", {**BEN, "by": 1, "outside": 1}, "released", "somebody else took your seat", "now playing White."),
    ("left", {**BEN, "by": 1, "outside": 1}, "left", "you're no longer in your team", "in White's team"),
    ("fewer", {**ADA, "name": "Eva"}, "fewer", "Black's team has lost a player", "Eva is no longer in"),
    ("agreement", {**OFFERED, "event": "draw offered"}, "draw_offered", "a draw is offered", "Black offers a draw."),
    ("agreement", {**OFFERED, "event": "draw declined"}, "draw_declined", "the draw was declined", '"Well?"'),
    (
        "agreement",
        {**OFFERED, "event": "takeback offered", "taken": [[0, "h3"], [1, "h4"]]},
        "takeback_offered",
        "can the last 2 moves be taken back?",
        "Black asks to take back h3 and your h4.",
    ),
    (
        "agreement",
        {**OFFERED, "event": "takeback agreed", "taken": [[1, "h4"]]},
        "takeback_agreed",
        "the last move was taken back",
        "Black agreed: your h4 is taken back",
    ),
    ("agreement", {**OFFERED, "event": "takeback declined"}, "takeback_declined", "wasn't taken back", "declined to"),
    ("agreement", {**OFFERED, "event": "pause offered", "until": UNTIL}, "pause_offered", "be paused?", "1 December"),
    ("agreement", {**ADA, "event": "pause offered", "until": UNTIL}, "pause_offered", "be paused?", "1 December"),
    ("agreement", {**OFFERED, "event": "pause agreed", "until": UNTIL}, "pause_agreed", "is paused", "1 December"),
    ("agreement", {**OFFERED, "event": "pause declined"}, "pause_declined", "the pause was declined", "declined"),
    ("agreement", {**OFFERED, "event": "resume offered"}, "resume_offered", "end now?", "asks to end the pause"),
    ("agreement", {**OFFERED, "event": "resume agreed"}, "resume_agreed", "the pause is over", "Black agreed"),
    ("agreement", {**OFFERED, "event": "resume declined"}, "resume_declined", "goes on", "declined to end"),
    ("noted", {"submission": 101}, "choice_saved", "your order is saved", "with the message you wrote below it"),
    ("noted", {"submission": 101, "unheard": "secret"}, "choice_saved", "your order is saved", "wasn't sent to"),
    ("noted", {"submission": 102}, "not_ready", "you're not ready yet", "Nobody else can see that"),
    (
        "noted",
        {"submission": 103, "event": "kept"},
        "private_saved",
        "your order is saved",
        "Your order prefer red is saved.",
    ),
    ("ahead", {"submission": 104}, "conditional_saved", "conditional moves are saved", "if h3 then h4."),
    ("ahead", {"submission": 105, "unheard": "secret"}, "standing_saved", "standing order", "saved: h4 or h5"),
    ("undone", {"submission": 106, "name": "h2"}, "undone", "your order was withdrawn", "Your order h2 was withdrawn."),
    ("unheard", {"submission": 106, "unheard": "silent"}, "unheard", "wasn't sent", "messages are off in this match"),
    ("refusal", {"submission": 106, "again": True}, "refusal", "h1", "On the web"),
    ("refusal", {"submission": 106, "outside": 1, "sentence": True}, "refusal", "h1", "On the web"),
    ("receipt", {"submission": 106, "event": "order"}, "receipt", "you sent h1", "You sent h1."),
    (
        "rematch",
        {"submission": 107, "by": 1, "name": "Rosette 9"},
        "rematch",
        "your rematch is Rosette 9",
        "It's Rosette 9",
    ),
    ("sign_in", {"nonce": "n", "expires": 1795550000, "guest": None}, "sign_in", "Your link to sign in", "/sign-in/"),
    ("account", {"event": "passkey-added", "name": "Laptop"}, "account", "passkey", '"Laptop" was added'),
    ("account", {"event": "leaving-asked", "due": UNTIL}, "account", "deleted", "Tuesday 1 December"),
    ("answer", {"mail": 1, "lines": [{"line": "huh", "said": "unknown"}], "resigns": False}, "answer", "hello", "huh"),
    ("confirm", {"mail": 1}, "confirm", "Did you send this?", "/mail/"),
    ("unknown_sender", {"mail": 1}, "unknown_sender", "you", "/mail/"),
    ("digest", {"rows": [[MATCH, 1, 1, UNTIL]], "held": [1007]}, "digest", "", "message from Black to you"),
    ("limit", {"most": 3, "own": True, "hours": "8 18"}, "limit", "", "18:00 and 8:00"),
)
"""The old kind and data, the new kind, and words from the subject and the text."""

ALONE = ("sign_in", "account", "answer", "confirm", "unknown_sender", "digest", "limit")


def setting(town: Town) -> None:
    """A running match, and one that is over."""
    for _ in (MATCH, OVER):
        begun(town, "rosette", team("ada"), team("ben"))
    order(town, MATCH, "ada", "h3")
    order(town, OVER, "ben", "resign")
    town.work()
    town.post()


def owe_old_letters(town: Town) -> None:
    """Inserts rows as the earlier version wrote them, all for Ben, who has the second seat."""
    raw = b"From: ben@example.org\r\nMessage-ID: <1@program.example>\r\nSubject: hello\r\n\r\nhuh\r\n"
    values = {"id": 1, "key": "mail:old", "recipient": town.settings.desk, "raw": raw, "received": NOW}
    values |= {"door": "smtp", "verdict": "obeyed", "player_id": 2}
    columns = ", ".join(values)
    insert = text(f"INSERT INTO incoming_mail ({columns}) VALUES ({', '.join(f':{name}' for name in values)})")
    with town.store.engine.begin() as connection:
        connection.execute(insert.bindparams(bindparam("raw", type_=LargeBinary)), values)
    for number, said in ORDERS.items():
        _insert(
            town.store, "submission", id=number, key=f"old:{number}", match_id=OVER if said == "rematch" else MATCH,
            seat=1, player_id=2, text=said, remark="Good luck!", door="mail", received=NOW, verdict="accepted",
            message="It's not your move.", ply=1,
        )  # fmt: skip
    for number, (kind, data, *_) in enumerate(OLD, 1001):
        match = None if kind in ALONE else OVER if kind in ("result", "rematch") else MATCH
        _insert(
            town.store, "letter", id=number, key=f"{kind}:old:{number}", kind=kind, player_id=2, match_id=match,
            data=json.dumps(data), created=NOW, due=NOW, attempts=1, error="",
        )  # fmt: skip


def stored(town: Town) -> list[tuple[str, dict[str, Any]]]:
    """The kind and data of these letters in the database."""
    with town.store.reading() as session:
        rows = session.execute(select(Letter.kind, Letter.data).where(Letter.id > 1000).order_by(Letter.id))
        return [(kind, data) for kind, data in rows]


def test_letters_of_every_old_kind_are_sent_after_the_upgrade(town: Town) -> None:
    setting(town)
    command.downgrade(_scripts(town.store), "0032")
    owe_old_letters(town)
    town.store.migrate()

    assert [kind for kind, _ in stored(town)] == [new for _, _, new, *_ in OLD]
    for number, (old, _, _, subject, words) in enumerate(OLD, 1001):
        deliver(town.site, number)
        [mail] = [*town.post(), *map(parsed, town.receipts)]
        town.receipts.clear()
        assert mail["Message-ID"] == reply_address.message_id(f"{old}:old:{number}", town.settings.mail_domain)
        assert mail["Feedback-ID"].split(":")[1] == old, "a copy of an email sent before has the same header"
        assert subject in mail["Subject"]
        assert words in " ".join(whole(mail).split())


def test_a_downgrade_gives_letters_their_old_kinds_again(town: Town) -> None:
    setting(town)
    command.downgrade(_scripts(town.store), "0032")
    owe_old_letters(town)
    town.store.migrate()
    new = stored(town)
    command.downgrade(_scripts(town.store), "0032")
    for (kind, data), (old_kind, old, *_) in zip(stored(town), OLD, strict=True):
        assert kind == old_kind
        assert data.items() <= old.items(), "no value is lost but those that nothing read"
        assert old.keys() - data.keys() <= {"by", "deadline"}
    town.store.migrate()
    assert stored(town) == new


def test_a_letter_that_cannot_be_read_is_held_back_for_the_operator(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    setting(town)
    letter = {"player_id": 2, "match_id": MATCH, "created": NOW, "due": NOW, "attempts": 0}
    _insert(town.store, "letter", id=1001, key="a", kind="carrier_pigeon", data="{}", error="", **letter)
    _insert(town.store, "letter", id=1002, key="b", kind="result", data='{"ply": "1"}', error="", **letter)
    for _ in range(2):
        deliver(town.site, 1001)
        deliver(town.site, 1002)
    assert town.post() == []
    assert [record.getMessage() for record in caplog.records] == [
        "letter 1001 is held back: the kind 'carrier_pigeon' is unknown",
        "letter 1002 is held back: a letter of the kind result has a value of the wrong type",
    ]
    assert {one.id: one.why for one in failed_letters.letters(town.site)} == {
        1001: "the kind 'carrier_pigeon' is unknown",
        1002: "a letter of the kind result has a value of the wrong type",
    }


def test_a_letter_that_cannot_be_read_doesnt_delay_a_digest(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    setting(town)
    held = {"player_id": 2, "match_id": MATCH, "created": NOW, "attempts": 0, "held": True, "error": ""}
    _insert(town.store, "letter", id=1001, key="a", kind="carrier_pigeon", data="{}", **held)
    said = {"ply": 1, "seat": 1, "by": 0, "text": "Hello!"}
    _insert(town.store, "letter", id=1002, key="b", kind="said", data=json.dumps(said), **held)
    town.now = town.now.replace(hour=18)
    send_digests(town.site)
    town.work()
    [digest] = town.post()
    assert 'Rosette 1: message from Black.\n"Hello!"' in whole(digest)
    assert [record.getMessage() for record in caplog.records] == [
        "letter 1001 is held back: the kind 'carrier_pigeon' is unknown"
    ]
    assert [one.id for one in failed_letters.letters(town.site)] == [1001]
