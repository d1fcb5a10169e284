"""The pages that links in mails lead to."""

from __future__ import annotations

import re

from sqlalchemy import select

from service.play import stop
from service.play.receive import receive
from service.store.models import IncomingMail, Player, Seat
from tests.play.conftest import Town, whole
from tests.web.conftest import Visitor, words


def held_mail(town: Town) -> str:
    """The path of the page that confirms an order which came from an address that is not the player's."""
    (turn,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    receive(town.house, *town.written(turn, "g10 <b>", sender="other@example.net"), "smtp")
    town.work()
    found = re.search(r"https?://[^/]+(/mail/confirm/\S+)", whole(town.post()[0]))
    assert found is not None
    return found[1]


def test_a_held_order_is_shown_and_confirmed_by_pressing_a_button(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5").location)
    bruno.send(path, f"{path}/answer", answer="accept")
    town.work()
    page = held_mail(town)
    shown = anybody.get(page)
    assert "g10 &lt;b&gt;" in shown.text
    assert "other@example.net" in shown.text
    assert "as a reply about Rosette 1," in words(shown)
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "held"
    assert anybody.send(page).location == page
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "order"
    assert "counts now" in anybody.read(page)


def test_a_link_that_was_cut_is_answered_in_words(anybody: Visitor) -> None:
    answer = anybody.get("/mail/confirm/abc")
    assert answer.status_code == 410
    assert "not complete" in words(answer)


def test_mails_are_stopped_by_a_program_without_a_page(town: Town, match: str, anybody: Visitor) -> None:
    town.work()
    with town.store.reading() as session:
        seat = session.scalars(select(Seat).where(Seat.to_move)).one()
    page = stop.link(town.house, seat.player_id or 0, seat.match_id).removeprefix(town.settings.public_url)
    assert "You get a mail whenever something happens" in anybody.read(page)
    answer = anybody.client.post(page, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "You get no mails about Rosette" in words(answer)
    assert "You get a mail whenever" in words(anybody.client.post(page, data={"again": "1"}))
    assert "no mails from Stonepost except answers" in words(anybody.client.post(page, data={"all": "1"}))


def test_a_link_to_stop_that_was_cut_is_answered_in_words(anybody: Visitor) -> None:
    answer = anybody.client.post("/mail/stop/abc")
    assert answer.status_code == 410
    assert "not complete" in words(answer)


def test_mail_that_comes_back_is_told_to_both(town: Town, match: str, ada: Visitor, bruno: Visitor) -> None:
    with town.store.writing() as session:
        session.get_one(Player, bruno.id).bounced = town.now
    assert "Mail to White comes back." in ada.read(match)
    assert "Mail to you comes back" in bruno.read(match)
    assert "Mail to this address has come back since" in bruno.read("/account")
