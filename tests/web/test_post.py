"""The pages that links in mails lead to."""

from __future__ import annotations

import re

from service.play.receive import receive
from service.store.models import IncomingMail
from tests.play.conftest import Town, plain
from tests.web.conftest import Visitor, words


def held_mail(town: Town) -> str:
    """The path of the page that confirms an order which came from an address that is not the player's."""
    (turn,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    receive(town.house, *town.written(turn, "g10 <b>", sender="other@example.net"), "smtp")
    town.work()
    found = re.search(r"https?://[^/]+(/mail/confirm/\S+)", plain(town.post()[0]))
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
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "held"
    assert "counts now" in words(anybody.send(page))
    with town.store.reading() as session:
        assert session.get_one(IncomingMail, 1).verdict == "order"
    again = anybody.get(page)
    assert again.status_code == 410
    assert "confirmed already" in words(again)


def test_a_link_that_was_cut_is_answered_in_words(anybody: Visitor) -> None:
    answer = anybody.get("/mail/confirm/abc")
    assert answer.status_code == 410
    assert "not complete" in words(answer)
