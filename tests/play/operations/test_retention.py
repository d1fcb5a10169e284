"""How long things are kept that aren't kept forever."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, func, select, update

from service.play.accounts import identity, sessions
from service.play.inbox.receive import receive
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.operations import failed_letters, packing, retention
from service.play.operations.sweep import sweep
from service.play.outbox import digest
from service.play.site import Site
from service.store.models import Player
from service.store.tables.credentials import Repeat, UsedLink, Visit
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.player_data import Report
from tests.play.conftest import Town
from tests.play.inbox.test_run_commands import ADA, rosette


def kept(town: Town) -> list[tuple[str, bool]]:
    """The verdict on each email, and whether its text is still there."""
    with town.store.reading() as session:
        mails = session.scalars(select(IncomingMail).order_by(IncomingMail.id)).all()
        assert all(bool(mail.raw) == mail.kept for mail in mails)
        return [(mail.verdict, mail.kept) for mail in mails]


def test_the_text_of_old_mail_is_deleted_unless_it_is_needed(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "nonsense")
    town.write(ADA, "status")
    town.reply(turns[ADA], "g10", sender="elsewhere@example.org")
    receive(town.site, *town.written(turns[ADA], "show"), "smtp")  # Not obeyed, because the queue lost its nudge.
    town.queue.clear()
    with town.store.writing() as session:
        for kind, error in (("refusal", "550 no"), ("answer", "")):
            latest = select(func.max(Letter.id)).where(Letter.kind == kind).scalar_subquery()
            unsent = update(Letter).where(Letter.id == latest)
            session.execute(unsent.values(sent=None, error=error, due=None if error else town.now))
    town.now += timedelta(days=29)
    assert retention.delete_old(town.site) == 0
    town.now += timedelta(days=2)
    assert retention.delete_old(town.site) == 3
    assert kept(town) == [
        ("obeyed", False),
        ("order", False),
        ("order", True),
        ("obeyed", True),
        ("held", False),
        ("commands", True),
    ]
    with town.store.writing() as session:
        session.execute(update(Letter).values(sent=town.now))
    sweep(town.site)
    assert [there for _, there in kept(town)] == [False] * 5 + [True]


def test_the_text_of_mail_is_deleted_in_bounded_steps_and_may_be_kept_forever(town: Town) -> None:
    with town.store.writing() as session:
        for number in range(retention.AT_ONCE + 5):
            mail = IncomingMail(
                key=str(number), recipient="", raw=b"x", received=town.now, door="smtp", verdict="order"
            )
            session.add(mail)
    town.now += timedelta(days=31)
    town.settings = replace(town.settings, keep=replace(town.settings.keep, raw_mail=0))
    assert retention.delete_old(town.site) == 0
    town.settings = replace(town.settings, keep=replace(town.settings.keep, raw_mail=30))
    assert [retention.delete_old(town.site) for _ in range(3)] == [retention.AT_ONCE, 5, 0]


def test_a_copy_of_an_email_whose_text_was_deleted_is_still_a_copy(town: Town) -> None:
    turns = rosette(town)
    for _ in range(2):
        town.reply(turns[ADA], "nonsense", message_id="<once@program.example>")
        town.now += timedelta(days=40)
        sweep(town.site)
    assert [verdict for verdict, _ in kept(town)] == ["obeyed", "order", "order"]


OF_OLD = {
    "address_change_by_time", "address_change_unmade", "appearance_by_age", "call_by_age", "incoming_mail_kept",
    "letter_alone", "repeat_by_time", "report_closed", "used_link_by_time", "visit_by_time",
}  # fmt: skip


@pytest.mark.parametrize(
    ("look", "indexes"),
    [
        (retention.delete_old, OF_OLD),
        (packing.pack_old, {"match_to_pack", "submission_unjudged", "letter_about"}),
        (failed_letters.letters, {"letter_given_up"}),
        (sweep, {"letter_due", "submission_unjudged", "incoming_mail_unread"}),
        (digest.send_digests, {"letter_held", "seat_by_digest", "player_by_digest"}),
    ],
)
def test_work_to_do_is_found_by_an_index(town: Town, look: Callable[[Site], object], indexes: set[str]) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(town.store.engine, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
    look(town.site)
    looked = [(statement, values) for statement, values in asked if statement.startswith("SELECT")]
    with town.store.reading() as session:
        connection = session.connection()
        plans = [str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {s}", v).all()) for s, v in looked]
    assert indexes <= set(re.findall(r"INDEX (\w+)", "".join(plans)))


def test_browsers_and_used_links_are_deleted_once_they_have_expired(town: Town) -> None:
    with town.store.writing() as session:
        person = identity.by_email(session, ADA, town.now)
    sessions.begin(town.site, person.id, "one that is never seen again")
    with town.store.writing() as session:
        session.add(UsedLink(nonce="n", used=town.now))
    left = []
    for days in (0, 29, 2, 170):
        town.now += timedelta(days=days)
        sweep(town.site)
        with town.store.reading() as session:
            left.append((len(session.scalars(select(Visit)).all()), len(session.scalars(select(UsedLink)).all())))
    assert left == [(1, 1), (1, 1), (0, 1), (0, 0)]


def test_old_letters_without_a_match_are_deleted_once_they_are_settled(town: Town) -> None:
    town.settings = replace(town.settings, keep=replace(town.settings.keep, raw_mail=0))
    rosette(town)
    asked = [town.write(ADA, text)[0] for text in ("status", "games", "events")]
    with town.store.writing() as session:
        about = session.scalars(select(func.count()).where(Letter.match_id.is_not(None))).one()
        settled = session.scalars(select(func.count()).where(Letter.match_id.is_(None))).one() - 1
        *_, given_up, waiting = session.scalars(select(Letter).where(Letter.kind == "answer").order_by(Letter.id))
        given_up.sent, given_up.due, given_up.error = None, None, "550 no"
        waiting.sent, waiting.due = None, town.now
    town.now += timedelta(days=89)
    assert retention.delete_old(town.site) == 0
    town.now += timedelta(days=1)
    assert [retention.delete_old(town.site) for _ in range(2)] == [settled, 0]
    with town.store.reading() as session:
        left = session.scalars(select(Letter).order_by(Letter.id)).all()
        assert len(left) == about + 1
        assert [letter.id for letter in left if letter.match_id is None] == [waiting.id]
    town.post()
    town.reply(asked[0], "status")
    (answer,) = town.post()
    assert answer["Subject"] == asked[0]["Subject"]


def test_reports_are_deleted_once_they_are_closed_and_old_unless_all_are_kept(town: Town) -> None:
    with town.store.writing() as session:
        ada, ben = (identity.by_email(session, f"{name}@example.org", town.now).id for name in ("ada", "ben"))
        for number in range(3):
            closed = town.now + timedelta(days=number) if number else None
            row = {"player_id": ada, "other_id": ben, "text": "", "made": town.now, "closed": closed}
            session.add(Report(key=str(number), **row))

    def left(days: int) -> list[str]:
        town.settings = replace(town.settings, keep=replace(town.settings.keep, report=days))
        retention.delete_old(town.site)
        with town.store.reading() as session:
            return [*session.scalars(select(Report.key).order_by(Report.id))]

    assert left(730) == ["0", "1", "2"]
    town.now += timedelta(days=731, minutes=1)
    assert left(0) == ["0", "1", "2"]
    assert left(730) == ["0", "2"]
    assert left(1) == ["0"]


def test_rows_with_a_key_of_two_columns_are_deleted_in_bounded_steps(town: Town) -> None:
    with town.store.writing() as session:
        person = identity.by_email(session, ADA, town.now)
        row = {"player_id": person.id, "said": "", "came": town.now}
        session.add_all(Repeat(key=str(n), **row) for n in range(retention.AT_ONCE + 5))
    town.now += timedelta(days=8)
    assert [retention.delete_old(town.site) for _ in range(3)] == [retention.AT_ONCE, 5, 0]


def test_old_letters_are_deleted_in_bounded_steps(town: Town) -> None:
    with town.store.writing() as session:
        person = identity.by_email(session, ADA, town.now)
        row = {"kind": "limit", "player_id": person.id, "data": {}, "created": town.now, "sent": town.now}
        session.add_all(Letter(key=f"limit:{n}", **row) for n in range(retention.AT_ONCE + 5))
    town.now += timedelta(days=91)
    sweep(town.site)
    assert [retention.delete_old(town.site) for _ in range(2)] == [5, 0]


def test_an_address_that_nobody_confirmed_is_kept_while_a_match_waits_for_it(town: Town) -> None:
    with town.store.writing() as session:
        host, invited, forgotten = (
            identity.by_email(session, f"{name}@example.org", town.now).id for name in ("ada", "ben", "eva")
        )
    lobby.open_match(town.site, host, "lotus", {}, [Chair("me"), Chair("email", "ben@example.org")])
    town.now += timedelta(days=4_000)
    retention.forget_unconfirmed(town.site)
    with town.store.reading() as session:
        assert [session.get_one(Player, number).email for number in (host, invited, forgotten)] == [
            "ada@example.org",
            "ben@example.org",
            None,
        ]


def test_addresses_that_nobody_confirmed_are_kept_where_the_setting_says_so(town: Town) -> None:
    with town.store.writing() as session:
        number = identity.by_email(session, ADA, town.now).id
    town.now += timedelta(days=4_000)
    town.settings = replace(town.settings, keep=replace(town.settings.keep, unconfirmed=0))
    retention.forget_unconfirmed(town.site)
    with town.store.reading() as session:
        assert session.get_one(Player, number).email == ADA
    town.settings = replace(town.settings, keep=replace(town.settings.keep, unconfirmed=7))
    retention.forget_unconfirmed(town.site)
    with town.store.reading() as session:
        assert session.get(Player, number) is None or session.get_one(Player, number).email is None
