"""How matches begin."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select

from service.games import GAMES
from service.play.accounts import identity, sessions
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.models import Match
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, plain
from tests.web.conftest import Forms, Visitor, words


def test_the_front_page_greets_strangers_and_lists_what_needs_a_player(
    ada: Visitor, match: str, anybody: Visitor
) -> None:
    assert "by email or on the web" in anybody.read("/")
    assert "Rosette · Ada vs Bruno" in anybody.read("/")
    assert "Rosette vs Bruno" in ada.read("/")
    assert "(1) Stonepost" in ada.get("/").text
    assert "Your move" in ada.read("/")


def test_the_front_page_has_three_doors_and_the_board_of_a_real_match(
    ada: Visitor, match: str, anybody: Visitor, play: Callable[[Visitor, str], str]
) -> None:
    for door in ("/play", "/new", "/matches?state=running"):
        assert f'class="door{" first" * (door == "/play")}" href="{door}"' in anybody.get("/").text
        assert anybody.get(door).status_code == 200
    play(ada, "e9")
    front = anybody.get("/").text
    assert f'href="{match}" aria-label="Watch Rosette"' in front
    assert 'data-says="Black, last move"' in front
    at = anybody.get(f"{match}/news").get_json()["at"]
    assert f'data-at="{at}" data-news="{match}/news"' in front, "The page is loaded again only after a move."
    assert "data-news" not in ada.get("/").text


def test_a_players_own_matches_are_not_listed_to_watch(match: str, ada: Visitor, anybody: Visitor) -> None:
    def watched(visitor: Visitor) -> str:
        return visitor.get("/").text.partition("<h2>Watch</h2>")[2]

    assert f'href="{match}"' in watched(anybody)
    assert f'href="{match}"' not in watched(ada)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_picture_without_coordinates(anybody: Visitor, game: str) -> None:
    picture = anybody.get(f"/rules/{game}.svg")
    assert picture.mimetype == "image/svg+xml"
    assert "<text " not in picture.text


def test_a_picture_of_an_unknown_game_is_not_found(anybody: Visitor) -> None:
    assert anybody.get("/rules/checkers.svg").status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_the_form_offers_every_option_of_a_game(ada: Visitor, game: str) -> None:
    page = ada.get(f"/new/{game}").text
    for option in GAMES[game].options:
        assert f'name="{option.name}"' in page
        assert option.summary in page.replace("&#39;", "'")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_begins_from_its_form_with_its_defaults(ada: Visitor, game: str) -> None:
    others = {f"other{number}": "open" for number in range(1, GAMES[game].usual_seats)}
    answer = ada.send(f"/new/{game}", **others)
    assert answer.status_code == 303, words(answer)
    assert GAMES[game].title in ada.read(str(answer.location))


def test_somebody_invited_by_mail_accepts_on_the_web(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    path = str(ada.send("/new/lotus", own="1", other1="email", address1="carla@example.org").location)
    town.work()
    (invitation,) = town.post()
    assert "<carla@example.org>" in invitation["To"]
    assert "Waiting for" in ada.read(path)
    carla = sign_in("carla@example.org")
    assert "You're invited" in carla.read("/")
    assert "Ada would like to play Lotus with you. You'd play Black." in carla.read(path)
    carla.send(path, f"{path}/answer", answer="accept")
    assert "Your move" in carla.read(path)
    assert "Black to move" in ada.read(path)


def test_a_guest_who_is_invited_by_mail_is_asked_to_sign_in(town: Town, ada: Visitor, anybody: Visitor) -> None:
    """The browser in which somebody tried a game first is often the one in which they open the invitation."""
    path = str(ada.send("/new/lotus", own="1", other1="email", address1="carla@example.org").location)
    anybody.send("/play", "/play/rosette")
    assert "sign in with the address that was invited" in anybody.read(path)
    assert anybody.send(path, f"{path}/answer", answer="accept").location == "/sign-in"


def test_a_player_who_is_not_invited_with_this_address_reads_why_there_is_no_button(
    ada: Visitor, bruno: Visitor
) -> None:
    path = str(ada.send("/new/lotus", own="1", other1="email", address1="carla@example.org").location)
    page = bruno.read(path)
    assert "This match is waiting for invited players, and you aren't one of them." in page
    assert "Accept" not in page


def test_a_match_like_one_just_opened_needs_a_second_press(ada: Visitor) -> None:
    """Somebody may have gone back to the form. A player who wants several open seats can still have them."""
    first = str(ada.send("/new/lotus", other1="open").location)
    asked = ada.send("/new/lotus", other1="open")
    assert f'href="{first}"' in asked.text
    assert "Press the button again to open a second one." in words(asked)
    _, fields = Forms(asked.text).forms[-1]
    second = str(ada.client.post("/new/lotus", data=fields).location)
    assert second not in (first, "None")
    assert ada.send("/new/lotus", other1="open", own="1").status_code == 303


def test_a_player_who_invites_others_needs_a_name(town: Town, app: Flask) -> None:
    """A number doesn't tell anybody who is inviting them. A player who only opens a seat needs no name."""
    with town.store.writing() as session:
        nameless = identity.by_email(session, "fritz@example.org", town.now)
    fritz = Visitor(app.test_client(), nameless.id)
    with fritz.client.session_transaction() as session:
        session["visit"] = sessions.begin(town.site, nameless.id, "Firefox")
    assert fritz.send("/new/lotus", other1="open").status_code == 303
    invited = {"other1": "email", "address1": "bruno@example.org"}
    assert "Choose a display name, so the people you invite know" in words(fritz.send("/new/lotus", **invited))
    assert fritz.send("/new/lotus", name="Fritz", **invited).status_code == 303
    town.work()
    (invitation,) = town.post()
    assert invitation["Subject"].endswith(": Fritz invites you to play")
    assert 'name="name"' not in fritz.get("/new/lotus").text


