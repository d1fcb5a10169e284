"""Writers of an SQLite database take turns, however they end."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import NoResultFound, PendingRollbackError

from service.store.models import Player
from service.store.rows import Row
from service.store.session import Store
from service.store.tables.company import WishGame

WRITER = """
import sys
from sqlalchemy import text
from service.store.session import Store
with Store(sys.argv[1]).writing() as session:
    session.execute(text("INSERT INTO told VALUES ('never')"))
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path / 'one.db'}")
    with store.writing() as session:
        session.execute(text("CREATE TABLE told (what TEXT)"))
    return store


def is_taken(directory: Path) -> bool:
    """Whether a writer has its turn."""
    asking = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(asking, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(asking)
    return False


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_a_turn_lasts_as_long_as_its_transaction(
    store: Store, tmp_path: Path, error: type[BaseException] | None
) -> None:
    with suppress(ValueError, KeyboardInterrupt), store.writing() as session:
        assert not is_taken(tmp_path), "a transaction begins with its first statement"
        session.execute(text("INSERT INTO told VALUES ('once')"))
        assert is_taken(tmp_path)
        if error is not None:
            raise error
    assert not is_taken(tmp_path)
    store.close()


def test_a_turn_ends_with_a_connection_that_is_given_up(store: Store, tmp_path: Path) -> None:
    with suppress(PendingRollbackError), store.writing() as session:
        session.connection().invalidate()
        assert not is_taken(tmp_path)
    store.close()


def test_readers_take_no_turn(store: Store, tmp_path: Path) -> None:
    with store.reading() as session:
        session.execute(text("SELECT * FROM told"))
        assert not is_taken(tmp_path)
    store.close()


def test_nobody_waits_for_a_writer_that_was_killed(store: Store, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, store.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        assert is_taken(tmp_path)
        writer.kill()
    with store.writing() as session:
        session.execute(text("INSERT INTO told VALUES ('afterwards')"))
    with store.reading() as session:
        assert session.scalars(text("SELECT what FROM told")).all() == ["afterwards"]
    store.close()


def test_a_connection_keeps_its_turn_from_one_transaction_to_the_next(store: Store, tmp_path: Path) -> None:
    with store.writer.connect() as connection:
        for _ in range(2):
            connection.execute(text("INSERT INTO told VALUES ('again')"))
            connection.commit()
            assert is_taken(tmp_path)
    assert not is_taken(tmp_path)
    store.close()


@pytest.fixture
def filled(store: Store) -> Store:
    """A database with Ada, who wishes to play Go."""
    Row.metadata.create_all(store.engine)
    with store.writing() as session:
        session.add(Player(id=1, email="ada@example.org", name="Ada", created=datetime(2026, 11, 21, tzinfo=UTC)))
        session.flush()
        session.add(WishGame(game="go", player_id=1))
    return store


def test_rows_are_found_by_their_key(filled: Store) -> None:
    with filled.writing() as session:
        session.add(WishGame(game="lotus", player_id=1))
        for game in ("go", "lotus"):
            wish = session.get(WishGame, (game, 1))
            assert wish is not None
            assert wish.game == game
            assert session.get_one(WishGame, (game, 1)) is wish
        assert session.get(WishGame, ("medusa", 1)) is None
        assert session.get(Player, 2, with_for_update=True) is None
        with pytest.raises(NoResultFound, match="Player with key 2"):
            session.get_one(Player, 2)


def test_a_known_row_is_read_again_only_on_demand(filled: Store) -> None:
    with filled.writing() as session:
        ada = session.get_one(Player, 1)
        session.execute(text("UPDATE player SET name = 'Eve'"))
        for options in ({}, {"with_for_update": True}, {"with_for_update": {"key_share": True}}):
            assert session.get_one(Player, 1, **options).name == "Ada"
        assert session.get_one(Player, 1, populate_existing=True) is ada
        assert ada.name == "Eve"
