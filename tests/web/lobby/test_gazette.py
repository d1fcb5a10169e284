"""The gazette as a page."""

from __future__ import annotations

from service.play.accounts import identity
from service.store.models import Player
from tests.play.company.test_gazette import friday, sweeps
from tests.play.conftest import Town
from tests.play.ratings.test_rate import ben_resigns
from tests.web.conftest import Visitor


def test_names_of_players_are_never_markup_in_an_issue(town: Town, anybody: Visitor) -> None:
    sweeps(town)
    ada, _, _ = ben_resigns(town)
    identity.rename(town.site, ada, "<b>Tom & Jerry</b>")
    friday(town)
    shown = anybody.get("/gazette").text
    assert "<h2>A finished match</h2>" in shown
    assert "&lt;b&gt;Tom &amp; Jerry&lt;/b&gt; won" in shown
    assert "<b>Tom" not in shown


def test_a_player_who_gets_no_emails_does_not_read_that_the_gazette_comes_by_email(town: Town, ada: Visitor) -> None:
    sweeps(town)
    ada.send("/account", gazette="on")
    assert "You get it by email." in ada.read("/gazette")
    with town.store.writing() as session:
        session.get_one(Player, ada.id).post = "off"
    assert "You get it by email." not in ada.read("/gazette")
    assert "but you get no emails" in ada.read("/gazette")
    with town.store.writing() as session:
        player = session.get_one(Player, ada.id)
        player.post, player.bounced = "instant", town.now
    assert "but you get no emails" in ada.read("/gazette")
