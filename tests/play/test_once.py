"""A test with a copy begins like the test that was copied."""

from __future__ import annotations

import secrets
from pathlib import Path

from sqlalchemy import Row, select

from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.rows import Row as Rows
from tests.databases import fresh
from tests.play.conftest import Town
from tests.play.once import once
from tests.play.test_match import player

done: list[str] = []


@once
def begun(town: Town, game: str) -> int:
    done.append(game)
    ada, ben = player(town, "ada@example.org"), player(town, "ben@example.net")
    match = lobby.open_match(town.site, ada, game, {}, [Chair("me"), Chair("email", "ben@example.net")])
    invitations.answer(town.site, match, ben, True)
    town.work()
    return match


def rows(town: Town) -> dict[str, list[Row[tuple[object, ...]]]]:
    with town.store.reading() as session:
        return {table.name: [*session.execute(select(table))] for table in Rows.metadata.sorted_tables}


def test_a_beginning_is_run_once_and_copied_with_every_row_and_the_time(town: Town, tables: Path) -> None:
    match = begun(town, "lotus")
    first, drawn, around = rows(town), secrets.token_urlsafe(), (town.now, town.queue, town.seen, town.mails)
    assert first["entry"] == []
    assert len(first["letter"]) > 0
    town.store.close()
    fresh(tables)
    later = Town(town.settings, town.store)
    assert begun(later, "lotus") == match
    assert done == ["lotus"]
    assert secrets.token_urlsafe() == drawn
    assert rows(later) == first
    assert (later.now, later.queue, later.seen, later.mails) == around


def test_a_beginning_is_run_again_where_something_has_happened(town: Town) -> None:
    player(town, "cleo@example.org")
    done.clear()
    begun(town, "go")
    begun(town, "go")
    assert done == ["go", "go"]