def test_an_invitation_from_an_unnamed_player_is_explained_on_its_page_too(town: Town, bruno: Visitor) -> None:
    with town.store.writing() as session:
        host = identity.by_email(session, "fritz@example.org", town.now).id
    chairs = [Chair("me"), Chair("email", "bruno@example.org")]
    number = lobby.open_match(town.site, host, "lotus", {}, chairs)
    asked = f"Player {host} hasn't chosen a name yet, but knows your email address."
    assert asked in bruno.read(f"/match/{number}")
    invitations.answer(town.site, number, bruno.id, accept=True)
    assert "chosen a name" not in bruno.read(f"/match/{number}")


def test_an_invitation_can_be_declined(town: Town, ada: Visitor, bruno: Visitor) -> None:
    path = str(ada.send("/new/lotus", other1="email", address1="bruno@example.org").location)
    bruno.send(path, f"{path}/answer", answer="decline")
    assert "Declined. This match was never played." in ada.read(path)
    assert "Decline" not in bruno.get(path).text.replace("Declined", "")


def test_an_invitation_waits_with_its_address_and_can_be_withdrawn(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    path = str(ada.send("/new/lotus", other1="email", address1=" Bruno@Example.org").location)
    assert "Waiting for Bruno@Example.org to accept" in ada.read("/")
    assert "Waiting for Bruno@Example.org to take White." in ada.read(path)
    assert not any("Bruno@Example.org" in visitor.get(path).text for visitor in (bruno, anybody))
    bruno.get(path)
    assert "Only the player who opened a match can withdraw it." in words(
        bruno.get(str(bruno.send("/account", "/sign-out", to=f"{path}/withdraw").location))
    )
    assert ada.send("/", f"{path}/withdraw").location == "/"
    assert "Withdrawn" in ada.read("/")
    assert "Withdrawn. This match was never played." in bruno.read(path)
    assert "Bruno@Example.org" not in ada.get(path).text
    town.work()
    assert town.post() == [], "The invitation hadn't been sent yet."
    with pytest.raises(invitations.LobbyError, match="already been answered or withdrawn"):
        invitations.answer(town.site, 1, bruno.id, accept=True)


def test_the_recipient_of_a_withdrawn_invitation_hears_of_it_once(town: Town, ada: Visitor, bruno: Visitor) -> None:
    invited = {"other1": "email", "address1": "bruno@example.org", "other2": "email", "address2": "carla@example.org"}
    path = str(ada.send("/new/multigo", seats="3", **invited).location)
    with town.store.writing() as session:
        carla = session.scalars(select(Letter).where(Letter.key == "invitation:1:2")).one()
        carla.held, carla.due = True, None  # The letter waits for her next digest.
    town.work()
    town.post()
    ada.send("/", f"{path}/withdraw")
    invitations.withdraw(town.site, 1, ada.id)
    town.work()
    (letter,) = town.post()
    assert letter["To"] == "Bruno <bruno@example.org>"
    assert letter["Subject"] == "Multiplayer Go 1: the invitation was withdrawn"
    assert plain(letter).startswith("Ada withdrew the invitation, so this match won't be played.")
    with town.store.reading() as session:
        assert session.scalars(select(Letter.held).where(Letter.key == "invitation:1:2")).one() is False


def test_a_match_that_has_begun_can_no_longer_be_withdrawn(town: Town, match: str, ada: Visitor) -> None:
    with pytest.raises(invitations.LobbyError, match="has begun"):
        invitations.withdraw(town.site, 1, ada.id)


def test_an_address_does_not_reveal_whose_seat_is_which(ada: Visitor) -> None:
    """If names are hidden, seats are drawn at random: the address beside one would reveal whose it is."""
    invited = {"other1": "email", "address1": "bruno@example.org", "other2": "email", "address2": "carla@example.org"}
    path = str(ada.send("/new/multigo", seats="3", names="anonymous", press="private", **invited).location)
    assert "bruno@example.org" not in ada.get(path).text + ada.get("/").text


def test_my_matches_are_grouped_by_what_they_wait_for(
    town: Town, match: str, ada: Visitor, bruno: Visitor, play: Callable[[Visitor, str], str]
) -> None:
    for order in ("e9", "resign"):
        ada.send("/new/lotus", other1="open")
        page = ada.read("/")
        assert ("Your turn 1" in page) == (order == "e9")
        play(ada, order) if order == "e9" else play(bruno, order)
    page = ada.read("/")
    assert page.index("Waiting for others") < page.index("Over 1") < page.index("You won")


@pytest.mark.parametrize(
    ("game", "others", "listed", "subject"),
    [
        ("pillars", 1, "Move 1: White to move", "your move 1 (the match has begun)"),
        ("multigo-parallel", 2, "Round 1: Black, White and Red to move", "your move in round 1 (the match has begun)"),
    ],
)
def test_lists_and_emails_number_moves_alike_or_rounds_if_all_choose_at_the_same_time(
    town: Town, anybody: Visitor, game: str, others: int, listed: str, subject: str
) -> None:
    with town.store.writing() as session:
        ids = [identity.by_email(session, f"{name}@example.org", town.now).id for name in ("ada", "bo", "cy")]
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in ("bo", "cy")[:others])]
    match = lobby.open_match(town.site, ids[0], game, {}, chairs)
    for player in ids[1 : others + 1]:
        invitations.answer(town.site, match, player, accept=True)
    town.work()
    assert listed in anybody.read("/")
    turns = [mail for mail in town.post() if "your move" in mail["Subject"]]
    assert {mail["Subject"].partition(": ")[2] for mail in turns} == {subject}
    assert not any("Move: 1" in plain(mail) for mail in turns)


