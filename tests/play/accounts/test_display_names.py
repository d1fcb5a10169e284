"""Names: no two players have the same one, however it is written."""

from __future__ import annotations

from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import event, select, text

from service.config import ROOT
from service.play import names
from service.play.accounts import identity
from service.store.models import Player
from tests.play.conftest import Town, plain


def enter(town: Town, address: str) -> int:
    with town.store.writing() as session:
        return identity.by_email(session, address, town.now).id


def test_the_error_about_an_address_quotes_its_beginning() -> None:
    with pytest.raises(identity.AccountError, match=r"^'x{80}' isn't an email address\."):
        identity.clean_address("x" * 81)


@pytest.mark.parametrize("sign", ["\\", "[", "]", "\x01", "\x7f"])
def test_an_address_to_which_no_email_can_be_written_is_refused(sign: str) -> None:
    with pytest.raises(identity.AccountError, match="isn't an email address"):
        identity.clean_address(f"ada{sign}@example.org")


def test_an_address_may_have_dots_anywhere_as_some_providers_allow() -> None:
    assert identity.clean_address(".Ada..b.@example.org") == ".ada..b.@example.org"


@pytest.mark.parametrize("alike", ["Ada", " ADA ", "\uff21da", "A\u200dda", "ada"])
def test_two_players_cannot_have_the_same_name(town: Town, alike: str) -> None:
    ada, bruno = enter(town, "ada@example.org"), enter(town, "bruno@example.org")
    identity.rename(town.site, ada, "Ada")
    with pytest.raises(identity.AccountError, match=r"^The name Ada is taken\. Please choose another\.$"):
        identity.rename(town.site, bruno, alike)
    assert identity.rename(town.site, ada, alike) == " ".join(alike.split())
    identity.rename(town.site, ada, "Ada Lovelace")
    identity.rename(town.site, bruno, alike)


ALIKE = (
    *("Zoe Moss\u034f", "Zoe Moss\ufe0f", "Zoe Moss\U000e0100", "Z\u200coe Moss", "\u2008Zoe\u3000Moss"),
    *("\uff3aoe Moss", "\u0396\u039f\u0395 \u039c\u039f\u0405\u0405"),
    *("\u1d22\u1d0f\u1d07 \u1d0d\u1d0f\ua731\ua731", "\U0001d419oe Moss", "\u2124oe Moss"),
    "\u13c3\ua4f3\ua4f0 Moss",
)


@pytest.mark.parametrize("alike", ALIKE)
def test_a_name_cannot_look_like_another_players(town: Town, alike: str) -> None:
    zoe, bruno = enter(town, "zoe@example.org"), enter(town, "bruno@example.org")
    identity.rename(town.site, zoe, "Zoe Moss")
    with pytest.raises(identity.AccountError):
        identity.rename(town.site, bruno, alike)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u0422\u043e\u043c", "Tom"),
        ("\u0391\u03bd\u03bd\u03b1", "ANNA"),
        ("\u0451\u0451", "\u00eb\u00eb"),
        ("Y\u0131ld\u0131z", "YILDIZ"),
        ("O\u2019Hara", "O'Hara"),
        ("i\u0307an", "Ian"),
    ],
)
def test_of_two_names_that_look_alike_the_second_is_refused(town: Town, one: str, other: str) -> None:
    first, second = enter(town, "first@example.org"), enter(town, "second@example.org")
    identity.rename(town.site, first, one)
    with pytest.raises(identity.AccountError, match=rf"^The name {one} is taken\. Please choose another\.$"):
        identity.rename(town.site, second, other)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("\u0410d\u0430 L\u043ev\u0435l\u0430\u0441\u0435", "\u0410d\u0430 has both Cyrillic and Latin letters."),
        ("St\u043ene Post", "St\u043ene has both Latin and Cyrillic letters."),
        ("Ada I\u03bdan", "I\u03bdan has both Latin and Greek letters."),
        ("Rob\u13a0", "Rob\u13a0 has both Latin and Cherokee letters."),
    ],
)
def test_each_word_of_a_name_is_in_one_script(town: Town, name: str, told: str) -> None:
    with pytest.raises(identity.AccountError) as refused:
        identity.rename(town.site, enter(town, "ada@example.org"), name)
    assert str(refused.value) == f"{told} Write each word of your name in one script."


