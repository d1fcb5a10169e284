"""The page of the players that a player follows, its feed, and the buttons that follow."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest

from service.play.accounts import identity
from service.play.company import events
from service.play.company.events import Plan
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.notify import following
from service.play.pages import feeds
from service.store.tables.events import Event
from tests.play.conftest import Town
from tests.web.account.test_feeds import ATOM
from tests.web.conftest import Visitor


def test_a_player_is_followed_from_their_page_and_unfollowed_from_the_followers_own(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    assert "You aren't following anybody." in ada.read("/following")
    page = f"/player/{bruno.id}"
    assert "Stop following" not in ada.read(page)
    assert "Stop following" not in anybody.read(page)
    ada.send(page, f"/following{page}", follow="yes")
    assert "Stop following" in ada.read(page)
    lobby.open_match(town.site, bruno.id, "lotus", {}, [Chair("me"), Chair("bot")])
    assert "Bruno began a match: Lotus 1." in ada.read("/following")
    path = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    feed = anybody.get(f"{path}/followed.xml")
    (entry,) = ElementTree.fromstring(feed.data).findall("a:entry", ATOM)
    assert entry.findtext("a:title", "", ATOM) == "Bruno began a match: Lotus 1."
    assert anybody.get("/feed/nobody/followed.xml").status_code == 404
    ada.send("/following", f"/following{page}", follow="no")
    assert "You aren't following anybody." in ada.read("/following")
    assert ada.client.post(f"/following/player/{ada.id}", data={"follow": "yes"}).status_code in (303, 400)


def test_each_season_of_an_event_is_an_entry_of_its_own(town: Town, ada: Visitor) -> None:
    number = events.found(town.site, ada.id, Plan("Lotus league", "lotus", "3d/move", kind="league"))
    following.follow_event(town.site, ada.id, number)
    path = feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)
    seen = []
    for _ in range(2):
        town.now += timedelta(days=60)
        with town.store.writing() as session:
            session.get_one(Event, number).began = town.now
        for _ in range(2):
            (entry,) = ElementTree.fromstring(ada.get(f"{path}/followed.xml").data).findall("a:entry", ATOM)
            seen.append(entry.findtext("a:id", "", ATOM))
    assert (seen[0], seen[2]) == (seen[1], seen[3])
    assert seen[0] != seen[2]


def test_the_limit_of_followed_events_is_explained_on_the_page_of_the_event(
    town: Town, ada: Visitor, bruno: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MOST", 2)
    plans = [Plan(f"{season} cup", "lotus", "3d/move") for season in ("Winter", "Spring", "Summer")]
    pages = [f"/events/{events.found(town.site, bruno.id, plan)}" for plan in plans]
    for page in pages:
        action = page.replace("/events", "/following/event")
        assert ada.send(page, action, follow="yes").location == page
    assert "You can follow up to 2 players and as many events." in ada.read(pages[2])
    assert {one.name for one in following.shown(town.site, ada.id).events} == {"Winter cup", "Spring cup"}


def test_names_of_players_and_events_are_never_markup_in_the_news(town: Town, ada: Visitor, bruno: Visitor) -> None:
    identity.rename(town.site, bruno.id, "<b>Tom & Jerry</b>")
    following.follow_player(town.site, ada.id, bruno.id)
    lobby.open_match(town.site, bruno.id, "lotus", {}, [Chair("me"), Chair("bot")])
    assert "&lt;b&gt;Tom &amp; Jerry&lt;/b&gt; began a match" in ada.get("/following").text
    feed = ada.get(f"{feeds.address(town.site, ada.id).removeprefix(town.settings.public_url)}/followed.xml")
    (entry,) = ElementTree.fromstring(feed.data).findall("a:entry", ATOM)
    assert entry.findtext("a:title", "", ATOM) == "<b>Tom & Jerry</b> began a match: Lotus 1."
