"""Emails from addresses that nobody has confirmed, and how long such addresses are kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from service.play.accounts import identity, sessions
from service.play.inbox import unknown_senders, unverified
from service.play.operations.sweep import sweep
from service.store.models import Match, Player
from service.store.tables.credentials import AddressChange
from service.store.tables.mail_rows import IncomingMail, Letter
from tests.play.conftest import Town, plain
from tests.play.test_trust import ADA, BEN, token

WEEK = timedelta(days=7, hours=1)
ASKED = "Did you write to Stonepost?"


def verdicts(town: Town) -> list[str]:
    with town.store.reading() as session:
        return list(session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)))


def known(town: Town, email: str) -> bool:
    with town.store.reading() as session:
        return session.scalars(select(Player.id).where(Player.email == email)).first() is not None


def a_week_later(town: Town) -> None:
    town.now += WEEK
    sweep(town.site)


def test_an_unknown_sender_is_asked_and_obeyed_once_they_confirm(town: Town) -> None:
    (question,) = town.write(ADA, f"new rosette base=5 vs {BEN}", proven=False)
    assert question["Subject"] == ASKED
    assert question["To"].addresses[0].addr_spec == ADA
    held = unverified.held(town.site, token(question))
    assert held is not None
    assert (held.text.strip(), held.sender) == (f"new rosette base=5 vs {BEN}", ADA)
    unverified.confirm(town.site, token(question))
    town.work()
    assert {mail["To"].addresses[0].addr_spec for mail in town.post()} == {ADA, BEN}
    (question,) = town.write(ADA, "status", proven=False)
    assert question["Subject"] == "Did you send this? status"


def test_a_command_in_the_subject_is_shown_before_it_is_confirmed(town: Town) -> None:
    (question,) = town.write(ADA, "status", "new rosette base=5", proven=False)
    held = unverified.held(town.site, token(question))
    assert held is not None
    assert held.text.strip() == "new rosette base=5\nstatus"
    unverified.confirm(town.site, token(question))
    town.work()
    town.post()
    (question,) = town.write(ADA, "status", "name Mallory", proven=False)
    assert question["Subject"] == "Did you send this? name Mallory"
    assert "name Mallory\nstatus" in plain(question)


def test_the_question_carries_nothing_of_the_email_and_is_small(town: Town) -> None:
    """Nobody can send words or a flood to somebody else by writing their address into From."""
    lure = "Buy at https://evil.example/now"
    (question,) = town.write(ADA, lure, subject=lure, proven=False)
    assert "evil" not in question.as_string()
    assert plain(question).startswith("Somebody wrote to Stonepost, a place to play board games by email")
    assert len(question.as_bytes()) < 5_000
    assert question.get_content_type() == "multipart/alternative"


def test_an_unknown_sender_is_asked_once_a_day(town: Town) -> None:
    assert [len(town.write(ADA, f"status {number}", proven=False)) for number in range(3)] == [1, 0, 0]
    assert verdicts(town) == ["held", "held", "held"]
    town.now += timedelta(days=1)
    assert len(town.write(ADA, "status", proven=False)) == 1


def test_other_emails_of_that_day_are_asked_about_once_the_address_is_confirmed(town: Town) -> None:
    lines = [f"new rosette base=5 vs {BEN}", *(f"name Ada {number}" for number in range(unknown_senders.MORE + 2))]
    (question,) = [mail for line in lines for mail in town.write(ADA, line, proven=False)]
    assert verdicts(town) == ["held"] * (unknown_senders.MORE + 1) + ["unverified"] * 2
    unverified.confirm(town.site, token(question))
    town.work()
    asked = [subject for mail in town.post() if (subject := str(mail["Subject"])).startswith("Did you send this?")]
    assert sorted(asked) == [f"Did you send this? name Ada {number}" for number in range(unknown_senders.MORE)]
    unverified.confirm(town.site, token(question))
    town.work()
    assert town.post() == []


def test_all_unknown_senders_together_are_asked_a_few_times_a_day(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown_senders, "PER_DAY", 3)
    asked = [len(town.write(f"p{number}@example.org", "help", proven=False)) for number in range(5)]
    assert asked == [1, 1, 1, 0, 0]
    assert not known(town, "p4@example.org"), "no row either"
    town.now += timedelta(days=1)
    assert len(town.write("p4@example.org", "help", proven=False)) == 1


@pytest.mark.parametrize(
    "headers",
    [{"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"Return_Path": "<>"}, {"List_Id": "<news.example>"}],
)
def test_automatic_emails_are_not_asked_about(town: Town, headers: dict[str, str]) -> None:
    assert town.write(ADA, "status", proven=False, **headers) == []
    assert not known(town, ADA)


@pytest.mark.parametrize("sender", ["", "ada@example.org, ben@example.net", "postmaster@example.org"])
def test_an_email_without_a_personal_sender_is_not_asked_about(town: Town, sender: str) -> None:
    assert town.write(sender, "status", proven=False) == []


@pytest.mark.parametrize("trouble", ["bounced", "off", "moved"])
def test_an_address_that_bounces_or_wants_no_emails_or_was_given_up_is_not_asked(town: Town, trouble: str) -> None:
    town.write(BEN, f"new rosette base=5 vs {ADA}")
    with town.store.writing() as session:
        ada = session.scalars(select(Player).where(Player.email == ADA)).one()
        if trouble == "bounced":
            ada.bounced = town.now
        if trouble == "off":
            ada.post = "off"
    if trouble == "moved":
        town.write(ADA, "help")
        town.write(ADA, "address ada@new.example")
        with town.store.writing() as session:
            change = session.scalars(select(AddressChange)).one()
            change.made = town.now
            session.scalars(select(Player).where(Player.email == ADA)).one().email = "ada@new.example"
    town.post()
    assert town.write(ADA, "status", proven=False) == []


def test_the_question_to_an_invited_person_has_no_words_of_the_email(town: Town) -> None:
    town.write(ADA, f"new rosette base=5 vs {BEN}")
    (question,) = town.write(BEN, "status", proven=False)
    assert question["Subject"] == ASKED


def test_an_address_nobody_confirmed_is_forgotten_after_a_week(town: Town) -> None:
    town.write(ADA, "status", proven=False)
    identity.ask_sign_in(town.site, "typo@example.org")
    town.write(BEN, "status")
    town.work()
    town.now += timedelta(days=6)
    sweep(town.site)
    assert known(town, ADA)
    a_week_later(town)
    assert not known(town, ADA)
    assert not known(town, "typo@example.org")
    assert known(town, BEN), "their email was proven"
    with town.store.reading() as session:
        assert not session.scalars(select(IncomingMail.raw).where(IncomingMail.verdict == "forgotten")).one()
        forgotten = select(Letter).join(Player).where(Player.left.is_not(None))
        assert session.scalars(forgotten).all() == []
    (question,) = town.write(ADA, "status", proven=False)
    assert question["Subject"] == ASKED


def test_the_week_begins_with_the_latest_email_to_the_address(town: Town) -> None:
    for _ in range(2):
        town.write(ADA, "status", proven=False)
        sweep(town.site)
        town.now += timedelta(days=4)
    sweep(town.site)
    assert known(town, ADA)
    town.now += timedelta(days=4)
    sweep(town.site)
    assert not known(town, ADA)


def test_an_invited_address_is_kept_while_its_match_waits_and_forgotten_after_it(town: Town) -> None:
    town.write(ADA, f"new rosette base=5 vs {BEN}")
    a_week_later(town)
    assert known(town, BEN)
    with town.store.writing() as session:
        session.get_one(Match, 1).state = "declined"
    a_week_later(town)
    assert not known(town, BEN)
    with town.store.reading() as session:
        match = session.get_one(Match, 1)
        assert [seat.player.name for seat in match.seats if seat.player] == ["Player 1", "A former player"]
    assert known(town, ADA)


def test_a_person_who_wants_no_emails_is_remembered(town: Town) -> None:
    """Otherwise they could be invited and written to again."""
    identity.ask_sign_in(town.site, ADA)
    with town.store.writing() as session:
        session.scalars(select(Player)).one().post = "off"
    a_week_later(town)
    assert known(town, ADA)


def test_signing_in_and_accepting_confirm_an_address(town: Town) -> None:
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")
    ben = next(mail for mail in invitation if mail["To"].addresses[0].addr_spec == BEN)
    with town.store.reading() as session:
        assert session.scalars(select(Player.confirmed).where(Player.email == BEN)).one() is None
    town.reply(ben, "accept")
    with town.store.reading() as session:
        assert session.scalars(select(Player.confirmed).where(Player.email == BEN)).one() is not None


def test_a_sign_in_confirms_the_address_of_its_player_alone(town: Town) -> None:
    for address in (ADA, BEN):
        identity.ask_sign_in(town.site, address)
    with town.store.reading() as session:
        ada = session.scalars(select(Player.id).where(Player.email == ADA)).one()
    sessions.begin(town.site, ada, "Firefox")
    with town.store.reading() as session:
        assert session.scalars(select(Player.email).where(Player.confirmed.is_not(None))).all() == [ADA]
