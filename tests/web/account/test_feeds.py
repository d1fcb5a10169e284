"""Feeds for feed readers and calendars."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree

from sqlalchemy import select

from service.play.accounts import deletion
from service.play.pages import feeds
from service.store.models import Seat
from tests.play.conftest import Town
from tests.web.conftest import Visitor

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def test_a_players_turns_are_a_feed_without_anybody_elses(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Callable[[Visitor, str], str]
) -> None:
    def titles(player: Visitor) -> list[str | None]:
        path = feeds.address(town.site, player.id).removeprefix(town.settings.public_url)
        answer = anybody.get(f"{path}/turns.xml")
        assert answer.mimetype == "application/atom+xml"
        return [title.text for title in ElementTree.fromstring(answer.data).findall("a:entry/a:title", ATOM)]

    assert (titles(ada), titles(bruno)) == (["Your move: Rosette 1"], [])
    play(ada, "e9")
    assert (titles(ada), titles(bruno)) == ([], ["Your move: Rosette 1"])


def test_a_players_deadlines_are_a_calendar(town: Town, match: str, ada: Visitor, anybody: Visitor) -> None:
    with town.store.writing() as session:
        seat = session.scalars(select(Seat).where(Seat.to_move)).one()
        seat.deadline = town.now.replace(microsecond=0) + timedelta(days=2)
    path = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    calendar = anybody.get(f"{path}/deadlines.ics")
    assert calendar.mimetype == "text/calendar"
    assert calendar.text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
    assert f"\r\nDTSTART:{seat.deadline:%Y%m%dT%H%M%SZ}\r\nSUMMARY:Your move in Rosette 1 is due\r\n" in calendar.text


def test_a_feed_has_the_public_address_in_it_whatever_host_was_requested(
    town: Town, ada: Visitor, anybody: Visitor
) -> None:
    address = feeds.address(town.site, ada.id)
    for kind in ("turns", "followed"):
        path = f"{address.removeprefix(town.settings.public_url)}/{kind}.xml"
        answer = anybody.client.get(path, headers={"Host": "other.example"})
        own = ElementTree.fromstring(answer.data).find("a:link[@rel='self']", ATOM)
        assert own is not None
        assert own.get("href") == f"{address}/{kind}.xml"


def test_an_unknown_feed_address_is_not_found(anybody: Visitor) -> None:
    assert anybody.get("/feed/abc/turns.xml").status_code == 404


def test_the_feeds_of_a_deleted_account_are_not_found(town: Town, ada: Visitor, anybody: Visitor) -> None:
    path = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    deletion.leave(town.site, ada.id)
    for kind in ("turns.xml", "deadlines.ics", "followed.xml"):
        assert anybody.get(f"{path}/{kind}").status_code == 404


def test_leaked_addresses_can_be_replaced(town: Town, match: str, ada: Visitor, anybody: Visitor) -> None:
    known = []
    for _ in range(3):
        known.append(feeds.address(town.site, ada.id).removeprefix(town.settings.public_url))
        assert ada.send("/account", "/account/feeds").location == "/account"
    now = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    assert "Your feeds have new addresses." in ada.read("/account")
    for kind in ("turns.xml", "deadlines.ics"):
        assert {anybody.get(f"{path}/{kind}").status_code for path in known} == {404}
        assert anybody.get(f"{now}/{kind}").status_code == 200


def test_the_account_page_shows_the_addresses(town: Town, ada: Visitor) -> None:
    assert f"{feeds.address(town.site, ada.id)}/turns.xml" in ada.get("/account").text
