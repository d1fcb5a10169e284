"""Reports of mail servers about our mail."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.mail.parsing import delivery_report
from service.mail.parsing.delivery_report import Report

CORPUS = Path(__file__).parents[2] / "data" / "mail"


def report(kind: str, fields: str, report_type: str = "delivery-status") -> bytes:
    return (
        f"From: MAILER-DAEMON@mx.example\nContent-Type: multipart/report; report-type={report_type}; boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\nSorry.\n--b\nContent-Type: message/{kind}\n\n{fields}\n"
        "--b\nContent-Type: message/rfc822\n\nSubject: Rosette 12\n\nStatus: 5.1.1\n--b--\n"
    ).encode()


@pytest.mark.parametrize("name", ["postfix", "gmail", "exchange"])
def test_the_reports_of_real_servers_are_read(name: str) -> None:
    found = delivery_report.read((CORPUS / f"bounce-{name}.eml").read_bytes())
    assert found is not None
    assert found.kind == "failed"


@pytest.mark.parametrize(
    ("fields", "kind", "why"),
    [
        (
            "Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 No\n such user",
            "failed",
            "550 No such user",
        ),
        ("Action: failed\nStatus: 5.0.0", "failed", "5.0.0"),
        ("ACTION: Failed\nSTATUS: 5.4.4 (host unknown)", "failed", "5.4.4 (host unknown)"),
        ("Action: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; mailbox full", "delayed", "mailbox full"),
        ("Action: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 550 5.7.1 spam", "delayed", "550 5.7.1 spam"),
        # Exim's status is always 5.0.0.
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 5.7.1 no", "delayed", "550 5.7.1 no"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 552 5.2.2 full", "delayed", "552 5.2.2 full"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 spam", "delayed", "550 spam"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 no user", "failed", "554 no user"),
        ("Action: failed (no such user)\nStatus: 5.1.1", "failed", "5.1.1"),
        ("Action: delayed\nStatus: 4.4.1", "delayed", "4.4.1"),
        ("Action: relayed\nStatus: 2.0.0", "delayed", "2.0.0"),
        ("Action: failed", "delayed", ""),
        ("", "delayed", ""),
    ],
)
def test_only_a_permanent_failure_counts_against_an_address(fields: str, kind: str, why: str) -> None:
    found = delivery_report.read(report("delivery-status", fields))
    assert found is not None
    assert (found.kind, found.why) == (kind, why)


def test_a_complaint_is_read() -> None:
    raw = report("feedback-report", "Feedback-Type: abuse\nVersion: 1", "feedback-report")
    assert delivery_report.read(raw) == Report("complaint", "abuse")


@pytest.mark.parametrize("kind", ["not-spam", "Not-Spam", "auth-failure"])
def test_a_report_that_an_email_isnt_spam_or_failed_a_check_is_no_complaint(kind: str) -> None:
    """By RFC 6430 a reader has taken it out of the spam; by RFC 6591 a server couldn't tell who sent it."""
    raw = report("feedback-report", f"Feedback-Type: {kind}\nVersion: 1", "feedback-report")
    assert delivery_report.read(raw) is None


def test_twenty_thousand_bytes_of_its_fields_are_read() -> None:
    before, field = "Version: ", "\nFeedback-Type: abuse"
    before += "1" * (20_000 - len(before) - len(field))
    for said, why in ((before + field, "abuse"), (before + "1" + field, "abus")):
        assert delivery_report.read(report("feedback-report", said, "feedback-report")) == Report("complaint", why)


@pytest.mark.parametrize("raw", [b"", b"Subject: hi\n\nAction: failed\nStatus: 5.1.1\n", b"\xff" * 100])
def test_other_emails_are_not_reports(raw: bytes) -> None:
    assert delivery_report.read(raw) is None


@pytest.mark.parametrize("sender", ["", "=?utf-8?q?=ff?=", "\udcff@mx.example"])
def test_a_report_on_which_the_library_fails_leaves_nothing_in_the_log(
    sender: str, caplog: pytest.LogCaptureFixture
) -> None:
    raw = f"From: {sender}\nSubject: Failure\n\nSorry.\n".encode(errors="surrogateescape")
    assert delivery_report.read(raw) is None
    assert caplog.records == []


@pytest.mark.parametrize(
    ("answer", "for_good"),
    [
        ("550 5.1.1 no such user", True),
        ("550 no such user", True),
        ("553 mailbox name not allowed", True),
        ("550 5.7.1 we do not like you", False),
        ("552 5.2.2 over quota", False),
        ("554 spam", False),
        ("550 5.1.8 Sender address rejected: Domain not found", False),
        ("553 5.1.7 bad sender's address", False),
        ("550 5.6.0 malformed contents", False),
        ("450 4.2.0 greylisted", False),
        ("550 5.188.62.10 is on a blacklist", False),
        ("550 2.57.12.4 has no such user", True),
        ("550 blocked as spam", False),
        ("550 mailbox full", False),
        ("550 relay not permitted", False),
        ("550 Relaying denied", False),
        ("550-Verification failed for <g@x.example>\n550 Sender verify failed", False),
        ("550 authentication required", False),
        ("550 rejected because 192.0.2.1 is in a black list at bl.example", False),
        ("550 User unknown in relay recipient table", True),
    ],
)
def test_which_answers_to_rcpt_are_permanent(answer: str, for_good: bool) -> None:
    assert delivery_report.is_for_good(answer) is for_good


