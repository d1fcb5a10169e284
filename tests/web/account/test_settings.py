"""How a player likes pages and moves, and where they are signed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO

import pytest
from alembic import command
from alembic.config import Config
from markupsafe import escape
from PIL import Image
from sqlalchemy import select, text

from service.config import ROOT
from service.games import GAMES
from service.mail.grammar.command_words import COMMANDS, RULES
from service.render.art.palette import CLASSIC, Design, surface
from service.store.models import Player
from service.store.tables.credentials import MailNetwork, Visit
from tests.play.conftest import Town
from tests.web.conftest import Visitor, links, words


@pytest.mark.parametrize(
    ("look", "night"),
    [("auto", 'media="screen and (prefers-color-scheme: dark)"'), ("dark", 'media="screen"'), ("light", None)],
)
def test_pages_have_the_chosen_colour_scheme(ada: Visitor, look: str, night: str | None) -> None:
    ada.send("/account", look=look)
    page = ada.get("/").text
    assert ("night.css" in page) == (night is not None)
    assert night is None or page.count(night) == 3


def test_all_pages_have_the_chosen_boards_and_stones(ada: Visitor, bruno: Visitor, match: str) -> None:
    ada.send("/account", boards="chalk", stones="distinct", sound="on")
    page = ada.get("/account").text
    for kept in ('value="chalk" checked', 'value="distinct" checked', 'name="sound" value="on" checked'):
        assert kept in page
    chosen = "boards=chalk&amp;stones=distinct"
    assert f'href="/ink.css?theme=light&amp;{chosen}"' in ada.get(match).text
    assert f'src="/rules/rosette.svg?{chosen}"' in ada.get("/rules").text
    assert chosen not in bruno.get(match).text
    plate = surface("slate", Design("chalk", "distinct"), "light").plate
    assert plate in ada.get("/ink.css?theme=light&boards=chalk").text
    assert plate not in ada.get("/ink.css?theme=light&boards=chalks").text


@pytest.mark.parametrize("wrong", [{"boards": "marble"}, {"stones": "gems"}])
def test_unknown_boards_and_stones_are_refused(ada: Visitor, wrong: dict[str, str]) -> None:
    assert "Choose one of the boards and one of the sets of stones shown." in words(ada.send("/account", **wrong))


def test_emails_show_the_boards_and_stones_of_their_reader(town: Town, ada: Visitor, bruno: Visitor) -> None:
    bruno.send("/account", boards="chalk", stones="distinct", look="dark")
    ada.send("/new/rosette", other1="email", address1="bruno@example.org")
    town.work()
    (invitation,) = [mail for mail in town.post() if "bruno" in str(mail["To"])]
    parts = {part.get_content_type(): part.get_content() for part in invitation.walk() if not part.is_multipart()}
    theirs = surface("slate", Design("chalk", "distinct"), "dark")
    assert theirs.plate in str(parts["image/svg+xml"], "utf-8")
    found = Image.open(BytesIO(parts["image/png"])).convert("RGBA").convert("RGB").getcolors() or ()
    colours = ["#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found if isinstance(colour, tuple)]
    assert theirs.plate in colours


@pytest.mark.parametrize(("look", "asked"), [("auto", ""), ("dark", "?theme=dark"), ("light", "?theme=light")])
def test_the_boards_in_lists_have_the_chosen_colour_scheme_too(ada: Visitor, look: str, asked: str) -> None:
    """A picture in a file knows only the device's preference, unless its address says more."""
    ada.send("/account", look=look)
    address = f"/rules/rosette.svg{asked}"
    assert all(f'src="{address}"' in ada.get(page).text for page in ("/new", "/play", "/rules", "/new/rosette"))
    picture = ada.get(address).text
    assert ("prefers-color-scheme" in picture) == (look == "auto")
    day, night = (surface("slate", CLASSIC, theme).plate in picture for theme in ("light", "dark"))
    assert (day, night) == (look != "dark", look != "light")