BOTS = (
    *("Robo (bot)", "Robo (BOT)", "Robo (b ot)", "Robo ( b.o.t )", "Robo [bot]", "Robo ((bot))", "Robo (\uff42ot)"),
    *("Robo (\u0299\u1d0f\u1d1b)", "Robo (\u0432\u043e\u0442)", "Robo (\u13f4O\u13a2)"),
    *("Robo (b\u00f8t)", "Robo (b0t)", "Robo (\u1e03ot)", "Robo (\ua797ot)", "Robo (\ua4d0\ua4f3\ua4d4)"),
    *(
        "Robo \u2768bot\u2769",
        "Robo \u27eebot\u27ef",
        "Robo \u2985bot\u2986",
        "Robo \u207dbot\u207e",
        "Robo \ufd3ebot\ufd3f",
    ),
    *("Robo (\U0001f171ot)", "Robo (\U0001f131\U0001f13e\U0001f143)", "Robo (bo\ufe0ft)", "Robo (bot)\u200d"),
    *("Robo (bot)\u3164", "Robo (b\u034fot)"),
)


@pytest.mark.parametrize("name", BOTS)
def test_only_the_names_of_bots_end_with_the_mark_of_bots(town: Town, name: str) -> None:
    with pytest.raises(identity.AccountError):
        identity.rename(town.site, enter(town, "ada@example.org"), name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pebble", "The name Pebble is taken. Please choose another."),
        ("Player 9", "are reserved"),
        ("GUEST 1", "are reserved"),
        ("A former player", "are reserved"),
        ("Stonepost", "are reserved"),
        ("\uff33tonepost\ufe0f", "are reserved"),
        ("St\u043enepost", "are reserved"),
        ("Robo (\u13f4ot)", "Only the names of bots end like this. Please choose another."),
        ("\u200b", "A name can have 1 to 60 characters."),
    ],
)
def test_names_that_the_site_gives_are_reserved(town: Town, name: str, told: str) -> None:
    ada = enter(town, "ada@example.org")
    with pytest.raises(identity.AccountError, match=told):
        identity.rename(town.site, ada, name)
    assert identity.rename(town.site, ada, f"Player {ada}") == f"Player {ada}"


@pytest.mark.parametrize(
    "name",
    ["Ada\u202eecila", "\u2066Ada", "A\u200bda", "A\u200fda", "A\x1bda", "A\x7fda", "Ada\ue000", "A\U000e0041"]
    + [f"Ada{unseen}" for unseen in "\u034f\u061c\u115f\u1160\u17b4\u180e\u2060\u2800\u3164\uffa0\U0001d173"],
)
def test_a_name_cannot_have_invisible_characters(town: Town, name: str) -> None:
    hidden = next(sign for sign in name if not sign.isascii() or sign < " " or sign == "\x7f")
    told = rf"^The name has an invisible character, U\+{ord(hidden):04X}\. Type it again without it\.$"
    with pytest.raises(identity.AccountError, match=told):
        identity.rename(town.site, enter(town, "ada@example.org"), name)


@pytest.mark.parametrize(
    "name",
    [
        *("\u0639\u0644\u06cc", "\u0646\u06cc\u0645\u200c\u0641\u0627", "👩\u200d🚀", "דוד", "Zoë", "Ødegård"),
        *("Анна Кузнецова", "Νίκος Παππάς", "გიორგი", "王小明", "山田ジョン", "タナカABC", "김철수", "สมชาย", "ᏣᎳᎩ"),
        *("Ада Lovelace", "O\u02bbzbek", "İbrahim Y\u0131ld\u0131z", "❤\ufe0f", "葛\U000e0100城", "नरेन्द्र", "Երևան"),
    ],
)
def test_a_name_may_be_in_any_script(town: Town, name: str) -> None:
    assert identity.rename(town.site, enter(town, "ada@example.org"), name) == name


