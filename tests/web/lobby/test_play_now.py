"""Playing right away, without an account, and claiming the matches later."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from service.games import GAMES
from service.play.operations import operator_acts
from service.play.pages import profiles
from service.store.models import Match
from tests.play.conftest import Town
from tests.web.conftest import Visitor, links, words

SHORT = [option.short for game in GAMES.values() for option in game.options if option.short]
"""The small board of each game that has boards of several sizes."""


def sit_down(visitor: Visitor, game: str = "rosette") -> str:
    return str(visitor.send("/play", f"/play/{game}").location)


def asked(town: Town, visitor: Visitor, email: str) -> str:
    visitor.send("/sign-in", "/sign-in", email=email)
    town.work()
    (link,) = links(town)
    return link


@pytest.mark.parametrize("game", GAMES)
def test_a_stranger_plays_the_bot_in_any_game(town: Town, anybody: Visitor, game: str) -> None:
    path = sit_down(anybody, game)
    page = anybody.get(path)
    assert page.status_code == 200
    assert "Your move" in words(page)


def test_a_guest_moves_and_is_answered(town: Town, anybody: Visitor) -> None:
    path = sit_down(anybody)
    anybody.send(path, f"{path}/order", text="d4")
    town.work()
    assert "Your move" in anybody.read(path)
    assert "2 of 2" in anybody.read(path)
    assert "Why did Daisy play" in anybody.read(path)
    assert not town.post()


def test_a_computer_opponent_is_marked_as_one(anybody: Visitor) -> None:
    path = sit_down(anybody)
    assert "Rosette vs Daisy (computer)" in words(anybody.get("/"))
    page = anybody.get(path)
    assert "Rosette vs Daisy (computer)" in page.text.partition("</title>")[0]
    assert "Daisy White computer" in words(page)


def test_a_banned_player_reads_why_they_cant_play_a_computer_opponent(town: Town, ada: Visitor, bruno: Visitor) -> None:
    operator_acts.ban(town.site, ada.id, bruno.id, "Spam.", None)
    answer = bruno.send("/play", "/play/rosette")
    assert answer.status_code == 303
    assert "You can't do this because you're banned." in bruno.read(str(answer.location))


def test_pressing_twice_opens_one_match(anybody: Visitor) -> None:
    assert sit_down(anybody) == sit_down(anybody)


@pytest.mark.parametrize(
    ("game", "chosen", "got"),
    [
        ("go", {}, {"size": "9"}),
        ("go", {"board": "9"}, {"size": "9"}),
        ("go", {"board": "19"}, {"size": "19"}),
        ("rosette", {}, {"base": "5"}),
        ("medusa", {}, {"base": "6"}),
        ("multigo", {"board": "13"}, {"size": "13"}),
        ("lotus", {}, {}),
    ],
)
def test_the_board_is_a_small_one_unless_another_is_chosen(
    town: Town, anybody: Visitor, game: str, chosen: dict[str, str], got: dict[str, str]
) -> None:
    path = str(anybody.send("/play", f"/play/{game}", **chosen).location)
    with town.store.reading() as session:
        options = session.get_one(Match, int(path.rpartition("/")[2])).options
    assert got.items() <= options.items()


def test_the_form_proposes_the_small_board(anybody: Visitor) -> None:
    page = anybody.get("/play").text
    assert re.findall(r'<option value="(\w+)" selected>', page) == SHORT
    assert page.count("<select") == len(SHORT)
    assert '<option value="5" selected>Side of 5</option>' in page


def test_another_board_is_another_match(anybody: Visitor) -> None:
    paths = [str(anybody.send("/play", "/play/go", board=board).location) for board in ("9", "19", "9")]
    assert paths[0] == paths[2] != paths[1]


def test_a_stranger_who_presses_twice_is_one_guest_until_the_guest_signs_out(anybody: Visitor) -> None:
    """The second press comes with the same cookie as the first."""
    anybody.get("/play")
    fresh = anybody.client.get_cookie("stonepost")
    assert fresh is not None
    paths = []
    for _ in range(2):
        anybody.client.set_cookie("stonepost", fresh.value)
        paths.append(sit_down(anybody))
        assert "Your move" in anybody.read(paths[-1])
    assert paths[0] == paths[1]
    anybody.send("/play", to="/sign-out", action="/play/rosette")
    assert sit_down(anybody) != paths[0]


def test_a_match_with_moves_does_not_prevent_the_next(town: Town, anybody: Visitor) -> None:
    path = sit_down(anybody)
    anybody.send(path, f"{path}/order", text="d4")
    town.work()
    assert sit_down(anybody) != path


def test_players_practise_as_themselves(ada: Visitor) -> None:
    page = ada.read(sit_down(ada))
    assert "Ada" in page
    assert "Rated yes" in page


def test_a_sign_in_claims_the_guests_matches(town: Town, anybody: Visitor) -> None:
    path = sit_down(anybody)
    anybody.send(path, f"{path}/order", text="d4")
    town.work()
    assert anybody.send(asked(town, anybody, "carla@example.org"), name="Carla").status_code == 303
    assert "Your move" in anybody.read(path)
    assert "Guest" not in anybody.read(path)
    assert "Carla" in anybody.read("/")


def test_the_link_claims_matches_in_another_browser_if_asked_to_and_for_a_former_visitor(
    app: Flask, town: Town, anybody: Visitor, ada: Visitor
) -> None:
    path = sit_down(anybody)
    link = asked(town, anybody, "ada@example.org")
    phone = Visitor(app.test_client())
    assert "Take over the match played as a guest on the device that asked for this link" in phone.read(link)
    assert "Take over" not in anybody.read(link), "There it's taken over automatically."
    phone.send(link, take_over="yes")
    assert "Your move" in ada.read(path)
    assert "Your move" not in anybody.read(path)


def test_a_stranger_who_asks_for_somebodys_link_cannot_pass_matches_on_to_them_unasked(
    app: Flask, town: Town, anybody: Visitor, ada: Visitor
) -> None:
    lost = [sit_down(anybody, game) for game in ("rosette", "go")]
    for path in lost:
        anybody.send(path, f"{path}/order", text="resign")
    town.work()
    town.post()
    link, phone = asked(town, anybody, "ada@example.org"), Visitor(app.test_client())
    own = sit_down(phone, "lotus")
    page = phone.get(link)
    assert "Take over the 2 matches played as a guest on the device that asked for this link" in words(page)
    assert 'name="take_over" value="yes">' in page.text, "It isn't ticked."
    phone.send(link)
    assert "Your move" in ada.read(own), "Matches played in this browser go to the player who signs in."
    shown = profiles.profile(town.site, ada.id, None)
    assert shown is not None
    assert shown.results == ()
    for path in lost:
        assert path not in ada.get("/").text
        assert path in anybody.get("/").text


def test_a_refused_name_keeps_the_choice(app: Flask, town: Town, anybody: Visitor) -> None:
    path = sit_down(anybody)
    link, phone = asked(town, anybody, "carla@example.org"), Visitor(app.test_client())
    again = phone.send(link, name="Player 7", take_over="yes")
    assert 'name="take_over" value="yes" checked>' in again.text
    phone.send(link, name="Carla", take_over="yes")
    assert "Your move" in phone.read(path)


def test_guests_cannot_invite_by_email_or_take_seats(
    anybody: Visitor, ada: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    sit_down(anybody)
    offer = str(ada.send("/new/rosette", other1="open").location)
    assert anybody.get("/new/rosette").location == "/sign-in"
    assert anybody.send(offer, f"{offer}/join").location == "/sign-in"
    assert anybody.get("/account").location == "/sign-in"
    assert "Sign in to keep your matches" in anybody.read("/sign-in")


def test_nobody_else_can_play_a_guests_match(anybody: Visitor, ada: Visitor, app: Flask) -> None:
    path = sit_down(anybody)
    stranger = Visitor(app.test_client())
    assert 'name="text"' not in ada.get(path).text
    sit_down(stranger, "lotus")
    assert 'name="text"' not in stranger.get(path).text


def test_a_match_of_an_unknown_game_is_not_found(ada: Visitor) -> None:
    assert ada.send("/play", "/play/rosette", to="/play/chess").status_code == 404


@pytest.mark.parametrize("board", ["5", "99", "9x9", "setup"])
def test_a_board_that_is_not_offered_is_not_found(ada: Visitor, board: str) -> None:
    assert ada.send("/play", "/play/go", board=board).status_code == 404


def test_a_link_offers_no_matches_of_a_guest_who_has_signed_in_meanwhile(
    app: Flask, town: Town, anybody: Visitor, ada: Visitor
) -> None:
    sit_down(anybody)
    link, phone = asked(town, anybody, "carla@example.org"), Visitor(app.test_client())
    assert "Take over" in phone.read(link)
    anybody.send(asked(town, anybody, "ada@example.org"))
    assert "Take over" not in phone.read(link)