def test_an_unknown_colour_scheme_is_refused(ada: Visitor) -> None:
    assert "Choose light, dark, or your device's setting." in words(ada.send("/account", look="paper"))


def test_all_settings_are_saved_or_none_and_what_was_typed_stays(ada: Visitor) -> None:
    ada.send("/account", name="Ada L", zone="lisbon", most="9", look="dark")
    page = ada.get("/account").text
    for kept in ('value="Ada L"', 'value="Europe/Lisbon"', 'value="9"', 'value="dark" checked'):
        assert kept in page
    refused = ada.send("/account", name="Countess", zone="Atlantis", most="8")
    assert refused.status_code == 422
    assert all(f'value="{written}"' in refused.text for written in ("Countess", "Atlantis", "8"))
    page = ada.get("/account").text
    assert 'value="Ada L"' in page
    assert 'value="9"' in page


def test_moves_are_sent_immediately_for_players_who_chose_that(ada: Visitor, bruno: Visitor, match: str) -> None:
    ada.send("/account", look="auto", at_once="on")
    assert "data-at-once" in ada.get(match).text
    assert "data-at-once" not in bruno.get(match).text


def test_one_browser_can_sign_out_another(sign_in: Callable[[str], Visitor]) -> None:
    desk, phone = sign_in("ada@example.org"), sign_in("ada@example.org")
    page = desk.get("/account/browsers").text
    assert page.count("(this one)") == page.count("in use now") == page.count("seen ") == 1
    key = page.partition('name="visit" value="')[2].partition('"')[0]
    for _ in range(2):
        desk.send("/account/browsers", "", visit=key)
    assert phone.get("/account").location == "/sign-in"
    assert desk.get("/account").status_code == 200


def test_signing_out_everywhere_ends_all_sessions(sign_in: Callable[[str], Visitor], bruno: Visitor) -> None:
    desk, phone = sign_in("ada@example.org"), sign_in("ada@example.org")
    assert desk.send("/account/browsers", "", all="1").location == "/"
    assert "You&#39;re signed out everywhere." in desk.get("/").text
    assert {visitor.get("/account").status_code for visitor in (desk, phone)} == {303}
    assert bruno.get("/account").status_code == 200


def test_nobody_can_sign_out_somebody_else(ada: Visitor, bruno: Visitor) -> None:
    with bruno.client.session_transaction() as session:
        key = session["visit"]
    ada.send("/account/browsers", "", visit=key)
    assert bruno.get("/account").status_code == 200


def test_a_cookie_kept_after_signing_out_no_longer_works(ada: Visitor) -> None:
    cookie = ada.client.get_cookie("stonepost")
    assert cookie is not None
    ada.send("/account", "/sign-out")
    ada.client.set_cookie("stonepost", cookie.value)
    assert ada.get("/account").location == "/sign-in"


def test_a_browser_not_seen_for_thirty_days_is_signed_out(town: Town, ada: Visitor) -> None:
    for _ in range(3):
        town.now += timedelta(days=29)
        assert ada.get("/account").status_code == 200
    town.now += timedelta(days=31)
    assert ada.get("/account").status_code == 303


def test_no_row_of_the_database_can_sign_anybody_in(town: Town, ada: Visitor, anybody: Visitor) -> None:
    with town.store.reading() as session:
        (kept,) = session.scalars(select(Visit.key))
    with anybody.client.session_transaction() as cookie:
        cookie["visit"] = kept
    assert anybody.get("/account").location == "/sign-in"
    with ada.client.session_transaction() as cookie:
        assert cookie["visit"] != kept