def qmail(reason: str) -> bytes:
    return (
        "From: MAILER-DAEMON@mx.example\nSubject: failure notice\n\n"
        "Hi. This is the qmail-send program at mx.example.\n"
        "I'm afraid I wasn't able to deliver your message to the following addresses.\n"
        "This is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        f"<ada@example.org>:\n{reason}\n\n"
        "--- Below this line is a copy of the message.\n\nReturn-Path: <g+x@play.example>\n"
    ).encode()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("Sorry, no mailbox here by that name. (#5.1.1)", "failed"),
        ("192.0.2.1 does not like recipient.\nRemote host said: 550 No such user", "failed"),
        ("Mailbox full. (#5.2.2)", "delayed"),
        ("The user is over quota.", "delayed"),
        ("192.0.2.1 failed after I sent the message.\nRemote host said: 554 looks like spam", "delayed"),
    ],
)
def test_a_report_in_a_servers_own_form_is_read(reason: str, kind: str) -> None:
    found = delivery_report.read(qmail(reason))
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("subject", ["Out of office: until Monday", "Re: Rosette 12"])
def test_emails_from_people_and_their_programs_are_not_reports(subject: str) -> None:
    raw = f"From: ada@example.org\nSubject: {subject}\n\nI am away. Write to ben@example.org.\n"
    assert delivery_report.read(raw.encode()) is None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", "failed"),
        ("550 5.1.1 <ada@example.org>... User Unknown", "failed"),
        ("550 No such person", "failed"),
        ("550-5.7.26 Unauthenticated email is not accepted", "delayed"),
        ("552 5.2.2 The mailbox is full", "delayed"),
        ("421 mx.example (smtp)... Deferred: Connection timed out", "delayed"),
    ],
)
def test_a_report_in_words_is_read_by_the_reply_it_quotes(answer: str, kind: str) -> None:
    """Such as those of DragonFly's and Yahoo's servers, and of Exchange where its status part was cut off."""
    words = f"Your message couldn't be delivered to ada@example.org.\n\nRemote server returned '{answer}'\n"
    copy = "Received: from mx.example (mx.example [192.0.2.1])\nSubject: 550 5.1.1 years\n"
    raw = f"From: <MAILER-DAEMON@mx.example>\nSubject: Sorry\n\n{words}\n{copy}".encode()
    assert delivery_report.read(raw) == Report(kind, f"{answer}'")  # type: ignore[arg-type]


def test_a_report_whose_fields_are_in_a_text_is_read() -> None:
    """As Amazon WorkMail writes it."""
    fields = "Reporting-MTA: dns; mx.example\nAction: failed\nDiagnostic-Code: smtp; 550 5.1.1 User Unknown\n"
    raw = f"From: MAILER-DAEMON@mx.example\nSubject: Sorry\n\nTechnical report:\n\n{fields}".encode()
    assert delivery_report.read(raw) == Report("failed", "550 5.1.1 User Unknown")


@pytest.mark.parametrize(
    "raw",
    [
        "From: ada@example.org\nSubject: Hello\n\nThe server said: 550 5.1.1 no such user\n",
        "From: MAILER-DAEMON@mx.example\nSubject: Hello\n\nSorry.\n\nReceived: from mx\n\n550 5.1.1 years\n",
        "From: postmaster@mx.example\nSubject: Rent\n\nWe owe you 4500 euros and 550 dollars since 1998-05-01.\n",
    ],
)
def test_words_of_others_or_in_the_copy_are_not_a_report(raw: str) -> None:
    assert delivery_report.read(raw.encode()) is None


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("host mx.example said: 550 5.1.1 No such user", Report("failed", "550 5.1.1 No such user")),
        ("host mx.example said: 452 4.2.2 Mailbox full", Report("delayed", "452 4.2.2 Mailbox full")),
        ("Your message was displayed.", None),
    ],
)
def test_a_report_without_fields_is_read_by_its_words(said: str, found: Report | None) -> None:
    """Such as a receipt that an email was read (RFC 8098), which says nothing against the address."""
    raw = (
        "From: MAILER-DAEMON@mx.example\nContent-Type: multipart/report; report-type=disposition-notification; "
        f"boundary=b\n\n--b\nContent-Type: text/plain\n\n{said}\n--b\nContent-Type: "
        "message/disposition-notification\n\nDisposition: manual-action/MDN-sent-manually; displayed\n--b--\n"
    )
    assert delivery_report.read(raw.encode()) == found
