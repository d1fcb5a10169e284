"""The page of wishes, and the buttons that answer somebody else's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from service.play import links
from service.play.company import wishes
from service.play.company.wish_text import read
from service.play.notify import preferences
from service.play.operations.sweep import sweep
from service.store.models import Player
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, words


def ask(visitor: Visitor, games: list[str], **fields: object) -> TestResponse:
    """Sends the form for a wish, with these boxes ticked."""
    form = dict(Forms(visitor.get("/wishes").text).forms)[""]
    return visitor.client.post("/wishes", data={**form, "shortest": "1d", "longest": "7d", **fields, "game": games})


def test_a_wish_is_set_shown_changed_and_ended_on_one_page(ada: Visitor) -> None:
    assert "Start looking" in ada.read("/wishes")
    assert ask(ada, ["lotus", "rosette"], most="3").status_code == 303
    page = ada.read("/wishes")
    assert "You're looking for opponents at Lotus and Rosette, with 1 day to 7 days a move, in up to 3 matches" in page
    assert ask(ada, ["go"], most="1", highest="1500").status_code == 303
    page = ada.read("/wishes")
    assert "at Go, with 1 day to 7 days a move against opponents rated 1500 or lower, for one match at a time" in page
    ada.send("/wishes", "/wishes/end")
    assert "Start looking" in ada.read("/wishes")


def test_errors_are_explained_and_what_was_typed_stays(ada: Visitor) -> None:
    answer = ask(ada, ["lotus"], most="ninety", lowest="1300")
    assert answer.status_code == 422
    assert "Write how many matches at once as a number, not as 'ninety'." in words(answer)
    assert 'value="ninety"' in answer.text
    assert 'value="1300"' in answer.text
    assert "Which games would you like to play?" in words(ask(ada, [], most="2"))
    assert "The shortest time for a move can't be longer than the longest one." in words(
        ask(ada, ["go"], most="2", shortest="14d", longest="1d")
    )


def test_the_front_page_says_who_is_looking_and_one_press_begins_a_match(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    cleo = sign_in("cleo@example.org")
    for visitor in (ada, bruno):
        wishes.make(town.site, visitor.id, read("lotus"))
    for visitor in (cleo, anybody):
        assert "2 people are looking for Lotus" in visitor.read("/")
    assert "1 person is looking for Lotus" in ada.read("/")
    assert "/sign-in" in str(anybody.send("/", "/wishes/meet/lotus").location)
    assert cleo.send("/", "/wishes/meet/lotus").location == "/match/1"
    page = cleo.read("/match/1")
    assert "Ada" in page
    assert "Cleo" in page
    assert "Being played now: Lotus 1" in ada.read("/wishes")


def test_a_player_who_comes_too_late_reads_that_and_may_look_too(town: Town, ada: Visitor, bruno: Visitor) -> None:
    wishes.make(town.site, ada.id, read("lotus"))
    page = bruno.get("/")
    wishes.end(town.site, ada.id)
    form = dict(Forms(page.text).forms)["/wishes/meet/lotus"]
    answer = bruno.client.post("/wishes/meet/lotus", data=form)
    assert answer.location == "/wishes"
    assert "Nobody you could play is looking for Lotus any more." in bruno.read("/wishes")


def test_a_match_from_wishes_is_among_the_matches_of_both(town: Town, ada: Visitor, bruno: Visitor) -> None:
    for visitor in (ada, bruno):
        assert ask(visitor, ["lotus"], most="1").status_code == 303
    sweep(town.site)
    for visitor in (ada, bruno):
        assert "Lotus vs" in visitor.read("/")
        assert "You're playing as many matches as you asked for." in visitor.read("/wishes")


@pytest.mark.parametrize("why", ["off", "bounced"])
def test_the_page_promises_no_notices_to_a_player_who_gets_no_emails(town: Town, ada: Visitor, why: str) -> None:
    with town.store.writing() as session:
        player = session.get_one(Player, ada.id)
        if why == "off":
            player.post = why
        else:
            player.bounced = town.now
    form = dict(Forms(ada.get("/wishes").text).forms)["/wishes/notices"]
    ada.client.post("/wishes/notices", data={**form, "about": ["lotus"]})
    assert "Your choice is saved, but you get no emails from Stonepost: see your account page." in ada.read("/wishes")


def test_notices_are_chosen_on_the_page_and_ended_by_their_link(town: Town, ada: Visitor, anybody: Visitor) -> None:
    form = dict(Forms(ada.get("/wishes").text).forms)["/wishes/notices"]
    ada.client.post("/wishes/notices", data={**form, "about": ["lotus", "go"]})
    assert "You'll get an email when somebody looks for opponents at these games." in ada.read("/wishes")
    assert preferences.notices_of(town.site, ada.id) == ("lotus", "go")
    page = links.to_stop(town.site, ada.id, links.NOTICES).partition("8000")[2]
    assert "You get an email, at most one a day, when somebody looks for opponents at Lotus and Go." in anybody.read(
        page
    )
    assert anybody.client.post(page, data={"address": "eve@example.org"}).status_code == 403
    anybody.client.post(page, data={"address": "ada@example.org"})
    assert "You get no emails when somebody looks for opponents." in anybody.read(page)
    assert preferences.notices_of(town.site, ada.id) == ()


def test_an_unreadable_length_of_time_is_refused_beside_its_field(ada: Visitor) -> None:
    answer = ask(ada, ["lotus"], most="2", longest="a while")
    assert answer.status_code == 422
    assert "'a while' isn't a length of time." in words(answer)
    assert 'value="lotus" checked' in answer.text
    assert wishes.shown(ada.client.application.extensions["site"], ada.id) is None


def test_there_is_no_opponent_for_an_unknown_game(ada: Visitor) -> None:
    csrf = dict(Forms(ada.get("/account").text).forms)["/sign-out"]["csrf_token"]
    assert ada.client.post("/wishes/meet/chess", data={"csrf_token": csrf}).status_code == 404
