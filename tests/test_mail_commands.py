"""`stonepost mail …`: what an operator and a mail server run."""

from __future__ import annotations

import io
import stat
import sys
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.cli import main
from service.inbound.smtp import SIZE_LIMIT
from service.play.inbox import receive
from service.store.models import Player
from service.store.tables.mail_rows import IncomingMail, Letter
from tests.play.conftest import Town, town

__all__ = ["town"]


@pytest.fixture(autouse=True)
def _environment(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    monkeypatch.setenv("MAIL_DOMAIN", "play.example")


def test_a_key_is_made_once_and_the_records_are_printed(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mail", "dkim-key"]) == 0
    records = capsys.readouterr().out
    key = town.settings.data / "dkim.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert 'stonepost._domainkey.play.example. TXT "v=DKIM1; k=rsa; p=' in records
    assert 'play.example. TXT "v=spf1 mx -all"' in records
    assert '_dmarc.play.example. TXT "v=DMARC1; p=quarantine' in records
    assert all(len(string) <= 255 for line in records.splitlines() for string in line.split('"')[1::2])
    made = key.read_bytes()
    assert main(["mail", "dkim-key"]) == 0
    assert capsys.readouterr().out == records
    assert key.read_bytes() == made


def test_the_records_of_a_domain_with_other_mail_are_left_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second SPF record would invalidate the first, and `mx -all` disown the mail of the domain's other senders."""
    monkeypatch.setenv("MAIL_ADDRESS", "stonepost@example.org")
    assert main(["mail", "dkim-key"]) == 0
    records = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(";")]
    assert [line.split()[0] for line in records] == ["stonepost._domainkey.example.org."]


def test_no_record_is_printed_for_a_key_of_another_kind(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    key = town.settings.data / "dkim.pem"
    ed25519_key = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for content in (ed25519_key, b"garbage" * 99):
        key.write_bytes(content)
        assert main(["mail", "dkim-key"]) == 2
        told = f"stonepost: {key} has no RSA key without a password: put it back, or delete it.\n"
        assert capsys.readouterr() == ("", told)
        assert key.read_bytes() == content


def test_a_mail_server_may_hand_a_message_to_a_command(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    message = b"From: ada@example.org\nMessage-ID: <1@example.org>\n\nstatus\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(message)))
    assert main(["mail", "pipe", "play@play.example"]) == 0
    with town.store.reading() as session:
        mail = session.get_one(IncomingMail, 1)
        assert (mail.verdict, mail.door, mail.recipient) == ("held", "pipe", "play@play.example")


def test_letters_that_were_given_up_are_listed_and_sent_again(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    when = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with town.store.writing() as session:
        session.add(Player(name="Ada", email="ada@example.org", created=when))
        session.flush()
        for key, error in (("a", "550 no"), ("b", "")):
            session.add(Letter(key=key, kind="sign_in", player_id=1, data={}, created=when, attempts=3, error=error))
    line = "1\tsign_in\ta*** at example.org\t2026-11-21 12:00\t3\t550 no\n"
    assert main(["mail", "stuck", "--again", "2"]) == 0
    assert capsys.readouterr().out == f"{line}Letters to be tried again: 0\n"
    assert main(["mail", "stuck", "--again"]) == 0
    assert capsys.readouterr().out == f"{line}Letters to be tried again: 1\n"
    with town.store.reading() as session:
        assert session.get_one(Letter, 1).due is not None
        assert session.get_one(Letter, 2).due is None


def test_a_letter_that_was_given_up_is_dropped(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    when = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with town.store.writing() as session:
        session.add(Player(name="Ada", email="ada@example.org", created=when))
        session.flush()
        session.add(Letter(key="a", kind="sign_in", player_id=1, data={}, created=when, attempts=3, error="550 no"))
    assert main(["mail", "stuck", "--drop", "1", "7"]) == 0
    assert capsys.readouterr().out.endswith("\nLetters dropped: 1\n")
    assert main(["mail", "stuck"]) == 0
    assert capsys.readouterr().out == ""


def test_letters_are_listed_only_once_the_tables_are_up_to_date(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{town.settings.data}/empty.db")
    assert main(["mail", "stuck"]) == 2
    assert capsys.readouterr().err == "stonepost: The tables aren't up to date. Run: stonepost migrate\n"


def test_a_message_that_cannot_be_stored_is_left_with_the_mail_server(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = b"From: ada@example.org\nMessage-ID: <1@example.org>\n\nstatus\n"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{town.settings.data}/nowhere/club.db")
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(message)))
        assert main(["mail", "pipe", "play@play.example"]) == 75, "EX_TEMPFAIL"
        told = "stonepost: The message couldn't be stored (OperationalError). Try again later.\n"
        assert capsys.readouterr().err == told
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(message)))
    assert main(["mail", "pipe", "play@play.example"]) == 0


def test_a_message_is_left_with_the_mail_server_whatever_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mail server sends the message back after exit code 1, with which Python reports an error."""

    def fail(*_about: object) -> None:
        raise RuntimeError("our mistake")

    monkeypatch.setattr(receive, "receive", fail)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"From: ada@example.org\n\nstatus\n")))
    assert main(["mail", "pipe", "play@play.example"]) == 75, "EX_TEMPFAIL"
    assert "couldn't be stored (RuntimeError)" in capsys.readouterr().err


def test_a_message_that_no_other_door_accepts_for_its_size_is_sent_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * (SIZE_LIMIT + 1))))
    assert main(["mail", "pipe", "play@play.example"]) == 65, "EX_DATAERR"
    assert capsys.readouterr().err == "stonepost: A message may have at most 10000000 bytes.\n"


def test_a_message_is_left_with_the_mail_server_while_a_setting_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"From: ada@example.org\n\nstatus\n")))
    monkeypatch.setenv("SWEEP_SECONDS", "often")
    assert main(["mail", "pipe", "play@play.example"]) == 75, "EX_TEMPFAIL"
    assert capsys.readouterr().err.startswith("stonepost: SWEEP_SECONDS must be a number")
    monkeypatch.delenv("SWEEP_SECONDS")
    monkeypatch.setenv("STONEPOST_DATA", "/dev/null/data")
    assert main(["mail", "pipe", "play@play.example"]) == 75, "EX_TEMPFAIL"


@pytest.mark.parametrize(
    "command",
    [
        ["annul"],
        ["export"],
        ["gtp", "gnugo", "--match"],
        ["operator", "confirm"],
        ["mail", "stuck", "--drop"],
        ["mail", "stuck", "--again"],
    ],
)
def test_a_number_that_no_row_can_have_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for number, told in ((2**31, "must be at most 2147483647, not 2147483648.\n"), ("9" * 20, "digits, not 20.\n")):
        with pytest.raises(SystemExit, match="2"):
            main([*command, f"{number}"])
        assert capsys.readouterr().err.endswith(told)
