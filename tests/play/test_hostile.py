"""Hostile emails: nothing is played, and at most the right person is informed."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import func, select

from service.inbound.smtp import SIZE_LIMIT
from service.play.inbox.receive import receive
from service.store.models import Entry, Match
from service.store.tables.mail_rows import IncomingMail
from tests.cases import cases
from tests.mail.hostile import MAILS, MEGABYTE, MIXED
from tests.play.conftest import Town, parsed, plain

ADA, BEN, EVE = "ada@example.org", "ben@example.net", "eve@evil.example"


@pytest.fixture
def turns(town: Town) -> dict[str, EmailMessage]:
    """The emails of the two players of match 1, in which Ada is to move."""
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    town.reply(invitation, "accept")
    return {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}


def moves(town: Town) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(Entry)) or 0


def heard(town: Town) -> list[str]:
    """The recipients of emails since the last look."""
    return [mail["To"].addresses[0].addr_spec for mail in town.post()]


def send(town: Town, raw: bytes, to: EmailMessage) -> None:
    receive(town.site, raw, [to["Reply-To"].addresses[0].addr_spec], "smtp", "203.0.113.9")
    town.work()


@pytest.mark.parametrize("thief", [EVE, BEN])
def test_a_reply_with_somebody_elses_token_is_held_for_the_owner_of_the_seat(
    town: Town, turns: dict[str, EmailMessage], thief: str
) -> None:
    town.reply(turns[ADA], "g10", sender=thief)
    assert heard(town) == [ADA]
    assert moves(town) == 0


def test_a_reply_to_a_match_that_is_over_plays_nothing(town: Town, turns: dict[str, EmailMessage]) -> None:
    town.reply(turns[ADA], "resign")
    town.reply(town.post()[0], "yes")
    town.post()
    with town.store.reading() as session:
        assert session.get_one(Match, 1).state == "over"
    before = moves(town)
    for writer in (ADA, BEN):
        town.reply(turns[writer], "g10")
        (answer,) = town.post()
        assert answer["To"].addresses[0].addr_spec == writer
        assert "over" in plain(answer)
    assert moves(town) == before


def test_no_header_of_an_email_gets_into_our_answer(town: Town, turns: dict[str, EmailMessage]) -> None:
    forged = "=0D=0ABcc:_eve@evil.example=0D=0A=0D=0AHello"
    name = forged.replace(":", "=3A").replace("@", "=40")
    head = (
        f"From: =?utf-8?q?Ada{name}?= <{ADA}>\r\nSubject: =?utf-8?q?status{forged}?=\r\n"
        f"Message-ID: <forged@program.example>\rBcc: {EVE}\r\nIn-Reply-To: <x@y>\x0bBcc: {EVE}\r\n\r\n"
    )
    desk = f"play@{town.settings.mail_domain}"
    proven = f"Authentication-Results: mx.town.example; spf=pass smtp.mailfrom={ADA}\r\n{head}"
    receive(town.site, f"{proven}nonsense\u2028Bcc: {EVE}\r\n".encode(), [desk], "smtp")
    send(town, f"{head}nonsense\rBcc: {EVE}\r\n".encode(), turns[ADA])
    answers = town.post()
    assert [mail["To"].addresses[0].addr_spec for mail in answers] == [ADA, ADA]
    for answer in answers:
        again = parsed(answer.as_bytes())
        assert again["Bcc"] is None
        assert not again.defects
        assert all("\n" not in value and "\r" not in value for value in again.values())


def test_hostile_emails_play_nothing_and_reach_nobody_else(town: Town, turns: dict[str, EmailMessage]) -> None:
    """`tests/mail` shows that they're read in bounded time at full length."""
    for number, make in enumerate(MAILS.values()):
        raw = make()[: cases(MEGABYTE // 64, full=SIZE_LIMIT)]
        raw = raw.replace(b"ana@example.org", ADA.encode(), 1).replace(b"<1@", b"<harm-%d@" % number, 1)
        send(town, raw, turns[ADA])
        assert moves(town) == 0
        assert heard(town) in ([ADA], [])  # An email whose header never ends has no sender, so nobody is answered.
    town.reply(turns[ADA], "g10")
    assert moves(town) == 1


def test_an_address_that_a_database_cannot_store_is_cleaned(town: Town) -> None:
    receive(town.site, b"From: ada@example.org\r\n\r\ng10\r\n", ["g+\0x\udcff@Play.example"], "http")
    with town.store.reading() as session:
        mail = session.scalars(select(IncomingMail)).one()
    assert (mail.recipient, mail.verdict) == ("g+x@play.example", "unknown-address")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\n" * 9,
        b"g10",
        b"From: ada@example.org, eve@evil.example\r\n\r\ng10\r\n",
        b"From: ada@example.org\r\nFrom: eve@evil.example\r\n\r\ng10\r\n",
        b"From: ada@example.org\r\n" + MIXED + b"--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\ng10\r\n",
        b"From: ada@example.org\r\n" + MIXED + b"--c\r\n\r\ng10\r\n--c--\r\n",
        b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n<blockquote>g10",
        b"From: ada@example.org\r\nContent-Disposition: attachment\r\n\r\ng10\r\n",
    ],
)
def test_a_malformed_email_plays_nothing(town: Town, turns: dict[str, EmailMessage], raw: bytes) -> None:
    send(town, raw, turns[ADA])
    assert moves(town) == 0
    assert set(heard(town)) <= {ADA}
