"""Whose orders count: an email whose sender isn't proven is held until the person it names confirms it."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from sqlalchemy import func, select

from service.config import ROOT, Settings, SettingsError
from service.mail.grammar.orders import parse
from service.play.accounts import deletion
from service.play.inbox import unverified
from service.play.inbox.receive import ENOUGH, receive, why_unknown
from service.play.inbox.unverified import ConfirmError
from service.play.notify.preferences import QUESTIONS
from service.play.orders.submit import Incoming, submit
from service.store.models import Entry, Match, Player, Submission
from service.store.tables.mail_rows import IncomingMail, Letter
from tests.play.conftest import Town, plain, whole

ADA, BEN = "ada@example.org", "ben@example.net"
MAILS = sorted((ROOT / "tests" / "data" / "mail").glob("*.eml"))
KEY = rsa.generate_private_key(65537, 1024)
PRIVATE = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)
PUBLIC = base64.b64encode(
    KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
).decode()


@pytest.fixture
def turn(town: Town) -> EmailMessage:
    """Ada's turn email on a site that by now verifies its mail."""
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    town.reply(invitation, "accept")
    town.settings = replace(town.settings, mail_trust="verified")
    return next(mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA)


def entries(town: Town) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(Entry)) or 0


def token(mail: EmailMessage) -> str:
    found = re.search(r"/mail/confirm/(\S+)", whole(mail))
    assert found is not None
    return found[1]


def test_an_unproven_order_is_not_played_until_it_is_confirmed(town: Town, turn: EmailMessage) -> None:
    sent = town.now
    town.reply(turn, "g10\nGood luck")
    assert entries(town) == 0
    (question,) = town.post()
    assert question["To"].addresses[0].addr_spec == ADA
    assert question["Subject"] == "Did you send this? g10"
    assert "g10\nGood luck" in plain(question)
    town.now += timedelta(hours=5)
    held = unverified.held(town.site, token(question))
    assert held is not None
    assert held.sender == ADA
    unverified.confirm(town.site, token(question))
    town.work()
    with town.store.reading() as session:
        entry = session.scalars(select(Entry)).one()
        assert (entry.move, entry.remark, entry.played) == ("g10", "Good luck", sent)
    unverified.confirm(town.site, token(question))
    assert entries(town) == 1
    assert unverified.held(town.site, token(question)) is None


def test_an_answer_confirmed_late_isnt_about_an_offer_made_after_it(town: Town, turn: EmailMessage) -> None:
    match, ben = 1, 2
    with town.store.reading() as session:
        assert [one.player_id for one in session.get_one(Match, match).seats] == [1, ben]

    def asks(text: str) -> None:
        key = f"web:{town.now}:{text}"
        submit(town.site, Incoming(key, match, 1, ben, None, parse(text), "web"))
        town.work()

    asks("pause 3d")
    (asked,) = town.post()
    town.reply(asked, "accept")
    (question,) = town.post()
    asks("withdraw")
    town.now += timedelta(days=1)
    asks("pause 60d")
    town.post()
    unverified.confirm(town.site, token(question))
    town.work()
    (refusal,) = town.post()
    assert "That was about an earlier offer." in plain(refusal)
    with town.store.reading() as session:
        assert session.get_one(Match, match).paused is None


def test_a_reply_confirmed_among_several_counts_from_its_confirmation(town: Town, turn: EmailMessage) -> None:
    questions = []
    for move in ("g10", "g9"):
        town.reply(turn, move)
        questions += town.post()
    town.now += timedelta(days=2)
    pressed = town.now
    unverified.confirm(town.site, token(questions[0]))
    town.work()
    with town.store.reading() as session:
        entry = session.scalars(select(Entry)).one()
        assert (entry.move, entry.played) == ("g10", pressed)


