"""Offering a player's own seat and taking over another's, on the pages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import update

from service.store.models import Match
from service.store.tables.operators import Ban
from service.store.tables.player_data import Block
from tests.play.conftest import Town, plain
from tests.web.conftest import Visitor, words


@pytest.fixture
def table(town: Town, ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]) -> str:
    """The path of a running match of three, with Ada as Black."""
    path = str(ada.send("/new/multigo?seats=3", other1="open", other2="open", size="5").location)
    for one in (bruno, sign_in("carla@example.org")):
        one.send(path, f"{path}/join")
    town.work()
    town.post()
    return path


def test_a_seat_is_offered_listed_and_taken(
    ada: Visitor, bruno: Visitor, table: str, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    dora = sign_in("dora@example.org")
    ada.send(table, f"{table}/note", text="North is weak")
    assert "Take over" not in dora.read(table)
    ada.send(table, f"{table}/seat", heir="anybody")
    assert "Your seat is on offer. It stays yours until someone takes it." in ada.read(table)
    assert "A substitute may take over Black." in bruno.read(table)
    assert "you can take over Black." in dora.read("/")
    assert "Take over Black" in dora.read(table)
    dora.send(table, f"{table}/join")
    assert "Dora (you)" in dora.read(table).replace("&nbsp; ", "")
    assert re.search(r"turn-line yours", dora.get(table).text)
    assert "Take over" not in anybody.read(table)
    assert "North is weak" in ada.get(table).text
    assert "North is weak" not in dora.get(table).text


def test_an_offer_can_be_withdrawn(ada: Visitor, table: str, sign_in: Callable[[str], Visitor]) -> None:
    dora = sign_in("dora@example.org")
    ada.send(table, f"{table}/seat", heir="anybody")
    ada.send(table, f"{table}/seat", heir="")
    assert "Take over" not in dora.read(table)
    assert "Offer my seat" in ada.read(table)
    assert "If your substitute loses, you lose rating points; if they win, you gain none." in ada.read(table)


@pytest.mark.parametrize(
    ("trouble", "why"),
    [
        ("block", "Somebody in this match doesn't want to play with you."),
        ("ban", "You can't do this because you're banned. You can finish your matches. The reason: Spam."),
        ("own", "You've already played in this match, so you can't be a substitute in it."),
    ],
)
def test_somebody_who_cannot_be_a_substitute_reads_why(
    town: Town, ada: Visitor, bruno: Visitor, table: str, sign_in: Callable[[str], Visitor], trouble: str, why: str
) -> None:
    dora = sign_in("dora@example.org")
    ada.send(table, f"{table}/seat", heir="anybody")
    with town.store.writing() as session:
        if trouble == "block":
            session.add(Block(player_id=bruno.id, other_id=dora.id))
        elif trouble == "ban":
            session.add(Ban(player_id=dora.id, reason="Spam.", made=town.now))
    if trouble == "own":
        dora.send(table, f"{table}/join")
        dora.send(table, f"{table}/order", text="a1")
        town.work()
        dora.send(table, f"{table}/seat", heir="anybody")
        sign_in("emil@example.org").send(table, f"{table}/join")
        sign_in("emil@example.org").send(table, f"{table}/seat", heir="anybody")
    shown = dora.read(table)
    assert f"A substitute may take over Black. {why}" in shown
    assert "Take over" not in shown
    assert why in dora.read(str(dora.send("/account", "", to=f"{table}/join").location))


def test_a_fresh_clock_is_promised_only_in_a_match_with_a_clock(
    town: Town, ada: Visitor, table: str, sign_in: Callable[[str], Visitor]
) -> None:
    dora = sign_in("dora@example.org")
    ada.send(table, f"{table}/seat", heir="anybody")
    assert "You get its position on the board and a fresh clock. Rules of" in dora.read(table)
    with town.store.writing() as session:
        session.execute(update(Match).values(clock="none"))
    assert "You get its position on the board. Rules of" in dora.read(table)


def test_an_offer_to_an_address_is_sent_there(
    town: Town, ada: Visitor, table: str, sign_in: Callable[[str], Visitor]
) -> None:
    ada.send(table, f"{table}/seat", heir="somebody", address="dora@example.org")
    town.work()
    (mail,) = town.post()
    assert "dora@example.org" in mail["To"]
    assert "To take the seat, reply with accept" in plain(mail).replace("\n", " ")
    assert "Take over" not in sign_in("finn@example.org").read(table)
    assert "Take over Black" in sign_in("dora@example.org").read(table)


def test_a_match_agreed_on_without_substitutes_offers_none(ada: Visitor, bruno: Visitor, match: str) -> None:
    assert "Offer my seat" not in ada.read(match)
    page = ada.send("/account", "", to=f"{match}/seat", heir="anybody")
    assert page.status_code == 422
    assert "This match doesn't allow substitutes." in words(page)
    assert "Take over" not in bruno.read(match)