def test_an_open_seat_can_be_taken_by_anybody_once(
    ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    path = str(ada.send("/new/rosette", other1="open").location)
    assert "http://127.0.0.1:8000" + path in ada.get(path).text
    assert "Play White" in bruno.read(path)
    carla = sign_in("carla@example.org")
    carla.get(path)
    join = carla.send(path, f"{path}/join")
    assert join.location == path
    assert "This match has begun and has no open seat." in words(
        bruno.client.post(f"{path}/join", data=token(bruno), follow_redirects=True)
    )


def test_the_front_page_offers_no_seat_to_players_of_the_match(
    ada: Visitor, bruno: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    match = str(ada.send("/new/rosette", other1="open", press="private", substitutes="yes").location)
    bruno.send(match, f"{match}/join")
    bruno.send(match, f"{match}/seat", heir="anybody")
    assert "you can take over White" in sign_in("carla@example.org").read("/")
    assert "you can take over" not in ada.read("/") + bruno.read("/")


def test_the_practice_bot_is_a_player_like_any_other(town: Town, ada: Visitor) -> None:
    path = str(ada.send("/new/rosette", own="1", other1="bot", base="5").location)
    town.work()
    assert "Your move" in ada.read(path)


@pytest.mark.parametrize(("drawn", "own"), [(0, "Black"), (1, "White")])
def test_the_seat_is_drawn_at_random(ada: Visitor, monkeypatch: pytest.MonkeyPatch, drawn: int, own: str) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda seats: drawn)
    page = ada.read(str(ada.send("/new/go", own="", other1="open").location))
    assert ("Waiting for anyone to take White" in page) == (own == "Black")
    assert ("Waiting for anyone to take Black" in page) == (own == "White")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"base": "99"}, "base must be one of 7, 6, 5, not '99'."),
        ({"other1": "email", "address1": "nobody"}, "'nobody' isn't an email address."),
        ({"other1": "email", "address1": "ada@example.org"}, "none can be your own"),
    ],
)
def test_an_invalid_match_is_explained_and_stays_in_the_form(
    ada: Visitor, fields: dict[str, str], sentence: str
) -> None:
    answer = ada.send("/new/rosette", **({"other1": "open"} | fields))
    assert answer.status_code == 422
    assert sentence in words(answer).replace("&#39;", "'")
    if "address1" in fields:
        assert f'value="{fields["address1"]}"' in answer.text