def test_only_the_line_of_an_email_with_a_taken_name_is_refused(town: Town) -> None:
    town.write("ada@example.org", "name Ada")
    (answer,) = town.write("bruno@example.org", "name ADA\nzone Lisbon")
    assert "The name Ada is taken. Please choose another." in plain(answer)
    with town.store.reading() as session:
        people = select(Player.name, Player.zone).order_by(Player.id)
        assert [tuple(row) for row in session.execute(people)] == [("Ada", ""), ("Player 2", "Europe/Lisbon")]


def test_players_who_shared_a_name_are_told_apart_by_numbers(town: Town) -> None:
    before = ["Ada", "Bruno", "ada", "ADA", "Pebble", "Player 6", "ada 2"]
    migrations = Config()
    migrations.set_main_option("script_location", str(ROOT / "service/store/migrations"))
    migrations.attributes["engine"] = town.store.writer
    command.downgrade(migrations, "0023")
    enter_one = "INSERT INTO player (name, email, created) VALUES (:name, :email, '2026-11-21 12:00:00')"
    with town.store.engine.begin() as connection:
        for name in before:
            connection.execute(text(enter_one), {"name": name, "email": f"{len(name)}{name}@example.org"})
    town.store.migrate()
    with town.store.reading() as session:
        people = session.scalars(select(Player).order_by(Player.id)).all()
    assert [player.name for player in people] == ["Ada", "Bruno", "ada 2", "ADA 3", "Pebble 2", "Player 6", "ada 2 2"]
    assert [player.name_key for player in people] == [
        None if player.is_unnamed else names.key(player.name) for player in people
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ada", {"Ada Lovelace", "Adam"}),
        (" ADA\u200d  l", {"Ada Lovelace"}),
        ("\uff21dam", {"Adam"}),
        ("lovelace", set()),
        ("%da", set()),
        ("\u200d", set()),
        ("", set()),
        ("player 4", {"Player 4"}),
        ("player", set()),
        ("player 999999999999", set()),
        ("\u00c9", {"\u00e9mile"}),
        ("\u0410\u0434", set()),
        ("\u0430da", {"Ada Lovelace", "Adam"}),
    ],
)
def test_players_are_found_by_how_their_names_begin(town: Town, text: str, found: set[str]) -> None:
    for number, name in enumerate(("Ada Lovelace", "Adam", "\u00e9mile", "")):
        player = enter(town, f"{number}@example.org")
        if name:
            identity.rename(town.site, player, name)
    with town.store.reading() as session:
        assert {session.get_one(Player, one).name for one in names.first_with(session, text, 9)} == found


def test_computer_opponents_are_found_by_name_too(town: Town) -> None:
    with town.store.writing() as session:
        session.add_all(Player(name=name.capitalize(), bot=name, created=town.now) for name in ("pebble", "fern"))
    with town.store.reading() as session:
        assert [session.get_one(Player, one).name for one in names.first_with(session, "peb", 9)] == ["Pebble"]


def test_a_search_finds_the_first_names_in_alphabetical_order(town: Town) -> None:
    for name in ("Adam", "Ada Lovelace", "Ada", "Adele"):
        identity.rename(town.site, enter(town, f"{name.partition(' ')[2] or name}@example.org"), name)
    with town.store.reading() as session:
        found = [session.get_one(Player, one).name for one in names.first_with(session, "ad", 3)]
    assert found == ["Ada", "Ada Lovelace", "Adam"]


def test_names_are_found_with_an_index(town: Town) -> None:
    asked: list[tuple[str, Any]] = []
    with town.store.reading() as session:
        bind = session.get_bind()
        event.listen(bind, "before_cursor_execute", lambda *told: asked.append((told[2], told[3])))
        names.first_with(session, "ada", 9)
        query, given = asked[-1]
        plan = " ".join(str(row) for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", given))
    assert "player_by_name" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan
