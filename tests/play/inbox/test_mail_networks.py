"""A player confirms once which network their emails come from, and can then play by email alone."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.mail.senders import sending_network
from service.play.accounts import identity, recovery
from service.play.inbox import mail_networks, unverified
from service.play.inbox.receive import receive
from service.store.models import Player
from service.store.tables.credentials import MailNetwork
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town
from tests.play.test_trust import ADA, entries, token
from tests.play.test_trust import turn as turn

MX = "mx.town.example"


def came(server: str = MX, host: str = "8.8.4.4", helo: str = "mail.example.org") -> str:
    return f"from {helo} (mail.example.org [{host}]) by {server} (Postfix) with ESMTPS id 4XyZ; Sat, 21 Nov 2026"


def bring(town: Town, turn: EmailMessage, text: str, host: str = "8.8.4.4", sender: str = "") -> None:
    """Delivers a reply as the mail server in front hands it to us."""
    raw, recipients = town.written(turn, text, sender)
    receive(town.site, f"Received: {came(host=host)}\r\n".encode() + raw, recipients, "lmtp", "127.0.0.1")
    town.work()


def confirmed(town: Town, turn: EmailMessage) -> None:
    bring(town, turn, "say Hello")
    (question,) = town.post()
    unverified.confirm(town.site, token(question), with_network=True)
    town.work()
    town.post()


@pytest.mark.parametrize(
    ("received", "network"),
    [
        (came(), "8.8.4.0/24"),
        (came(host="IPv6:2a00:1450:4001:831::1"), "2a00:1450:4001:831::/64"),
        (came(helo="[8.8.4.4]"), "8.8.4.0/24"),
        (f"from mail.example.org ([8.8.4.4]) by {MX} with esmtps (Exim 4.96) id 1; now", "8.8.4.0/24"),
        (
            "from a.example (a.example [8.8.4.4])\r\n\t(using TLSv1.3 with cipher TLS_AES (256/256 bits)\r\n\t"
            "key-exchange X25519)\r\n\t(No client certificate requested)\r\n"
            f"\tby {MX} (Postfix) with ESMTPS id 4;\r\n\tnow",
            "8.8.4.0/24",
        ),
        (came(server="mx.evil.example"), ""),
        (came(host="10.0.0.7"), ""),
        (came(host="127.0.0.1"), ""),
        (came(host="8.8.4.4.4"), ""),
        (came(helo=f"x ([9.9.9.9]) by {MX}"), ""),
        (came(helo=f"x (y [9.9.9.9]) by {MX} (Postfix) with ESMTP id 1; now"), ""),
        (came() + f" (from z [9.9.9.9] by {MX})", ""),
        (f"by {MX} (Postfix, from userid 1000) id 4; now", ""),
        ("", ""),
    ],
)
def test_the_network_is_what_our_server_noted_and_never_what_a_sender_wrote(received: str, network: str) -> None:
    raw = f"Received: {received}\r\nReceived: {came(host='9.9.9.9')}\r\nFrom: {ADA}\r\n\r\ng10\r\n".encode()
    assert sending_network.of(raw, "127.0.0.1", MX) == network
    assert sending_network.of(raw, "10.1.2.3", MX) == network
    assert sending_network.of(raw, "8.8.4.4", MX) == "", "a stranger's host writes what it likes"
    assert sending_network.of(raw, "", MX) == "", "a mailbox elsewhere, or a provider's post"
    assert sending_network.of(raw, "127.0.0.1", "") == ""


def test_a_player_who_confirmed_their_network_plays_by_email_alone(town: Town, turn: EmailMessage) -> None:
    bring(town, turn, "g10")
    assert entries(town) == 0
    (question,) = town.post()
    held = unverified.held(town.site, token(question))
    assert held is not None
    assert held.network == "8.8.4.0/24"
    unverified.confirm(town.site, token(question), with_network=True)
    town.work()
    assert entries(town) == 1
    with town.store.reading() as session:
        (row,) = session.scalars(select(MailNetwork))
        assert (row.address, row.network) == (ADA, "8.8.4.0/24")


def test_the_log_has_a_line_for_a_network_that_is_confirmed_for_the_first_time(
    town: Town, turn: EmailMessage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "service.play.accounts.account_events")
    with town.store.writing() as session:
        player = identity.by_email(session, ADA, town.now)
        mail = IncomingMail(network="8.8.4.0/24", received=town.now)
        for _ in range(2):
            mail_networks.confirm(session, player, mail)
            said = [record.getMessage() for record in caplog.records]
            assert said == [f"account of player {player.id}: mail-network-confirmed"]


def test_a_move_from_a_confirmed_network_counts_at_once_and_one_from_elsewhere_is_held(
    town: Town, turn: EmailMessage
) -> None:
    confirmed(town, turn)
    bring(town, turn, "g10", host="9.9.9.9")
    assert entries(town) == 0, "somebody it was forwarded to, who writes Ada's address into From"
    assert town.post()[0]["Subject"] == "Did you send this? g10"
    bring(town, turn, "g10", sender="mallory@evil.example")
    assert entries(town) == 0, "Ada's network, but not her address"
    town.post()
    bring(town, turn, "g10", host="8.8.4.200")
    assert entries(town) == 1


def test_the_first_button_confirms_only_one_email(town: Town, turn: EmailMessage) -> None:
    bring(town, turn, "say Hello")
    unverified.confirm(town.site, token(town.post()[0]))
    bring(town, turn, "g10")
    assert entries(town) == 0


@pytest.mark.parametrize("command", ["address mallory@evil.example", "off", "status", "g10\naddress m@evil.example"])
def test_commands_are_held_even_from_a_confirmed_network(town: Town, turn: EmailMessage, command: str) -> None:
    confirmed(town, turn)
    bring(town, turn, command)
    with town.store.reading() as session:
        assert session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()[-1] == "held"
    assert town.post()[0]["Subject"].startswith("Did you send this?")


def test_an_email_to_the_desk_is_held_even_from_a_confirmed_network(town: Town, turn: EmailMessage) -> None:
    confirmed(town, turn)
    raw = f"Received: {came()}\r\nFrom: {ADA}\r\nTo: {town.settings.desk}\r\n\r\nstatus\r\n".encode()
    receive(town.site, raw, [town.settings.desk], "lmtp", "127.0.0.1")
    town.work()
    assert town.post()[0]["Subject"] == "Did you send this? status"


def test_no_network_is_offered_for_an_email_from_another_address(town: Town, turn: EmailMessage) -> None:
    bring(town, turn, "g10", sender="mallory@evil.example")
    known = token(town.post()[0])
    held = unverified.held(town.site, known)
    assert held is not None
    assert held.network is None
    unverified.confirm(town.site, known, with_network=True)
    with town.store.reading() as session:
        assert session.scalars(select(MailNetwork)).all() == []


def test_the_page_of_a_held_email_knows_if_its_network_is_unknown(town: Town, turn: EmailMessage) -> None:
    town.reply(turn, "g10")
    held = unverified.held(town.site, token(town.post()[0]))
    assert held is not None
    assert held.network == ""


@pytest.mark.parametrize("how", ["ended", "not me", "address"])
def test_a_confirmation_can_end(town: Town, turn: EmailMessage, how: str) -> None:
    confirmed(town, turn)
    with town.store.reading() as session:
        ada = session.scalars(select(Player).where(Player.email == ADA)).one()
    if how == "ended":
        mail_networks.end(town.site, ada.id + 1, 1)
        assert len(mail_networks.of(town.site, ada.id)) == 1, "nobody ends another's"
        mail_networks.end(town.site, ada.id, 1)
    if how == "not me":
        recovery.recover(town.site, recovery.link(town.site, ada, town.now).rpartition("/")[2])
    if how == "address":
        with town.store.writing() as session:
            session.get_one(Player, ada.id).email = "ada@new.example"
    bring(town, turn, "g10", sender="ada@new.example" if how == "address" else "")
    assert entries(town) == 0


def test_an_altered_copy_of_an_email_from_a_confirmed_network_is_held(town: Town, turn: EmailMessage) -> None:
    confirmed(town, turn)
    for text in ("g99", "g10"):
        raw, recipients = town.written(turn, text, message_id="<same@program.example>")
        receive(town.site, f"Received: {came()}\r\n".encode() + raw, recipients, "lmtp", "127.0.0.1")
        town.work()
    assert entries(town) == 0
    held = unverified.held(town.site, token(town.post()[-1]))
    assert held is not None
    assert held.network == ""