def test_the_form_of_an_unknown_game_is_not_found(ada: Visitor) -> None:
    assert ada.get("/new/chess").status_code == 404


def test_addresses_are_shown_to_nobody_else(ada: Visitor, bruno: Visitor, anybody: Visitor, match: str) -> None:
    for visitor, foreign in ((ada, "bruno@example.org"), (bruno, "ada@example.org"), (anybody, "@example.org")):
        for page in ("/", match, f"{match}/at/0"):
            assert foreign not in visitor.get(page).text


def test_a_form_sent_twice_opens_one_match(ada: Visitor, bruno: Visitor) -> None:
    filled = {"other1": "open", "nonce": "of-one-form"}
    first, again = (ada.send("/new/rosette", **filled).location for _ in range(2))
    assert first == again
    assert ada.send("/new/rosette", other1="open").location != first
    assert bruno.send("/new/rosette", **filled).location != first


@pytest.mark.parametrize("game", GAMES)
def test_the_form_shows_how_a_setup_is_written(game: str) -> None:
    (setup,) = [option for option in GAMES[game].options if option.name == "setup"]
    example = setup.summary.partition(" such as ")[2].removesuffix(".")
    assert GAMES[game].start(setup=example).occupants


def token(visitor: Visitor) -> dict[str, str]:
    """The form token of a visitor's session."""
    page = visitor.get("/account").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}


def test_an_invited_address_is_not_shown_as_a_player_with_a_number(ada: Visitor, anybody: Visitor) -> None:
    path = str(ada.send("/new/rosette", other1="email", address1="new@example.org").location)
    for page in (ada.read(path), ada.read("/"), anybody.read(path)):
        assert "an invited player" in page
        assert re.search(r"\bPlayer \d", page) is None


def test_a_player_with_matches_can_still_play_the_computer_with_one_press(ada: Visitor) -> None:
    ada.send("/new/rosette", other1="open")
    assert 'href="/play">Play now</a>' in ada.get("/").text


@pytest.mark.parametrize(
    ("clock", "late", "weekends", "kept"),
    [
        ("3d/move", "extends", "", "3d/move, late extends"),
        ("3d/move", "passes", "yes", "3d/move, weekends off, late passes"),
        ("3d/move", "loses", "", "3d/move"),
    ],
)
def test_the_form_sets_what_happens_to_a_late_player(
    town: Town, ada: Visitor, clock: str, late: str, weekends: str, kept: str
) -> None:
    ada.send("/new/lotus", other1="open", clock=clock, late=late, weekends=weekends)
    with town.store.reading() as session:
        assert session.get_one(Match, 1).clock == kept


def test_a_clock_that_cannot_be_extended_is_explained(ada: Visitor) -> None:
    answer = ada.send("/new/lotus", other1="open", clock="fischer 10d+1d cap 14d", late="extends")
    assert answer.status_code == 422
    assert "Only a clock with a fixed time per move or round can have late extends" in words(answer)
