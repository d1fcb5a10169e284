"""Exporting a player's data, and deleting an account."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Column, insert, select

from service.play.accounts import deletion
from service.play.operations import sweep
from service.store.models import Player
from service.store.rows import Instant, Row
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town, plain, whole
from tests.web.conftest import Forms, Visitor, judge, links, words


def test_players_can_export_all_their_own_data_and_nothing_else(
    ada: Visitor, bruno: Visitor, match: str, play: Callable[[Visitor, str], str]
) -> None:
    play(ada, "c5")
    ada.send(match, f"{match}/note", text="My plan")
    bruno.send(match, f"{match}/note", text="Another plan")
    for game in ("lotus", "go"):
        ada.send("/play", f"/play/{game}")
    file = ada.get("/account/data.json")
    assert "attachment" in file.headers["Content-Disposition"]
    assert file.text.startswith('{\n "'), "indented, for people to read"
    data = json.loads(file.text)
    assert data["player"][0]["email"] == "ada@example.org"
    assert data["matches"][0]["moves"] == ["black: c5"]
    assert [row["game"] for row in data["matches"]] == ["rosette", "lotus", "go"]
    assert [note["text"] for note in data["note"]] == ["My plan"]
    assert "bruno@example.org" not in file.text
    assert "Another plan" not in file.text
    with ada.client.session_transaction() as session:
        assert session["visit"] not in file.text


def test_the_download_has_the_matches_that_a_player_opened_and_imported(
    ada: Visitor, bruno: Visitor, match: str
) -> None:
    ada.send("/import", text="(;GM[1]SZ[9];B[ee];W[cc])")
    data = json.loads(ada.get("/account/data.json").text)
    assert [row["id"] for row in data["opened"]] == [int(match.rpartition("/")[2])]
    assert [row["game"] for row in data["imported"]] == ["go"]
    assert not {"ply", "seed", "log"} & {*data["opened"][0]}, "the length of the log counts others' sealed choices"
    assert "opened" not in json.loads(bruno.get("/account/data.json").text)


def test_the_download_leaves_out_only_rows_of_others_and_without_use() -> None:
    """What a player has said is in their matches."""
    assert {column for column, fate in deletion.FATES.items() if not fate.exported} == {
        "appearance.player_id",
        "block.other_id",
        "followed_player.other_id",
        "met.other_id",
        "repeat.player_id",
        "report.other_id",
        "saying.player_id",
    }


def leave(town: Town, visitor: Visitor, words: str = "leave") -> None:
    """Asks to delete an account, and deletes it as the sweep would after some days."""
    assert visitor.send("/account/leave", words=words).location == "/account/leave"
    deletion.leave(town.site, visitor.id)


def test_the_sweep_deletes_an_account_once_its_week_is_over(town: Town, ada: Visitor) -> None:
    ada.send("/account/leave", words="leave")
    town.now += timedelta(days=7, minutes=-1)
    sweep.sweep(town.site)
    assert ada.get("/account").status_code == 200
    town.now += timedelta(minutes=2)
    sweep.sweep(town.site)
    assert ada.get("/account").location == "/sign-in"


def test_an_account_is_kept_for_a_week_in_which_its_player_may_stay(town: Town, ada: Visitor) -> None:
    ada.send("/account/leave", words="leave")
    assert "Your account will be deleted on Saturday 28 November, 12:00 (UTC)" in ada.read("/account/leave")
    assert "Your account will be deleted on Saturday 28 November" in ada.read("/account")
    ada.send("/account/leave", stay="1")
    town.now += timedelta(days=8)
    sweep.sweep(town.site)
    assert ada.get("/account").status_code == 200
    assert "will be deleted" not in ada.read("/account")


def test_a_player_who_decides_to_stay_while_the_sweep_deletes_others_is_kept(town: Town, ada: Visitor) -> None:
    """The sweep has already listed the account when the player decides to stay."""
    ada.send("/account/leave", words="leave")
    town.now += timedelta(days=8)
    deletion.stay(town.site, ada.id)
    deletion.leave(town.site, ada.id, if_due=True)
    assert ada.get("/account").status_code == 200


def test_the_page_says_that_the_players_bots_are_deleted_with_the_account(ada: Visitor) -> None:
    assert "Your bots are deleted too." in ada.read("/account/leave")


def test_somebody_who_finds_a_browser_open_cannot_delete_the_account(town: Town, ada: Visitor) -> None:
    town.now += timedelta(minutes=16)
    assert "To delete your account, sign in again first." in ada.read("/account/leave")
    fields = {"words": "leave", "csrf_token": token(ada)}
    assert ada.client.post("/account/leave", data=fields).location == "/account/prove"
    assert "will be deleted" not in ada.read("/account")


def token(visitor: Visitor) -> str:
    return visitor.get("/account").text.partition('name="csrf_token" value="')[2].partition('"')[0]


def test_the_email_about_a_deletion_keeps_the_account_and_shuts_the_thief_out(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    thief = sign_in("ada@example.org")
    thief.send("/account/leave", words="leave")
    town.work()
    (mail,) = town.post()
    assert mail["Subject"] == "Your Stonepost account will be deleted"
    text = " ".join(plain(mail).split())
    assert "asked to delete it. It will be deleted on Saturday 28 November, 12:00 (UTC)." in text
    found = re.search(r"https?://[^/\s]+(/account/not-me/\S+)", whole(mail))
    assert found is not None
    assert "lock everyone else out of the account Ada" in anybody.read(found[1])
    for _ in range(2):
        anybody.client.post(found[1], data={"csrf_token": token_of(anybody)})
        assert "Everyone else is locked out" in anybody.read(found[1])
    assert {visitor.get("/account").status_code for visitor in (ada, thief)} == {303}
    town.now += timedelta(days=8)
    sweep.sweep(town.site)
    assert sign_in("ada@example.org").id == ada.id


def token_of(visitor: Visitor) -> str:
    return visitor.get("/sign-in").text.partition('name="csrf_token" value="')[2].partition('"')[0]


def test_a_player_who_leaves_resigns_and_is_forgotten(town: Town, ada: Visitor, bruno: Visitor, match: str) -> None:
    offer = str(ada.send("/new/rosette", other1="open").location)
    leave(town, ada)
    judge(town)
    assert "resign" in bruno.read(match).lower()
    assert "A former player" in bruno.read(match)
    assert "Declined" in bruno.read(offer)
    assert "No longer plays here." in bruno.read(f"/player/{ada.id}")
    assert "Ada" not in bruno.read(match)
    assert ada.get("/account").location == "/sign-in"


def test_others_hear_that_matches_that_have_not_begun_are_cancelled(town: Town, ada: Visitor, bruno: Visitor) -> None:
    """Ada deletes her account: she has opened the first match, and was invited to the second."""
    seats = {"seats": "3", "other2": "open"}
    path = str(ada.send("/new/multigo", **seats, other1="email", address1="bruno@example.org").location)
    bruno.send(path, f"{path}/answer", answer="accept")
    bruno.send("/new/multigo", **seats, other1="email", address1="ada@example.org")
    leave(town, ada)
    town.work()
    with town.store.reading() as session:
        told = select(Letter.key).where(Letter.player_id == bruno.id, Letter.kind.in_(("withdrawn", "declined")))
        assert [*session.scalars(told.order_by(Letter.id))] == ["withdrawn:1:1", "declined:2:0"]


def test_invitations_by_somebody_who_leaves_before_they_are_sent_never_are(town: Town, ada: Visitor) -> None:
    ada.send("/new/rosette", seats="2", other1="email", address1="carl@example.org")
    deletion.leave(town.site, ada.id)
    town.work()
    assert [letter["Subject"] for letter in town.post() if "carl@" in letter["To"]] == []


def given(column: Column[Any], ada: int, match: int, owner: str) -> object:
    """A value for a column of a new row: the player, the match, or a recognisable word."""
    if column.foreign_keys:
        (target,) = (key.column.table.name for key in column.foreign_keys)
        return {"player": ada, "match": match, "event": 9_000 + len("event.founder_id")}.get(target)
    kind = column.type.python_type if not isinstance(column.type, Instant) else datetime
    made = {str: f"tells {owner}", int: 7, float: 7.5, bool: True, bytes: b"tells"}
    return datetime(2026, 11, 21, tzinfo=UTC) if kind is datetime else made.get(kind, {})


def test_every_row_that_names_a_player_is_exported_and_deleted_or_known_to_stay(
    town: Town, ada: Visitor, match: str
) -> None:
    """A table added later fails this test until `leaving.FATES` says what happens to its rows."""
    owned = {f"{column.table.name}.{column.name}": column for column in deletion.columns()}
    assert owned.keys() == deletion.FATES.keys()
    number = int(match.rpartition("/")[2])
    for name, column in owned.items():
        if name in ("match.importer_id", "seat.player_id"):
            continue
        values = {
            other.name: given(other, ada.id, number, name) for other in column.table.columns if not other.nullable
        }
        values |= {column.name: ada.id}
        if "id" in column.table.c:
            values["id"] = 9_000 + len(name)
        if f"{column.table.name}.other_id" in owned:
            values["player_id" if column.name == "other_id" else "other_id"] = ada.id + 1
        with town.store.writing() as session:
            session.execute(insert(column.table).values(values))
    data = json.loads(ada.get("/account/data.json").text)
    taken = {name.partition(".")[0] for name, fate in deletion.FATES.items() if fate.exported}
    assert data.keys() - {"player", "bots", "matches", "opened"} == taken - {"match", "player"}
    others = {name for name, fate in deletion.FATES.items() if not fate.exported}
    assert others == {
        "appearance.player_id", "block.other_id", "followed_player.other_id", "met.other_id", "repeat.player_id",
        "report.other_id", "saying.player_id",
    }, "for them to know, or of no use to anybody"  # fmt: skip
    assert len(data["bots"]) == 1
    assert [data[name][0]["id"] for name in ("comment", "door", "letter", "token") if "id" in data[name][0]] == [1] * 4
    assert [(row["player_id"], row["other_id"]) for row in data["block"]] == [(ada.id, ada.id + 1)]
    leave(town, ada)
    with town.store.reading() as session:
        for name, column in owned.items():
            left = session.execute(select(column).where(column == ada.id)).all()
            assert bool(left) == (deletion.FATES[name].leaving != "deleted" and name != "match.importer_id"), name


def test_no_row_anywhere_has_the_address_of_a_player_who_left(
    town: Town, ada: Visitor, bruno: Visitor, match: str
) -> None:
    ada.send("/account/address", email="ada@new.example")
    ada.send(match, f"{match}/order", text="nonsense from ada@example.org")
    town.write("ada@example.org", "status")
    town.work()
    leave(town, ada)
    with town.store.reading() as session:
        for table in Row.metadata.sorted_tables:
            for row in session.execute(select(table)):
                told = " ".join(value.decode() if isinstance(value, bytes) else str(value) for value in row)
                assert "ada@" not in told, table.name


def test_the_address_of_a_deleted_account_can_be_used_again(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor]
) -> None:
    leave(town, ada, " Leave ")
    assert sign_in("ada@example.org").id != ada.id


def test_a_link_sent_before_the_deletion_no_longer_works(town: Town, ada: Visitor, anybody: Visitor) -> None:
    anybody.send("/sign-in", "/sign-in", email="ada@example.org")
    town.work()
    (link,) = links(town)
    deletion.leave(town.site, ada.id)
    assert "was deleted. Request a new link" in words(anybody.send(link))


def test_nobody_leaves_by_accident(ada: Visitor) -> None:
    answer = ada.send("/account/leave")
    assert answer.status_code == 422
    assert "Type the word leave" in words(answer)
    assert ada.get("/account").status_code == 200


def test_nobody_is_shut_out_by_a_link_that_was_cut(ada: Visitor) -> None:
    csrf = dict(Forms(ada.get("/account").text).forms)["/sign-out"]["csrf_token"]
    answer = ada.client.post("/account/not-me/abc", data={"csrf_token": csrf})
    assert answer.status_code == 410
    assert "is incomplete" in words(answer)
    assert ada.get("/account").status_code == 200


def test_a_second_request_to_delete_an_account_does_not_move_the_day(town: Town, ada: Visitor) -> None:
    """Sent from a page that was opened before the first one."""
    fields = {"words": "leave", "csrf_token": token(ada)}
    ada.client.post("/account/leave", data=fields | {"nonce": "one"})
    town.now += timedelta(minutes=10)
    ada.client.post("/account/leave", data=fields | {"nonce": "two"})
    assert "Your account will be deleted on Saturday 28 November, 12:00 (UTC)" in ada.read("/account/leave")
    town.work()
    assert len(town.post()) == 1


def test_every_deletion_is_announced_by_email_even_if_it_is_asked_for_from_an_old_page(
    town: Town, ada: Visitor
) -> None:
    fields = {"words": "leave", "csrf_token": token(ada), "nonce": "one"}
    for _ in range(2):
        ada.client.post("/account/leave", data=fields)
        ada.client.post("/account/leave", data={"stay": "1", "csrf_token": token(ada)})
    town.work()
    assert len(town.post()) == 2


def test_a_link_to_take_an_account_back_says_why_it_no_longer_works(
    town: Town, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    taken_back = {}
    for visitor in (ada, bruno):
        visitor.send("/account/leave", words="leave")
        town.work()
        found = re.search(r"https?://[^/\s]+(/account/not-me/\S+)", whole(town.post()[-1]))
        assert found is not None
        taken_back[visitor.id] = found[1]
    deletion.leave(town.site, ada.id)
    with town.store.writing() as session:
        session.get_one(Player, bruno.id).email = "bruno@new.example"
    for visitor, why in (
        (ada, "This account was deleted."),
        (bruno, "This account now has another email address. The email about that change has a link to undo it."),
    ):
        link = taken_back[visitor.id]
        answer = anybody.client.post(link, data={"csrf_token": token_of(anybody)})
        for shown in (anybody.get(link), answer):
            assert (shown.status_code, why in words(shown)) == (410, True)
    assert bruno.get("/account").status_code == 200
