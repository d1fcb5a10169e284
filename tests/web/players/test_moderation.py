"""Blocking and reporting."""

from __future__ import annotations

from collections.abc import Callable

from service.play.accounts import guests
from service.play.talk import moderation
from service.store.models import Player
from tests.play.conftest import Town, plain
from tests.web.conftest import Visitor, words


def block(visitor: Visitor, other: Visitor, answer: str = "yes") -> None:
    page = f"/player/{other.id}"
    assert visitor.send(page, f"{page}/block", block=answer).status_code == 303
    assert ("Blocked. They can't invite or message you" if answer == "yes" else "Unblocked") in visitor.read(page)


def test_a_blocked_player_can_neither_invite_nor_join(ada: Visitor, bruno: Visitor) -> None:
    offer, played = (str(ada.send(f"/new/{game}", other1="open").location) for game in ("rosette", "lotus"))
    bruno.send(played, f"{played}/join")
    block(ada, bruno)
    assert "You may still have to play them in events." in ada.read(f"/player/{bruno.id}")
    invite = f"/player/{ada.id}"
    assert f'action="{invite}/play"' not in bruno.get(invite).text
    bruno.send(invite, f"{invite}/block", to=f"{invite}/play")
    assert "accept invitations from you" in bruno.read(invite)
    bruno.send(offer, f"{offer}/join")
    assert "want to play with you" in bruno.read(offer)
    block(ada, bruno, "no")
    assert bruno.send(invite, f"{invite}/play").location != invite


def test_an_invitation_to_the_address_of_somebody_who_blocks_its_host_is_shown_only_to_the_host(
    town: Town, ada: Visitor, bruno: Visitor
) -> None:
    block(ada, bruno)
    page = str(bruno.send("/new/rosette", other1="email", address1="ada@example.org").location)
    town.work()
    assert town.post() == []
    assert "ada@example.org" in bruno.read(page)
    assert page in bruno.get("/").text
    assert page not in ada.get("/").text


def test_a_blocked_players_messages_are_hidden(town: Town, ada: Visitor, bruno: Visitor, match: str) -> None:
    block(ada, bruno)
    bruno.send(match, f"{match}/say", text="Listen to me")
    town.work()
    assert "Listen to me" not in ada.get(match).text
    assert "Listen to me" in bruno.get(match).text
    assert not [mail for mail in town.post() if "Listen to me" in plain(mail)]


def test_players_cannot_block_themselves(town: Town, ada: Visitor) -> None:
    assert "Block" not in ada.read(f"/player/{ada.id}")
    with town.store.writing() as session:
        session.add(Player(id=1000, name="Thousand", created=town.now))
    moderation.set_block(town.site, 1000, int("1000"), True)  # The same number, but another object.
    assert not moderation.is_blocked(town.site, 1000, 1000)


def test_a_guest_can_be_claimed_by_a_player_whose_blocks_are_the_same(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    carla = sign_in("carla@example.org")
    guest = guests.enter(town.site, "key", "a browser").id
    for blocker, blocked in ((ada, guest), (ada, bruno.id), (bruno, guest), (carla, guest)):
        moderation.set_block(town.site, blocker.id, blocked, True)
    with town.store.writing() as session:
        guests.claim(session, guest, bruno.id)
    found = [moderation.is_blocked(town.site, blocker.id, bruno.id) for blocker in (ada, bruno, carla)]
    assert found == [True, False, True]


def test_a_report_reaches_the_operator_once(town: Town, ada: Visitor, bruno: Visitor) -> None:
    page, path = f"/player/{bruno.id}", f"/player/{bruno.id}/report"
    for _ in range(2):
        ada.send(page, path, text="Rude\x1b[2J", nonce="one")
    (line,) = moderation.reports(town.site)
    assert (line.by, line.about, line.text) == ("Ada", "Bruno", "Rude\x1b[2J")
    refused = ada.send(page, path, text="x" * 4001)
    assert "A report can have up to 4,000 characters; this one has 4,001." in words(refused)
