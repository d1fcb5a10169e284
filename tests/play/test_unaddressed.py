"""Mail without an envelope: its headers show who it is for."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.config import Settings, SettingsError
from service.mail import reply_address
from service.mail.reply_address import ReplyAddress
from service.play.inbox.receive import receive_unaddressed
from service.play.site import Site
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town

ONE, TWO = (ReplyAddress(player, 1) for player in (1, 2))
SHARED = {"MAIL_ADDRESS": "stonepost@mail.example"}


def taken_for(town: Town, headers: str, settings: dict[str, str]) -> list[str]:
    """The recipients for which an email is stored; `{one}` and `{two}` in its headers are signed addresses."""
    given = {"STONEPOST_DATA": str(town.settings.data), "MAIL_DOMAIN": "play.example", **settings}
    chosen = Settings.from_environment(given)
    site = Site(chosen, town.store, lambda _task, _subject: None)
    names = {name: site.reply_address(back) for name, back in (("one", ONE), ("two", TWO))}
    raw = f"From: ada@example.org\r\nMessage-ID: <1@example.org>\r\n{headers.format(**names)}\r\n\r\nf12\r\n"
    receive_unaddressed(site, raw.encode(), "imap")
    with town.store.reading() as session:
        kept = session.scalars(select(IncomingMail.recipient).order_by(IncomingMail.id)).all()
    short = {full: name for name, full in names.items()}
    return [short.get(recipient, recipient) for recipient in kept]


@pytest.mark.parametrize(
    ("headers", "recipients"),
    [
        ("To: Stonepost <{one}>", ["one"]),
        ("To: ben@example.net, {one}\r\nCc: {two}", ["one", "two"]),
        ("To: {one}, {two}\r\nDelivered-To: {two}", ["two"]),
        ("Delivered-To: {one}\r\nDelivered-To: {two}\r\nTo: {two}", ["one"]),
        ("Delivered-To: box@provider.example\r\nX-Original-To: {one}\r\nTo: {two}", ["one"]),
        ("Delivered-To: box@provider.example\r\nTo: {two}", ["two"]),
        ("Delivered-To: play@play.example\r\nTo: {two}", ["two"]),
        ("To: play@play.example", ["play@play.example"]),
        ("To: ben@example.net\r\nDelivered-To: play@play.example", ["play@play.example"]),
        ("To: postmaster@play.example", ["postmaster@play.example"]),
        ("To: ben@example.net", []),
        ("To: play@elsewhere.example", []),
        ("To: g+aaaaaaaaaaaaaaaaaaaaaaaaaaaa@play.example", []),
        ("Subject: {one}", []),
    ],
)
def test_the_last_servers_header_counts_and_signed_addresses_come_first(
    town: Town, headers: str, recipients: list[str]
) -> None:
    assert taken_for(town, headers, {}) == recipients


@pytest.mark.parametrize(
    ("headers", "recipients"),
    [
        ("To: {one}\r\nDelivered-To: stonepost@mail.example", ["one"]),
        ("To: Stonepost@Mail.example", ["stonepost@mail.example"]),
        ("To: postmaster@mail.example\r\nDelivered-To: other@mail.example", []),
    ],
)
def test_one_mailbox_is_enough(town: Town, headers: str, recipients: list[str]) -> None:
    assert taken_for(town, headers, SHARED) == recipients


def test_other_addresses_in_the_domain_of_our_one_mailbox_are_people(town: Town) -> None:
    settings = Settings.from_environment({"STONEPOST_DATA": str(town.settings.data)} | SHARED)
    neighbour = Town(settings, town.store, now=town.now)
    for sender, answers in (("ada@mail.example", 1), ("stonepost@mail.example", 0), ("stonepost+x@mail.example", 0)):
        assert len(neighbour.write(sender, "games")) == answers


def test_signed_addresses_begin_with_the_name_of_our_mailbox(town: Town) -> None:
    settings = Settings.from_environment({"STONEPOST_DATA": str(town.settings.data)} | SHARED)
    signed = Site(settings, town.store, lambda _task, _subject: None).reply_address(ONE)
    assert signed.startswith("stonepost+")
    assert reply_address.read(settings.secret, signed) == ONE


@pytest.mark.parametrize(
    "setting",
    [
        {"IMAP_URL": "https://ada:hidden@imap.example/INBOX"},
        {"IMAP_URL": "imaps://imap.example/INBOX"},
        {"IMAP_URL": "imaps://ada:hidden@imap.example:port/INBOX"},
        {"IMAP_URL": "imaps://ada:hidden@"},
        {"MAIL_ADDRESS": "stonepost"},
        {"MAIL_ADDRESS": "@mail.example"},
        {"MAIL_ADDRESS": "our own mailbox@mail.example"},
        {"MAIL_ADDRESS": f"{'s' * 25}@mail.example"},
    ],
)
def test_invalid_settings_are_named_without_their_values(town: Town, setting: dict[str, str]) -> None:
    (name,) = setting
    with pytest.raises(SettingsError, match=f"^{name} must be like") as told:
        Settings.from_environment({"STONEPOST_DATA": str(town.settings.data)} | setting)
    assert "hidden" not in str(told.value)