def test_held_commands_count_from_their_confirmation(town: Town, turn: EmailMessage) -> None:
    (question,) = town.write(ADA, "match 1\ng10", proven=False)
    town.now += timedelta(days=2)
    pressed = town.now
    unverified.confirm(town.site, token(question))
    town.work()
    with town.store.reading() as session:
        entry = session.scalars(select(Entry)).one()
        assert (entry.move, entry.played) == ("g10", pressed)


def test_a_reply_with_a_stolen_token_is_held_for_the_owner_of_the_seat(town: Town, turn: EmailMessage) -> None:
    town.settings = replace(town.settings, mail_trust="token")
    town.reply(turn, "resign", sender="mallory@evil.example")
    (question,) = town.post()
    assert question["To"].addresses[0].addr_spec == ADA
    assert "mallory@evil.example" in plain(question)
    assert entries(town) == 0


def test_a_signed_order_is_played_at_once(town: Town, turn: EmailMessage) -> None:
    town.zone["s._domainkey.example.org TXT"] = [f"v=DKIM1; k=rsa; p={PUBLIC}"]
    raw, recipients = town.written(turn, "g10")
    receive(town.site, signed(raw), recipients, "smtp", "198.51.100.7")
    town.work()
    assert entries(town) == 1


def signed(raw: bytes) -> bytes:
    """The email with the DKIM signature of Ada's provider."""
    header: bytes = dkim.sign(raw, b"s", b"example.org", PRIVATE)
    return header + raw


def test_a_signed_email_that_is_replayed_plays_nothing(town: Town, turn: EmailMessage) -> None:
    """Neither to another address, such as that of another match, nor much later, nor with another Message-ID."""
    town.zone["s._domainkey.example.org TXT"] = [f"v=DKIM1; k=rsa; p={PUBLIC}"]
    raw, (recipient,) = town.written(turn, "g10")
    mail = signed(raw.replace(recipient.encode(), b"bo@example.net"))
    receive(town.site, mail, [recipient], "smtp", "198.51.100.7")
    old = signed(raw.replace(b"Date: ", b"Date: Mon, 02 Nov 2020 12:00:00 +0000\r\nX-Date: "))
    receive(town.site, re.sub(rb"(?m)^Message-ID: .*$", b"Message-ID: <fresh@x>\r", old), [recipient], "smtp")
    receive(town.site, old.replace(b"@program.example", b"-2@program.example"), [recipient], "smtp")
    receive(town.site, old, [recipient], "smtp")
    town.work()
    assert entries(town) == 0
    assert {mail["Subject"] for mail in town.post()} == {"Did you send this? g10"}


@pytest.mark.parametrize("length", [20, 200])
def test_copies_of_an_email_have_the_same_key_however_long_its_addresses(town: Town, length: int) -> None:
    raw = f"From: ada@example.org\r\nMessage-ID: <{'x' * 200}@example.org>\r\n\r\ngames\r\n".encode()
    for _ in range(2):
        receive(town.site, raw, [f"{'a' * length}@play.example"], "smtp")
    with town.store.reading() as session:
        (key,) = session.scalars(select(IncomingMail.key))
    assert len(key) <= 400, "as many as its column holds"


def test_another_email_with_the_same_message_id_is_not_a_copy(town: Town, turn: EmailMessage) -> None:
    """It's held, and not dropped as a copy, since a signature may not cover the whole email."""
    town.settings = replace(town.settings, mail_trust="token")
    town.reply(turn, "g99", message_id="<same@program.example>")
    assert "g99" in plain(town.post()[0])
    town.reply(turn, "g99", message_id="<same@program.example>")
    assert town.post() == []
    for _ in range(2):
        town.reply(turn, "g10", message_id="<same@program.example>")
    assert entries(town) == 0
    (question,) = town.post()
    assert question["Subject"] == "Did you send this? g10"
    words = plain(question).replace("\n", " ")
    assert "We received two emails with the same Message-ID that say different things." in words
    assert "Nothing proves" not in words
    held = unverified.held(town.site, token(question))
    assert held is not None
    assert held.changed
    unverified.confirm(town.site, token(question))
    town.work()
    assert entries(town) == 1


def test_an_email_to_two_of_our_addresses_that_changes_under_one_message_id_isnt_lost(
    town: Town, turn: EmailMessage
) -> None:
    town.settings = replace(town.settings, mail_trust="token")
    both = f"{turn['Reply-To'].addresses[0].addr_spec}, {town.settings.desk}"
    for number, words in enumerate(("games", "games", "status")):
        raw, to = town.written(turn, words, message_id="<same@program.example>")
        raw = raw.replace(
            b"To: ", f"Authentication-Results: mx.town.example; spf=pass smtp.mailfrom={ADA}\r\nTo: ".encode(), 1
        )
        raw = re.sub(rb"\r\nTo: [^\r]*\r\n( [^\r]*\r\n)*", f"\r\nTo: {both}\r\n".encode(), raw)
        receive(town.site, raw, to if number != 1 else [town.settings.desk], "lmtp")
        town.work()
    with town.store.reading() as session:
        verdicts = session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()[-3:]
    assert verdicts == ["obeyed", "repeated", "held"]


def test_an_order_with_a_copy_to_the_desk_is_judged_once(town: Town, turn: EmailMessage) -> None:
    town.settings = replace(town.settings, mail_trust="token")
    raw, (reply,) = town.written(turn, "g10")
    proof = f"Authentication-Results: mx.town.example; spf=pass smtp.mailfrom={ADA}\r\n".encode()
    raw = proof + raw.replace(b"\r\nSubject:", f"\r\nCc: {town.settings.desk}\r\nSubject:".encode(), 1)
    receive(town.site, raw, [town.settings.desk, reply], "smtp")
    town.work()
    with town.store.reading() as session:
        verdicts = session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()[-2:]
    assert verdicts == ["order", "repeated"]
    assert entries(town) == 1
    assert [mail["To"].addresses[0].addr_spec for mail in town.post()] == [BEN]


def test_the_desk_obeys_no_unproven_email_even_if_mail_stays_on_the_machine(town: Town) -> None:
    """Anybody can write somebody else's address into From."""
    (question,) = town.write(ADA, f"new rosette base=5 vs {BEN}", proven=False)
    assert question["To"].addresses[0].addr_spec == ADA
    assert question["Subject"] == "Did you write to Stonepost?"
    unverified.confirm(town.site, token(question))
    town.work()
    assert {mail["To"].addresses[0].addr_spec for mail in town.post()} == {ADA, BEN}


def test_a_person_who_got_a_forwarded_turn_email_cannot_move_with_it(town: Town, turn: EmailMessage) -> None:
    """They have its reply address, and write the player's address into From."""
    town.reply(turn, "g10")
    assert entries(town) == 0
    assert [mail["To"].addresses[0].addr_spec for mail in town.post()] == [ADA]


def test_the_verdict_of_our_own_mail_server_is_enough(town: Town, turn: EmailMessage) -> None:
    town.settings = replace(town.settings, trusted_authserv_id="mx.play.example")
    raw, recipients = town.written(turn, "g10")
    told = b"Authentication-Results: mx.play.example; dmarc=pass header.from=example.org\r\n"
    receive(town.site, told + raw, recipients, "smtp", "8.8.8.8")
    town.work()
    assert entries(town) == 0
    raw, recipients = town.written(turn, "g10")
    receive(town.site, told + raw, recipients, "lmtp", "127.0.0.1")
    town.work()
    assert entries(town) == 1


@pytest.mark.parametrize(
    ("damage", "why"), [("old", "has expired"), ("cut", "is incomplete"), ("gone", "no longer have this email")]
)
def test_an_invalid_link_is_refused_with_the_reason(town: Town, turn: EmailMessage, damage: str, why: str) -> None:
    town.reply(turn, "g10")
    known = token(town.post()[0])
    if damage == "old":
        town.now += timedelta(days=4)
    if damage == "gone":
        with town.store.writing() as session:
            session.delete(session.scalars(select(IncomingMail).where(IncomingMail.verdict == "held")).one())
    with pytest.raises(ConfirmError, match=why):
        unverified.confirm(town.site, known[:-3] if damage == "cut" else known)
    assert entries(town) == 0


def test_unproven_commands_of_a_known_player_are_held(town: Town, turn: EmailMessage) -> None:
    (question,) = town.write(ADA, "status", proven=False)
    assert question["Subject"] == "Did you send this? status"
    unverified.confirm(town.site, token(question))
    town.work()
    assert "Rosette 1 with Player 2: your move, 6 days" in plain(town.post()[0])


def test_a_held_email_to_two_of_our_addresses_is_asked_about_and_obeyed_once(town: Town, turn: EmailMessage) -> None:
    raw, (reply,) = town.written(turn, "new rosette vs open\nhelp")
    raw = raw.replace(b"\r\nSubject:", f"\r\nCc: {town.settings.desk}\r\nSubject:".encode(), 1)
    for recipients in ([reply, town.settings.desk], [town.settings.desk], [reply]):
        receive(town.site, raw, recipients, "smtp")
        town.work()
    (question,) = town.post()
    unverified.confirm(town.site, token(question))
    town.work()
    with town.store.reading() as session:
        assert session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()[-2:] == [
            "obeyed",
            "repeated",
        ]
        assert session.scalar(select(func.count()).select_from(Match)) == 2


def test_automatic_emails_are_recorded_and_never_answered(town: Town, turn: EmailMessage) -> None:
    town.settings = replace(town.settings, mail_trust="token")
    found = [path.read_bytes() for path in MAILS if json.loads(path.with_suffix(".json").read_text())["automatic"]]
    assert len(found) > 20
    for raw in found:
        receive(town.site, raw, [str(turn["Reply-To"].addresses[0].addr_spec), town.settings.desk], "lmtp")
    town.work()
    assert town.post() == []
    with town.store.reading() as session:
        verdicts = session.scalars(select(IncomingMail.verdict)).all()[2:]
        assert verdicts == ["automatic"] * 2 * len(found)
        assert session.scalar(select(func.count()).select_from(Player)) == 2


def test_only_the_beginning_of_an_automatic_email_is_kept(town: Town, turn: EmailMessage) -> None:
    """Anybody can send many of any length."""
    head = f"From: {ADA}\r\nAuto-Submitted: auto-replied\r\n\r\n".encode()
    for recipient in (town.settings.desk, f"abuse@{town.settings.mail_domain}"):
        receive(town.site, head + b"x" * 1_000_000, [recipient], "smtp")
    with town.store.reading() as session:
        kept = session.scalars(select(IncomingMail).where(IncomingMail.verdict == "automatic")).all()
        assert [(mail.raw[: len(head)], len(mail.raw)) for mail in kept] == [(head, ENOUGH)] * 2


def test_answers_a_day_are_limited_so_that_two_machines_dont_write_forever(town: Town, turn: EmailMessage) -> None:
    town.settings = replace(town.settings, mail_trust="token", answers_per_day=3)
    for _ in range(5):
        town.reply(turn, "nonsense")
    assert len(town.post()) == 2
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).where(Submission.verdict == "refused")) == 5
    town.now += timedelta(days=2)
    town.reply(turn, "nonsense")
    assert len(town.post()) == 1


def test_a_stranger_can_cause_a_limited_number_of_questions_to_a_player(town: Town, turn: EmailMessage) -> None:
    for _ in range(QUESTIONS + 5):
        town.write(ADA, "status", proven=False)
    with town.store.reading() as session:
        questions = select(Letter).where(Letter.kind == "confirm")
        sent = [letter.sent is not None for letter in session.scalars(questions.order_by(Letter.id))]
    assert sent[: QUESTIONS - 1] == [True] * (QUESTIONS - 1)
    assert sent[QUESTIONS:] == [False] * 5


def test_a_player_asked_about_many_forgeries_is_still_asked_about_a_reply(town: Town, turn: EmailMessage) -> None:
    for _ in range(QUESTIONS + 5):
        town.write(ADA, "status", proven=False)
    town.reply(turn, "e9")
    (question,) = town.post()
    assert "e9" in plain(question)


def test_a_player_with_many_answers_today_is_still_asked_about_an_unproven_email(
    town: Town, turn: EmailMessage
) -> None:
    with town.store.writing() as session:
        ada = session.scalars(select(Player).where(Player.email == ADA)).one()
        told = {"kind": "answer", "player_id": ada.id, "data": {}, "created": town.now, "sent": town.now}
        session.add_all(Letter(key=f"told:{number}", **told) for number in range(QUESTIONS))
    (question,) = town.write(ADA, "status", proven=False)
    assert question["Subject"].startswith("Did you send this?")


def test_the_safe_setting_is_the_default_if_mail_leaves_the_machine() -> None:
    told = {"SMTP_URL": "smtp://mail.example", "PUBLIC_URL": "https://play.example", "MAIL_DOMAIN": "play.example"}

    def trust(**given: str) -> str:
        return Settings.from_environment({"STONEPOST_SECRET": "x" * 40, "STONEPOST_DATA": "/tmp", **given}).mail_trust

    assert trust() == "token"
    assert trust(STONEPOST_MODE="production", **told) == "verified"
    assert trust(SMTP_URL="smtp://relay.example") == "verified"
    assert trust(MAIL_TRUST="token", SMTP_URL="smtp://127.0.0.1:2600") == "token"
    for leaves in (
        {"STONEPOST_MODE": "production", **told, "SMTP_URL": "smtp://localhost"},
        {"SMTP_URL": "smtp://relay.example"},
        {"IMAP_URL": "imaps://a:b@imap.example/INBOX"},
    ):
        with pytest.raises(SettingsError, match="MAIL_TRUST=token is refused where mail leaves this machine"):
            trust(MAIL_TRUST="token", **leaves)
    with pytest.raises(SettingsError, match="verified or token"):
        trust(MAIL_TRUST="yes")


def test_a_link_of_a_deleted_account_confirms_nothing(town: Town, turn: EmailMessage) -> None:
    town.reply(turn, "g10")
    known = token(town.post()[0])
    with town.store.reading() as session:
        ada = session.scalars(select(Player.id).where(Player.email == ADA)).one()
    deletion.leave(town.site, ada)
    town.work()
    before = entries(town)
    with pytest.raises(ConfirmError, match="We no longer have this email"):
        unverified.confirm(town.site, known)
    town.work()
    assert entries(town) == before


def test_mail_for_an_address_that_we_never_gave_out_is_refused_with_what_to_do(town: Town, turn: EmailMessage) -> None:
    signed = turn["Reply-To"].addresses[0].addr_spec
    domain = town.settings.mail_domain
    for good in (signed, town.settings.desk, f"postmaster@{domain}"):
        assert why_unknown(town.site, good) == ""
    for wrong in (signed.replace("g+", "g+A"), f"ada@{domain}"):
        assert why_unknown(town.site, wrong) == (
            "No such address here; reply to an email you got from us, without changing the address it goes to"
        )


@pytest.mark.parametrize("proven", [True, False])
def test_a_sender_whose_address_is_too_long_to_be_kept_is_nobody(town: Town, proven: bool) -> None:
    sender = f"ada@{'.'.join(['a' * 60] * 3)}.example.org"
    head = f"From: {sender}\nTo: {town.settings.desk}\nMessage-ID: <1@program.example>\n"
    if proven:
        head = f"Authentication-Results: {town.settings.trusted_authserv_id}; spf=pass smtp.mailfrom={sender}\n{head}"
    receive(town.site, f"{head}\nstatus\n".encode(), [town.settings.desk], "smtp")
    town.work()
    assert town.post() == []
    with town.store.reading() as session:
        assert session.scalars(select(IncomingMail.verdict)).all() == ["unverified"]
        assert session.scalars(select(Player)).all() == []