def test_a_player_signed_in_before_an_upgrade_still_is(town: Town, ada: Visitor) -> None:
    migrations = Config()
    migrations.set_main_option("script_location", str(ROOT / "service/store/migrations"))
    migrations.attributes["engine"] = town.store.writer
    command.downgrade(migrations, "0027")
    row = {"key": "k" * 43, "player_id": ada.id, "device": "", "began": town.now, "seen": town.now}
    with town.store.engine.begin() as connection:
        names = {"id": ada.id, "name": "A\u202eda"}
        connection.execute(text("UPDATE player SET name = :name WHERE id = :id"), names)
        columns = (
            "INSERT INTO visit (key, player_id, device, began, seen) VALUES (:key, :player_id, :device, :began, :seen)"
        )
        connection.execute(text(columns), row | {"began": "2026-11-20 12:00:00", "seen": "2026-11-20 12:00:00"})
    town.store.migrate()
    with ada.client.session_transaction() as cookie:
        cookie["visit"] = row["key"]
    for _ in range(2):
        assert 'value="Ada"' in ada.get("/account").text
    assert "(this one)" in ada.read("/account/browsers")


def test_a_link_for_another_device_goes_to_the_players_own_address(town: Town, ada: Visitor) -> None:
    assert ada.send("/account", "/account/link").location == "/sign-in/sent"
    town.work()
    assert len(links(town)) == 1


def test_emails_about_one_match_are_chosen_on_its_page(town: Town, ada: Visitor, anybody: Visitor, match: str) -> None:
    action = f"/account/mails/{match.rpartition('/')[2]}"
    assert ada.send(match, action, post="mute").location == match
    assert 'value="mute" checked' in ada.get(match).text
    ada.send(match, action, post="never")
    assert "isn't an email preference for a match" in ada.read(match)
    assert action not in anybody.get(match).text


def test_saving_other_settings_keeps_what_was_chosen_for_one_match(ada: Visitor, match: str) -> None:
    ada.send("/account", post="off")
    ada.send(match, f"/account/mails/{match.rpartition('/')[2]}", post="instant")
    ada.send("/account", post="off", look="dark")
    assert 'value="instant" checked' in ada.get(match).text


@pytest.mark.parametrize(("most", "told"), [("12", "Saved."), ("", "Saved."), ("none", "Choose between 1 and 10,000")])
def test_a_player_chooses_how_many_emails_a_day_may_bring(town: Town, ada: Visitor, most: str, told: str) -> None:
    answer = ada.send("/account", most=most)
    assert told in (words(answer) if answer.status_code == 422 else ada.read("/account"))
    with town.store.reading() as session:
        assert session.get_one(Player, ada.id).most == (12 if most == "12" else None)


@pytest.mark.parametrize("post", ["instant", "unseen", "off"])
def test_the_hours_are_saved_whenever_emails_come(ada: Visitor, post: str) -> None:
    ada.send("/account", post=post, hours="20, 8")
    assert 'value="8 20"' in ada.get("/account").text
    assert "Write hours of the day from 0 to 23" in words(ada.send("/account", post=post, hours="8 99"))
    assert 'value="8 20"' in ada.get("/account").text


def test_everything_that_can_be_written_is_on_a_page(anybody: Visitor) -> None:
    page = anybody.read("/by-mail")
    assert all(escape(command.usage) in anybody.get("/by-mail").text for command in COMMANDS)
    assert all(escape(rule) in anybody.get("/by-mail").text for rule in RULES)
    assert all(word.summary in page for game in GAMES.values() for word in game.words)


def test_replies_from_a_trusted_network_can_need_confirmation_again(town: Town, ada: Visitor, bruno: Visitor) -> None:
    about = {"player_id": ada.id, "address": "ada@example.org", "confirmed": town.now}
    with town.store.writing() as session:
        rows = [MailNetwork(network=f"203.0.{number}.0/24", **about) for number in (1, 2)]
        session.add_all(rows)
        session.flush()
        number = str(rows[0].id)
    page = "/account/mail-networks"
    bruno.send("/account", "", to=page, network=number)
    assert "203.0.1.0/24" in ada.read(page)
    assert ada.send(page, "", network=number).location == page
    assert ("203.0.1.0/24" in ada.read(page), "203.0.2.0/24" in ada.read(page)) == (False, True)
