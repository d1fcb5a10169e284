"""What migrations do to existing rows."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, select, text

from service.config import ROOT
from service.mail.grammar.orders import parse, restored
from service.play.match.judge import judge_waiting
from service.play.orders.submit import Incoming, submit
from service.store.models import Seat, Submission
from service.store.session import Store
from service.store.tables.credentials import AddressChange
from tests.play.conftest import Town
from tests.play.test_at_once import begin

NOW = "2026-11-21 12:00:00"
MATCHES = (
    ("go", {"size": "19", "komi": "7.5", "setup": "black: i9 p4; white: h8; turn: black"}),
    ("multigo", {"size": "19", "setup": ""}),
    ("rosette", {"base": "7", "setup": "black: i9; turn: white"}),
)
ENTRIES = {
    1: ("p16", "pass", "h3", "i3", "dead i3 s19", "y25"),
    2: ("i7 take white blue", "prefer red black", "ally red blue", "resign"),
    3: ("i9", "pass"),
}
RENAMED = {
    1: ("q16", "pass", "h3", "j3", "dead j3 t19", "z25"),
    2: ("j7 take white blue", "prefer red black", "ally red blue", "resign"),
    3: ("i9", "pass"),
}


def _scripts(store: Store) -> Config:
    scripts = Config()
    scripts.set_main_option("script_location", str(ROOT / "service/store/migrations"))
    scripts.attributes["engine"] = store.writer
    return scripts


def _insert(store: Store, table: str, **values: object) -> None:
    columns, places = ", ".join(f'"{name}"' for name in values), ", ".join(f":{name}" for name in values)
    with store.engine.begin() as connection:
        connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({places})"), values)


def _column(store: Store, query: str) -> list[str]:
    with store.engine.begin() as connection:
        return [row[0] for row in connection.execute(text(query))]


ORDERED = {
    "g10": "move", "yes": "yes", "No.": "no", "undo!": "undo", "play again": "rematch", "leave the team": "leave team",
    "standing c7 or d8": "standing", "extend by 2d": "extend", "pause until 24 December": "offer", "accept": "accept",
    "accept the takeback": "accept", "decline resume play": "decline", "withdraw": "withdraw", "a draw?": "draw",
    "pass.": "pass", "Resign": "resign", "if c7 then d8": "conditional", "g10; forget": "conditional",
    "takeback please": "move", "": "move", "timeout": "move",
}  # fmt: skip


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_orders_waiting_during_an_upgrade_get_their_kind(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0033")
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    _insert(
        store, "match", id=1, game="rosette", options="{}", seed=1, state="running", round=0, ply=0,
        created=NOW, moved=NOW,
    )  # fmt: skip
    rows = [(text, "web") for text in ORDERED] * 60 + [("timeout", "clock")]
    for number, (typed, door) in enumerate(rows):
        _insert(
            store, "submission", key=f"{number}", match_id=1, seat=0, player_id=1, text=typed, remark="", door=door,
            received=NOW, verdict=None, message="",
        )  # fmt: skip

    store.migrate()

    assert _column(store, "SELECT kind FROM submission ORDER BY id") == [*ORDERED.values()] * 60 + ["timeout"]
    for typed, kind in ORDERED.items():
        assert restored(kind, typed) == parse(typed)

    command.downgrade(_scripts(store), "0033")
    assert "kind" not in {column["name"] for column in inspect(store.engine).get_columns("submission")}


def test_an_order_waiting_during_an_upgrade_is_judged_after_it(town: Town) -> None:
    match_id, ada = begin(town)
    submit(town.site, Incoming("web:1", match_id, 0, ada, 1, parse("f12; if g11 then h10"), "web"))
    command.downgrade(_scripts(town.store), "0033")
    town.store.migrate()
    judge_waiting(town.site, match_id)
    with town.store.reading() as session:
        assert session.scalars(select(Submission.verdict)).all() == ["accepted"]
        assert session.get_one(Seat, (match_id, 0)).ahead == "if g11 then h10"


def test_stored_points_of_go_boards_get_names_without_i(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0026")
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    for number, (game, options) in enumerate(MATCHES, 1):
        _insert(
            store, "match", id=number, game=game, options=json.dumps(options), seed=1, state="running",
            round=0, ply=0, created=NOW, moved=NOW,
        )  # fmt: skip
        _insert(
            store, "seat", match_id=number, number=0, player_id=1, accepted=True, to_move=True, awaited=True,
            ahead="if Q-16 then d4 if pass then I 3", standing="s4 or pass",
        )  # fmt: skip
        for ply, move in enumerate(ENTRIES[number], 1):
            _insert(
                store,
                "entry",
                match_id=number,
                ply=ply,
                seat=0,
                move=move,
                round=1,
                remark="i3",
                played=NOW,
                private=False,
            )
        _insert(store, "variation", player_id=1, match_id=number, ply=1, seat=0, move="j4")
        for key, verdict in (("new", None), ("old", "accepted")):
            _insert(
                store, "submission", key=f"{key}{number}", match_id=number, seat=0, player_id=1, text="k10!",
                remark="", door="web", received=NOW, verdict=verdict, message="",
            )  # fmt: skip

    store.migrate()

    for number, moves in RENAMED.items():
        assert tuple(_column(store, f"SELECT move FROM entry WHERE match_id = {number} ORDER BY ply")) == moves
    setups = [json.loads(options)["setup"] for options in _column(store, 'SELECT options FROM "match" ORDER BY id')]
    assert setups == ["black: j9 q4; white: h8; turn: black", "", "black: i9; turn: white"]
    moved, kept = "if R-16 then d4 if pass then J 3", "if Q-16 then d4 if pass then I 3"
    assert _column(store, "SELECT ahead FROM seat ORDER BY match_id") == [moved, moved, kept]
    assert _column(store, "SELECT standing FROM seat ORDER BY match_id") == ["t4 or pass", "t4 or pass", "s4 or pass"]
    assert _column(store, "SELECT move FROM variation ORDER BY match_id") == ["k4", "k4", "j4"]
    assert _column(store, "SELECT text FROM submission ORDER BY match_id, key") == [
        "l10!", "k10!", "l10!", "k10!", "k10!", "k10!",
    ]  # fmt: skip
    assert set(_column(store, "SELECT remark FROM entry")) == {"i3"}, "what people wrote in prose stays as it was"

    command.downgrade(_scripts(store), "0026")
    assert tuple(_column(store, "SELECT move FROM entry WHERE match_id = 1 ORDER BY ply")) == ENTRIES[1]


def test_a_player_with_the_name_of_a_computer_opponent_gets_a_number(town: Town) -> None:
    command.downgrade(_scripts(town.store), "0035")
    for number, name in enumerate(("Heron", "HERON 2", "Marble", "Ada"), 1):
        _insert(town.store, "player", id=number, name=name, name_key=name.casefold(), created=NOW)
    _insert(town.store, "player", id=5, name="Adder", bot="adder", created=NOW)

    town.store.migrate()

    assert _column(town.store, "SELECT name FROM player ORDER BY id") == [
        "Heron 3",
        "HERON 2",
        "Marble 2",
        "Ada",
        "Adder",
    ]
    keys = _column(town.store, "SELECT name_key FROM player WHERE bot IS NULL ORDER BY id")
    assert keys == ["heron 3", "heron 2", "marble 2", "ada"]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_of_existing_players_whose_names_look_alike_the_first_is_found_by_it(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0066")
    names = ("\u0422\u043e\u043c", "\u0422om", "Ada", "\u0410da", "\u0410\u043d\u043d\u0430", "Zo\u00eb", "Player 7")
    for number, name in enumerate(names, 1):
        key = None if name.startswith("Player") else name.casefold()
        _insert(store, "player", id=number, name=name, name_key=key, created=NOW)

    store.migrate()

    assert tuple(_column(store, "SELECT name FROM player ORDER BY id")) == names
    assert _column(store, "SELECT name_key FROM player ORDER BY id") == [
        "tom", "\u0442om", "ada", "\u0430da", "ahha", "zo\u00eb", None,
    ]  # fmt: skip


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_a_match_that_was_annulled_before_loses_its_result(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0057")
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    for number in (1, 2):
        _insert(
            store, "match", id=number, game="rosette", options="{}", seed=1, state="over", reason="resignation",
            round=1, ply=1, created=NOW, moved=NOW,
        )  # fmt: skip
        for seat, score in enumerate("10"):
            _insert(
                store, "seat", match_id=number, number=seat, player_id=1, accepted=True, to_move=False,
                awaited=False, score=score,
            )  # fmt: skip
    _insert(store, "audit_line", made=NOW, act="annulled", about="match", about_id=2, text="")

    store.migrate()

    assert _column(store, 'SELECT reason FROM "match" ORDER BY id') == ["resignation", "annulled"]
    assert _column(store, "SELECT score FROM seat ORDER BY match_id, number") == ["1", "0", None, None]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_results_are_counted_from_the_matches_that_have_ended(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0065")
    for player in (1, 2, 3):
        _insert(store, "player", id=player, name=f"P{player}", email=f"p{player}@example.org", created=NOW)
    ends = (
        ("over", "1", "0"),
        ("over", "1", "0"),
        ("over", "1/2", "1/2"),
        ("over", None, None),
        ("running", None, None),
    )
    for number, (state, *scores) in enumerate(ends, 1):
        _insert(
            store, "match", id=number, game="rosette", options="{}", seed=1, state=state, round=1, ply=1, created=NOW,
            moved=NOW, teams=number == 1,
        )  # fmt: skip
        for seat, score in enumerate(scores):
            _insert(
                store, "seat", match_id=number, number=seat, player_id=seat + 1, accepted=True, to_move=False,
                awaited=False, score=score,
            )  # fmt: skip
    _insert(store, "teammate", match_id=1, number=0, player_id=3, accepted=True)

    store.migrate()

    told = "SELECT player_id || ' ' || game || ' ' || won || lost || shared FROM player_result ORDER BY player_id"
    assert _column(store, told) == ["1 rosette 201", "2 rosette 021", "3 rosette 100"]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_a_downgrade_is_refused_if_there_are_packed_matches(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0061")
    _insert(
        store, "match", id=1, game="rosette", options="{}", seed=1, state="over", reason="resignation",
        round=0, ply=0, created=NOW, moved=NOW,
    )  # fmt: skip
    store.migrate()
    assert _column(store, 'SELECT log FROM "match"') == [None]
    with store.engine.begin() as connection:
        connection.execute(text('UPDATE "match" SET log = :log'), {"log": b"1"})
    with pytest.raises(RuntimeError, match="1 matches are packed"):
        command.downgrade(_scripts(store), "0061")
    assert len(_column(store, 'SELECT id FROM "match" WHERE log IS NOT NULL')) == 1


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_a_change_of_address_after_an_upgrade_has_a_number_of_its_own(town: Town) -> None:
    store, kept = town.store, {"player_id": 1, "old": "ada@example.org", "new": "ada@new.example", "asked": NOW}
    command.downgrade(_scripts(store), "0071")
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    for number in (1, 2):
        _insert(
            store, "letter", id=number, key=f"account:1:{number}:1", kind="account", player_id=1, data="{}", attempts=1,
            created=NOW, error="",
        )  # fmt: skip
    _insert(store, "address_change", id=1, proven=True, **kept)
    for _ in range(2):
        store.migrate()
        assert _column(store, "SELECT new FROM address_change WHERE proven") == ["ada@new.example"]
        command.downgrade(_scripts(store), "0071")
    _column(store, "DELETE FROM address_change RETURNING id")
    store.migrate()
    with store.writing() as session:
        later = AddressChange(player_id=1, old="a", new="b", asked=town.now)
        session.add(later)
        session.flush()
        assert store.engine.dialect.name == "postgresql" or later.id == 3


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_what_was_tried_before_an_upgrade_stays_at_its_position(town: Town) -> None:
    store = town.store
    command.downgrade(_scripts(store), "0072")
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    for number, state in ((1, "running"), (2, "over"), (3, "running")):
        _insert(
            store, "match", id=number, game="multigo-coop", options="{}", seed=1, state=state, round=1, ply=4,
            created=NOW, moved=NOW,
        )  # fmt: skip
        for ply, (fate, private) in enumerate((("", number != 3), ("", False), ("replaced", False), ("", False)), 1):
            _insert(
                store, "entry", match_id=number, ply=ply, seat=0, move="d4", round=ply, remark="", played=NOW,
                private=private, fate="" if number == 3 else fate,
            )  # fmt: skip
        for ply in (0, 2):
            _insert(store, "variation", player_id=1, match_id=number, ply=ply, seat=0, move="d4")
    store.migrate()
    places = "SELECT match_id || ' ' || ply FROM variation ORDER BY match_id, ply"
    assert _column(store, places) == ["1 0", "1 4", "2 0", "2 2", "3 0", "3 2"]


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_what_was_tried_is_found_in_its_own_match(town: Town) -> None:
    """For each variation, PostgreSQL read the entries of all matches: an upgrade of a large site would take hours."""
    store, numbers = town.store, range(1, 21)
    statement = import_module("service.store.migrations.versions.0073_places_of_variations").PLACES
    _insert(store, "player", id=1, name="Ada", email="ada@example.org", created=NOW)
    for number in numbers:
        _insert(
            store, "match", id=number, game="go", options="{}", seed=1, state="running", round=1, ply=4,
            created=NOW, moved=NOW,
        )  # fmt: skip
        for ply in range(1, 11):
            entry = {"match_id": number, "ply": ply, "seat": 0, "move": "d4", "round": ply, "remark": "", "fate": ""}
            _insert(store, "entry", **entry, played=NOW, private=False)
            _insert(store, "variation", player_id=1, match_id=number, ply=ply, seat=0, move="d4")
    with store.engine.begin() as connection:
        connection.execute(text("SET LOCAL enable_seqscan = off"))  # As if the tables were large.
        plan = connection.execute(text(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")).scalar_one()[0]["Plan"]
    assert _read(plan) < 200 * 100


def _read(plan: dict[str, Any]) -> float:
    """How many rows all steps of PostgreSQL's plan read."""
    rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return float(rows * plan["Actual Loops"]) + sum(map(_read, plan.get("Plans", ())))
