"""Signing in by email, and the player's own name."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from flask import Flask
from sqlalchemy import select

from service.store.models import Player
from tests.play.conftest import Town
from tests.web.conftest import Visitor, links, markup, words


def asked(town: Town, visitor: Visitor, email: str = "ada@example.org") -> str:
    assert visitor.send("/sign-in", "/sign-in", email=email).location == "/sign-in/sent"
    town.work()
    (link,) = links(town)
    return link


def test_opening_the_link_does_not_use_it_up_but_pressing_its_button_does(
    town: Town, app: Flask, anybody: Visitor, bruno: Visitor
) -> None:
    link = asked(town, anybody)
    for _ in range(3):
        assert "Sign me in on this browser" in anybody.read(link)
    assert anybody.send(link).location == "/"
    assert "You're signed in as" in anybody.read("/")
    for visitor in (Visitor(app.test_client()), bruno):
        again = visitor.send(link)
        assert again.status_code == 422
        assert "This sign-in link has already been used." in words(again)
        assert "in this browser only" not in words(again)


def test_the_first_sign_in_takes_the_zone_of_the_browser(town: Town, anybody: Visitor) -> None:
    zones = []
    for zone in ("Atlantis", "Europe/Lisbon", "Asia/Tokyo"):
        anybody.send(asked(town, anybody), zone=zone)
        with town.store.reading() as session:
            zones.append(session.scalars(select(Player.zone).where(Player.email == "ada@example.org")).one())
        anybody.send("/account", "/sign-out")
        town.now += timedelta(minutes=30)
    assert zones == ["", "Europe/Lisbon", "Europe/Lisbon"]


def test_a_link_opened_again_by_a_player_who_is_signed_in_continues(town: Town, anybody: Visitor, ada: Visitor) -> None:
    link = asked(town, anybody)
    anybody.send(link)
    assert ada.get(link).location == "/"
    assert "You're already signed in, Ada." in ada.read("/")
    assert ada.send("/account", "/sign-out", link).location == "/"
    assert ada.read("/").count("You're already signed in, Ada.") == 1


def test_a_button_pressed_twice_signs_in_once_and_nobody_else(town: Town, app: Flask, anybody: Visitor) -> None:
    link = asked(town, anybody)
    elsewhere = Visitor(app.test_client())
    elsewhere.get(link)
    cookie = anybody.client.get_cookie("stonepost")
    assert cookie is not None
    assert anybody.send(link).status_code == 303
    assert elsewhere.send(link).status_code == 422
    anybody.client.set_cookie("stonepost", cookie.value)
    assert anybody.send(link).status_code == 303
    anybody.client.set_cookie("stonepost", cookie.value)
    town.now += timedelta(minutes=2)
    assert anybody.send(link).status_code == 422


def test_nobody_is_shown_by_their_address(town: Town, anybody: Visitor, ada: Visitor) -> None:
    link = asked(town, anybody, "carla.secret@example.net")
    anybody.send(link)
    number = ada.id + 1
    for page in ("/", f"/player/{number}"):
        assert "carla" not in markup(ada.get(page))
    assert f"Player {number}" in anybody.read(f"/player/{number}")


def test_a_name_is_asked_for_with_the_first_link_and_not_again(town: Town, anybody: Visitor) -> None:
    link = asked(town, anybody)
    assert "Choose a display name" in anybody.read(link)
    anybody.send(link, name=" Ada ")
    assert "You're signed in as Ada." in anybody.read("/")
    anybody.send("/account", "/sign-out")
    assert "Choose a display name" not in anybody.read(asked(town, anybody))


def test_an_invalid_name_does_not_use_up_the_link(town: Town, anybody: Visitor) -> None:
    link = asked(town, anybody)
    refused = anybody.send(link, name="Player 7")
    assert refused.status_code == 422
    assert "Names like Player 7 are reserved." in words(refused)
    assert anybody.send(link, name="Dora").status_code == 303
    assert "You're signed in as Dora" in anybody.read("/")


def test_a_link_is_valid_for_half_an_hour(town: Town, anybody: Visitor) -> None:
    link = asked(town, anybody)
    town.now += timedelta(minutes=31)
    assert "This sign-in link has expired." in words(anybody.send(link))


def test_a_damaged_link_gets_a_different_answer_from_an_old_one(town: Town, anybody: Visitor) -> None:
    link = asked(town, anybody)
    assert "This sign-in link is incomplete." in words(anybody.send(link[:-3]))


@pytest.mark.parametrize("email", ["ada", "ada@", "ada@example.org, eve@example.org", "<ada@example.org>"])
def test_the_refusal_of_an_address_says_what_one_looks_like(anybody: Visitor, email: str) -> None:
    answer = anybody.send("/sign-in", "/sign-in", email=email)
    assert answer.status_code == 422
    assert "An email address looks like ada@example.org." in words(answer)


def test_the_answer_does_not_reveal_who_has_been_here(town: Town, ada: Visitor, anybody: Visitor) -> None:
    answers = set()
    for email in ("ada@example.org", "nobody@example.org"):
        anybody.send("/sign-in", "/sign-in", email=email)
        answers.add(anybody.read("/sign-in/sent").replace(email, "…"))
    assert len(answers) == 1


@pytest.mark.parametrize("path", ["/new/a%0ab", "/new/a%0d%0aSet-Cookie:%20a=b", "/new/a%00b"])
def test_a_page_that_no_header_can_name_doesnt_keep_a_visitor_from_signing_in(
    town: Town, anybody: Visitor, path: str
) -> None:
    assert anybody.get(path).location == "/sign-in"
    assert anybody.send(asked(town, anybody)).location == "/"


def test_after_signing_in_a_visitor_gets_the_page_they_wanted(town: Town, anybody: Visitor) -> None:
    assert anybody.get("/new/rosette?seats=2").location == "/sign-in"
    assert "That page is only for people who are signed in" in anybody.read("/sign-in")
    assert anybody.send(asked(town, anybody)).location == "/new/rosette?seats=2"


def test_signing_in_from_a_page_leads_back_to_it_in_any_browser(
    town: Town, app: Flask, match: str, anybody: Visitor
) -> None:
    assert 'href="/sign-in?back=/match/1"' in anybody.get(match).text
    assert "The link takes you back to the page you were on." in anybody.read(f"/sign-in?back={match}")
    link = asked(town, anybody)
    assert Visitor(app.test_client()).send(link).location == match, "Mail is often read in another browser."


@pytest.mark.parametrize(
    "back",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/match/1",
        "/\\elsewhere.example",
        "/nowhere",
        "match/1",
        "/sign-in",
        "/match/1\r\nX: 1",
        "/sign-out",
    ],
)
def test_signing_in_never_leads_to_another_site(town: Town, match: str, anybody: Visitor, back: str) -> None:
    anybody.get("/sign-in?" + urlencode({"back": back}))
    assert anybody.send(asked(town, anybody)).location == "/"


def test_an_invited_player_signs_in_before_answering(town: Town, app: Flask, ada: Visitor, anybody: Visitor) -> None:
    path = str(ada.send("/new/lotus", other1="email", address1="ada.b@example.org").location)
    shown = anybody.read(path)
    assert "You have 7 days for each move." in shown
    assert "Accept Decline" in shown
    assert anybody.send(path, f"{path}/answer", answer="accept").location == "/sign-in"
    anybody.send("/sign-in", "/sign-in", email="ada.b@example.org")
    town.work()
    (link,) = links(town)
    assert anybody.send(link).location == path
    assert "You're invited" in anybody.read(path)


def test_signing_out_forgets_the_browser(ada: Visitor) -> None:
    assert ada.send("/account", "/sign-out").location == "/"
    assert ada.get("/account").location == "/sign-in"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Ada  Lovelace ", "Ada Lovelace"), ("<b>Ada</b>", "&lt;b&gt;Ada&lt;/b&gt;"), ("阿达", "阿达")],
)
def test_a_name_is_shown_as_it_was_typed(ada: Visitor, name: str, shown: str) -> None:
    assert ada.send("/account", name=name).location == "/account"
    page = ada.get("/account").text
    assert f">{shown}</a>" in page


def test_a_name_cannot_be_empty(ada: Visitor) -> None:
    assert "A name can have 1 to 60 characters." in words(ada.send("/account", name="   "))
    assert "The name Pebble is taken. Please choose another." in words(ada.send("/account", name="PEBBLE"))


def test_a_mailbox_cannot_be_flooded_and_its_owner_is_not_locked_out(town: Town, app: Flask, anybody: Visitor) -> None:
    """Owner and attacker may share a network, so neither learns that no further link is sent: an earlier link works."""
    answers = [anybody.send("/sign-in", "/sign-in", email="eve@example.org") for _ in range(6)]
    assert {(answer.status_code, answer.location) for answer in answers} == {(303, "/sign-in/sent")}
    owner = Visitor(app.test_client())
    assert owner.send("/sign-in", "/sign-in", email="eve@example.org").location == "/sign-in/sent"
    assert "Each link works for 30 minutes" in owner.read("/sign-in/sent")
    town.work()
    found = links(town)
    assert len(found) == 5
    assert owner.send(found[0]).location == "/"


def test_the_number_of_links_for_one_network_is_limited(anybody: Visitor) -> None:
    codes = [anybody.send("/sign-in", "/sign-in", email=f"eve{n}@example.org").status_code for n in range(21)]
    assert codes == [303] * 20 + [429]
