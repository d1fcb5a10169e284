"""What an operator runs and reads: backup and restore, health, and errors about settings that can't be used."""

from __future__ import annotations

import fcntl
import os
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from limits.storage import storage_from_string
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, event, select, update

from service import broker
from service.app import create_app
from service.cli import main
from service.config import ROOT, Settings, SettingsError
from service.mail.grammar.orders import parse
from service.play import audit, links
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.notify import doors
from service.play.operations import health
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.outbox.deliver import deliver
from service.play.table import replay
from service.play.talk import happenings, moderation
from service.store.models import Entry, Player
from service.store.session import Store
from service.store.tables.credentials import Passkey
from service.store.tables.doors import Call
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import Restoration
from tests import postgresql
from tests.databases import fresh, fresh_on_postgresql, shared
from tests.play.conftest import Town, plain, town
from tests.play.inbox.test_company_commands import named
from tests.play.ratings.test_rate import ben_resigns, ratings
from tests.play.test_at_once import begin
from tests.processes.certificate import make_certificate

__all__ = ["town"]


@pytest.fixture(params=["sqlite", "postgresql"])
def machines(request: pytest.FixtureRequest, tmp_path: Path, tables: Path) -> Iterator[tuple[Town, dict[str, str]]]:
    """A town, and the settings of another machine with nothing on it."""
    other = {"STONEPOST_DATA": str(tmp_path / "new")}
    if request.param == "sqlite":
        url = fresh(tables)
    else:
        server: str = request.getfixturevalue("postgres")
        url = fresh_on_postgresql(server)
        postgresql.execute(server, "DROP DATABASE IF EXISTS moved WITH (FORCE)")
        postgresql.execute(server, "CREATE DATABASE moved")
        other["DATABASE_URL"] = server.format("moved")
    settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path / "old"), "DATABASE_URL": url})
    replay.forget()
    yield Town(settings, shared(url)), other
    shared(url).close()


def test_a_backup_made_while_somebody_writes_is_restored_on_another_machine(
    machines: tuple[Town, dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    town, other = machines
    match_id, ada = begin(town)
    submit(town.site, Incoming("web:1", match_id, 0, ada, 1, parse("f12"), "web"))
    town.work()
    monkeypatch.setenv("PATH", f"{postgresql.programs_here()}:{os.environ['PATH']}")
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    copy = tmp_path / "backups" / "today"
    with town.store.writing() as session:
        session.add(Player(name="not there yet", created=town.now))
        session.flush()
        assert main(["backup", str(copy)]) == 0
    assert main(["backup", str(copy)]) == 0  # Over the one of the morning.
    database = "stonepost.dump" if "DATABASE_URL" in other else "stonepost.db"
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in copy.iterdir()} == {
        database: 0o600,
        "secret": 0o600,
    }

    monkeypatch.delenv("DATABASE_URL")
    for name, value in other.items():
        monkeypatch.setenv(name, value)
    assert main(["restore", str(copy)]) == 0
    assert capsys.readouterr().out.endswith(
        f"Restored 3 players, 1 match and 1 move from {copy}. The latest order is from 2026-11-21 12:00:00 UTC.\n"
    )
    assert main(["restore", str(copy)]) == 2
    assert capsys.readouterr().err.startswith("stonepost: There's a database already.")
    restored = Settings.from_environment()
    assert restored.secret == town.settings.secret
    store = Store(restored.database_url)
    with store.reading() as session:
        assert session.scalars(select(Entry.move)).all() == ["f12"]
    store.close()


def test_a_restore_that_was_cut_off_is_finished_by_trying_again_before_anything_starts(
    machines: tuple[Town, dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    town, other = machines
    monkeypatch.setenv("PATH", f"{postgresql.programs_here()}:{os.environ['PATH']}")
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    assert main(["backup", str(tmp_path / "copy")]) == 0
    monkeypatch.delenv("DATABASE_URL")
    for name, value in other.items():
        monkeypatch.setenv(name, value)

    def end(_store: Store) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(Store, "migrate", end)
        assert main(["restore", str(tmp_path / "copy")]) == 130
    capsys.readouterr()
    assert main(["migrate"]) == 2
    file = Settings.from_environment().data / "restoring"
    told = f"Repeat it (stonepost restore DIRECTORY), or remove {file} to do without it."
    assert capsys.readouterr().err == f"stonepost: A restore was interrupted. {told}\n"
    for code in (0, 2):
        assert main(["restore", str(tmp_path / "copy")]) == code
    store = Store(Settings.from_environment().database_url)
    with store.reading() as session:
        assert len(session.scalars(select(Restoration)).all()) == 1
    store.close()


def _sent(town: Town, letters: list[int]) -> dict[str, EmailMessage]:
    """Sends these letters; the emails by Message-ID."""
    for letter in letters:
        deliver(town.site, letter)
    return {str(mail["Message-ID"]): mail for mail in town.post()}


def _played(town: Town, begun: EmailMessage, move: str) -> EmailMessage:
    """Ada answers `begun` with a move; the email that asks Bruno for his."""
    town.reply(begun, move)
    (turn,) = [mail for mail in town.post() if "bruno@" in mail["To"] and move in plain(mail)]
    return turn


def test_an_email_that_was_lost_with_its_machine_is_not_taken_for_a_later_one(
    tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path / "old"), "DATABASE_URL": fresh(tables)})
    # A restoration records the real time, so the match must be running at that time.
    town = Town(settings, Store(settings.database_url), datetime.now(UTC))
    match_id, ada = begin(town)
    with town.store.reading() as session:
        owed = [letter.id for letter in session.scalars(select(Letter)).all()]
    monkeypatch.setenv("STONEPOST_DATA", str(settings.data))
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    assert main(["backup", str(tmp_path / "copy")]) == 0
    before = _sent(town, owed)
    begun = next(mail for mail in before.values() if "ada@" in mail["To"])
    lost = _played(town, begun, "f12")
    knows = happenings.waiting(town.site, ada).after
    town.store.close()
    replay.forget()

    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "new"))
    assert main(["restore", str(tmp_path / "copy")]) == 0
    again = Settings.from_environment()
    town = Town(again, Store(again.database_url))
    town.now = datetime.now(UTC) + timedelta(seconds=1)
    news = happenings.since(town.site, ada, knows)
    assert [(one.match_id, one.what) for one in news.happenings] == [(match_id, "turn")], "though it knew of a move"
    assert happenings.since(town.site, ada, news.after).happenings == []
    assert _sent(town, owed).keys() == before.keys() != set(), "these are copies"
    turn = _played(town, begun, "g12")
    assert turn["Message-ID"] != lost["Message-ID"], "it's no copy"
    town.reply(lost, "e10")
    (refusal,) = [mail for mail in town.post() if "bruno@" in mail["To"]]
    assert "a board that was lost when the service was restored from a backup." in " ".join(plain(refusal).split())
    with town.store.reading() as session:
        assert session.scalars(select(Entry.move)).all() == ["g12"]
    town.reply(turn, "e10")
    with town.store.reading() as session:
        assert session.scalars(select(Entry.move)).all() == ["g12", "e10"]
    town.store.close()


def test_the_hook_of_the_player_to_move_is_called_again_after_a_restoration(
    machines: tuple[Town, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that was called before, and has answered, doesn't know that its answer is lost."""
    town, other = machines
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    for name, number in (("ada", ada), ("ben", ben)):
        doors.add_hook(town.site, number, f"https://{name}.example.org", "standard", doors.EVENTS)
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("paired", player_id=ben)])
    submit(town.site, Incoming("web:1", 1, 0, ada, 1, parse("k4"), "web"))
    submit(town.site, Incoming("web:2", 1, 1, ben, 2, parse("l2"), "web"))
    town.work()
    with town.store.writing() as session:
        session.execute(update(Call).values(due=None, sent=town.now))
    with town.store.reading() as session:
        before = {links.name(town.site, call): (call.key, call.due) for call in session.scalars(select(Call))}
    for name, value in {"STONEPOST_DATA": str(town.settings.data), "DATABASE_URL": town.settings.database_url}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{postgresql.programs_here()}:{os.environ['PATH']}")
    assert main(["backup", str(tmp_path / "copy")]) == 0
    monkeypatch.delenv("DATABASE_URL")
    for name, value in other.items():
        monkeypatch.setenv(name, value)
    assert main(["restore", str(tmp_path / "copy")]) == 0

    settings = Settings.from_environment()
    town = Town(settings, Store(settings.database_url))
    with town.store.reading() as session:
        after = {links.name(town.site, call): (call.key, call.due) for call in session.scalars(select(Call))}
    assert {key for key, _ in before.values()} == {"turn:1:1:0@1", "turn:1:2:1@2", "turn:1:3:0@1"}
    assert [key for name, (key, due) in after.items() if due] == ["turn:1:3:0@1"]
    assert {name: of for name, of in after.items() if not of[1]}.items() < before.items()
    assert before.keys() & {name for name, of in after.items() if of[1]} == set(), "it's no copy of the former call"
    town.store.close()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "There's no "),
        (b"not a database" * 99, "damaged: file is not"),
        (b"", "stonepost.db isn't a copy of a Stonepost database."),
        (b"\n", "stonepost.db isn't a copy of a Stonepost database."),
    ],
)
def test_a_damaged_backup_is_not_restored(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
    told: str,
) -> None:
    if content is not None:
        (tmp_path / "stonepost.db").write_bytes(content)
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "data"))
    assert main(["restore", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err


@pytest.fixture
def backup(tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A backup of a site where nobody has played; later commands run on another machine."""
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "old"))
    monkeypatch.setenv("DATABASE_URL", fresh(tables))
    assert main(["backup", str(tmp_path / "backup")]) == 0
    capsys.readouterr()
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "new"))
    return tmp_path / "backup"


def test_a_backup_with_an_empty_secret_is_not_restored(backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (backup / "secret").write_bytes(b"")
    assert main(["restore", str(backup)]) == 2
    told = f"stonepost: {backup / 'secret'} is empty or too short: put it back from a backup, or delete it.\n"
    assert capsys.readouterr().err == told


def test_a_secret_that_is_not_text_is_reported(backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (backup.parent / "new").mkdir()
    secret = backup.parent / "new" / "secret"
    secret.write_bytes(b"\xff" * 40)
    assert main(["migrate"]) == 2
    told = f"stonepost: {secret} isn't text: put it back from a backup, or delete it.\n"
    assert capsys.readouterr().err == told


def test_two_backups_dont_write_to_a_directory_at_once(backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate"]) == 0
    kept = (backup / "stonepost.db").read_bytes()
    lock = os.open(backup, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert main(["backup", str(backup)]) == 2
    assert capsys.readouterr().err == f"stonepost: Another backup is being written to {backup}.\n"
    assert (backup / "stonepost.db").read_bytes() == kept
    os.close(lock)
    assert main(["backup", str(backup)]) == 0


def test_nothing_is_restored_while_another_restore_runs(backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each would write over the other's unfinished files."""
    data = backup.parent / "new"
    data.mkdir(mode=0o700)
    with (data / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["restore", str(backup)]) == 2
    told = f"stonepost: Stonepost is already running, or being restored, with its data in {data}.\n"
    assert capsys.readouterr().err == told
    assert not (data / "stonepost.db").exists()
    assert main(["restore", str(backup)]) == 0


def test_a_backup_whose_keys_cannot_be_written_is_restored_by_trying_again(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (backup / "dkim.pem").write_bytes(b"k" * 40)
    monkeypatch.setenv("DKIM_KEY", str(backup.parent / "keys" / "dkim.pem"))
    assert main(["restore", str(backup)]) == 2
    assert capsys.readouterr().err.endswith("No such file or directory.\n")
    (backup.parent / "keys").mkdir()
    assert main(["restore", str(backup)]) == 0
    assert (backup.parent / "keys" / "dkim.pem").read_bytes() == b"k" * 40
    assert (backup.parent / "new" / "secret").read_bytes() == (backup / "secret").read_bytes()


def test_a_database_of_a_newer_version_is_neither_changed_nor_restored(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(backup / "stonepost.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    assert main(["restore", str(backup)]) == 2
    told = f"stonepost: The backup in {backup} is from a newer version of Stonepost. Restore it with that.\n"
    assert capsys.readouterr().err == told
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{backup / 'stonepost.db'}")
    for command in ("migrate", "health", "mail stuck"):
        assert main(command.split()) == 2
        told = "is from a newer version of Stonepost. Run that version, or restore a backup.\n"
        assert capsys.readouterr().err == f"stonepost: The database in DATABASE_URL {told}"


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (
            "UPDATE alembic_version SET version_num = '9999'",
            "is from a newer version of Stonepost. Restore it with that.",
        ),
        ("DROP TABLE alembic_version", "isn't a copy of a Stonepost database."),
        ("", "pg_restore failed: pg_restore: error: "),
        (None, "There's no "),
    ],
    ids=["newer", "foreign", "damaged", "missing"],
)
def test_a_dump_that_cannot_be_used_changes_nothing(
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    harm: str | None,
    told: str,
) -> None:
    monkeypatch.setenv("PATH", f"{postgresql.programs_here()}:{os.environ['PATH']}")
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "old"))
    monkeypatch.setenv("DATABASE_URL", fresh_on_postgresql(postgres))
    if harm:
        store = Store(os.environ["DATABASE_URL"])
        with store.writing() as session:
            session.connection().exec_driver_sql(harm)
        store.close()
    assert main(["backup", str(tmp_path / "copy")]) == 0
    if harm is None:
        (tmp_path / "copy" / "stonepost.dump").unlink()
    elif not harm:
        (tmp_path / "copy" / "stonepost.dump").write_bytes(b"PGDMP\1\x63")  # Of a version that nobody knows yet.
    postgresql.execute(postgres, "DROP DATABASE IF EXISTS moved WITH (FORCE)")
    postgresql.execute(postgres, "CREATE DATABASE moved")
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "new"))
    monkeypatch.setenv("DATABASE_URL", postgres.format("moved"))
    assert main(["restore", str(tmp_path / "copy")]) == 2
    assert told in capsys.readouterr().err
    store = Store(postgres.format("moved"))
    assert not store.has_tables()
    store.close()
    assert (tmp_path / "new" / "secret").read_bytes() != (tmp_path / "old" / "secret").read_bytes()


def test_a_restore_writes_nothing_where_the_backup_is(backup: Path) -> None:
    before = sorted(backup.iterdir())
    assert main(["restore", str(backup)]) == 0
    assert sorted(backup.iterdir()) == before, "It may be on a file system that can only be read."


def test_a_backup_without_a_secret_says_what_is_lost(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (backup / "secret").unlink()
    assert main(["restore", str(backup)]) == 0
    assert capsys.readouterr().out.endswith(
        "\nThe backup has no secret: links and reply addresses in earlier emails won't work.\n"
    )
    monkeypatch.setenv("STONEPOST_DATA", str(backup.parent / "another"))
    monkeypatch.setenv("STONEPOST_SECRET", "s" * 40)
    assert main(["restore", str(backup)]) == 0
    assert "no secret" not in capsys.readouterr().out


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB with a file `filling` that leaves no room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "full", disk], capture_output=True).returncode:
        pytest.skip("only root can mount a disk")
    (disk / "filling").write_bytes(b"x" * 65536)
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_backup_on_a_full_disk_leaves_nothing_behind(
    backup: Path, full_disk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(backup.parent / "old"))
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{backup / 'stonepost.db'}")
    assert main(["backup", str(full_disk)]) == 2
    assert capsys.readouterr().err == f"stonepost: There's no room for the copy in {full_disk}.\n"
    assert [path.name for path in full_disk.iterdir()] == ["filling"]


@pytest.mark.parametrize(("command", "key"), [(["mail", "dkim-key"], "dkim.pem"), (["migrate"], "data/secret")])
def test_a_key_is_written_whole_or_not_at_all(
    full_disk: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    key: str,
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{full_disk.parent / 'stonepost.db'}")
    monkeypatch.setenv("STONEPOST_DATA", str((full_disk / key).parent if "/" in key else full_disk.parent))
    monkeypatch.setenv("DKIM_KEY", str(full_disk / "dkim.pem"))
    assert main(command) == 2
    assert capsys.readouterr().err == f"stonepost: {full_disk / key} can't be written: No space left on device.\n"
    (full_disk / "filling").unlink()
    assert main(command) == 0
    (full_disk / key).write_bytes(b"")
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(f"stonepost: {full_disk / key} is empty or too short: ")


@pytest.mark.parametrize("command", [["health"], ["backup", "copy"], ["migrate"]])
def test_a_file_that_isnt_a_database_is_reported_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    (tmp_path / "stonepost.db").write_text("garbage" * 99)
    assert main(command) == 2
    told = "stonepost: The database in STONEPOST_DATA can't be used: file is not a database\n"
    assert capsys.readouterr().err == told


def test_health_changes_no_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    assert main(["health"]) == 1
    assert capsys.readouterr().out == "The database's tables aren't up to date. Run: stonepost migrate\n"
    assert main(["migrate"]) == 0
    assert main(["health"]) == 1
    assert "No sweep has run lately" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "said"),
    [("health", "The database doesn't answer."), ("doctor", "fix  database: The database doesn't answer.")],
)
def test_commands_of_operators_say_that_the_database_doesnt_answer(
    town: Town, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setattr(health, "ANSWER", 0.1)
    goes_on = threading.Event()

    def hang(*_statement: object) -> None:
        assert goes_on.wait(10)

    event.listen(Engine, "before_cursor_execute", hang)
    try:
        assert main([command]) == 1
    finally:
        goes_on.set()
        for asking in (thread for thread in threading.enumerate() if thread.name == "health"):
            asking.join()
        event.remove(Engine, "before_cursor_execute", hang)
    assert said in capsys.readouterr().out.splitlines()


def test_health_is_good_while_sweeps_pass_and_orders_are_judged(
    town: Town, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    town.now = town.now.replace(year=2021)  # Long past by the real clock, which `stonepost health` reads.
    asking = create_app(town.site).test_client()

    def asked() -> tuple[int, str]:
        answer = asking.get("/health")
        return answer.status_code, answer.text

    assert asked() == (503, "No sweep has run lately: the queue, beat or worker isn't running.\n")
    match_id, ada = begin(town)
    sweep(town.site)
    submit(town.site, Incoming("web:1", match_id, 0, ada, 1, parse("f12"), "web"))
    assert asked() == (200, "All is well.\n")
    town.now += timedelta(seconds=61)
    assert asked()[0] == 503
    sweep(town.site)
    assert asked() == (
        503,
        "Orders are waiting to be judged: the worker can't keep up, or one of them makes it fail.\n",
    )
    town.work()
    assert asked() == (200, "All is well.\n")
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    assert main(["migrate"]) == 0
    capsys.readouterr()
    assert main(["health"]) == 1
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()][1:-1] == ["0", "0", "0"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("DATABASE_URL", "mysql://localhost/x", "DATABASE_URL must be like postgresql://"),
        ("DATABASE_URL", "postgresql://ada@host:port/club", "DATABASE_URL must be like postgresql://"),
        ("REDIS_URL", "localhost:6379", "REDIS_URL must be like redis://"),
        ("REDIS_URL", "redis+sentinel://one:26379,two:26379", "REDIS_URL must be like redis://"),
        ("AMQP_URL", "rabbitmq://localhost", "AMQP_URL must be like amqp://"),
        ("SMTP_URL", "smtp://localhost:99999", "SMTP_URL must be like smtp://"),
        ("PUBLIC_URL", "play.example.org", "PUBLIC_URL must be like https://"),
        (
            "PUBLIC_URL",
            "https://example.org/games",
            "PUBLIC_URL must be like https://play.example.org, without a path.",
        ),
        ("PUBLIC_URL", "https://play.example.org?a=b", "PUBLIC_URL must be like https://"),
        ("MAIL_DOMAIN", "a@b", "MAIL_DOMAIN must be like play.example.org, not 'a@b'."),
        ("MAIL_DOMAIN", "-.example.org", "MAIL_DOMAIN must be like play.example.org, not '-.example.org'."),
        ("MAIL_ADDRESS", "me@example..org", "MAIL_ADDRESS must be like stonepost@example.org"),
        ("DKIM_SELECTOR", "mail;2026", "DKIM_SELECTOR must be like stonepost or mail.2026, not 'mail;2026'."),
        ("OPERATORS", "a@b foo", "OPERATORS must be email addresses with spaces between them, not 'foo'."),
        ("SECURITY_CONTACT", "foo", "SECURITY_CONTACT must begin with mailto:, https: or tel:, such as mailto:s"),
        ("MAIL_STORE", "file://mail", "MAIL_STORE must be like s3://bucket/folder or file:///srv/mail."),
        (
            "RAW_MAIL_DAYS",
            "-1",
            "RAW_MAIL_DAYS must be a number of days, 1 or more, or 0 to keep it for good, not '-1'.",
        ),
        ("LETTER_DAYS", "29", "LETTER_DAYS must be a number of days, 30 or more, or 0 to keep it for good, not '29'."),
        (
            "USED_LINK_DAYS",
            "1e3",
            "USED_LINK_DAYS must be a number of days, 200 or more, or 0 to keep it for good, not '1e3'.",
        ),
        ("NEWS_DAYS", "91", "NEWS_DAYS must not be more than LETTER_DAYS, or digests would repeat old news."),
        ("STONEPOST_MODE", "prod", "STONEPOST_MODE must be development or production, not 'prod'."),
        ("STONEPOST_MODE", "production", "With STONEPOST_MODE=production, SMTP_URL must be set."),
        (
            "STONEPOST_DATA",
            f"/tmp/{'long' * 23}",
            "The path in STONEPOST_DATA is too long for a socket: use a shorter one or set REDIS_URL.",
        ),
        ("STONEPOST_SECRET", "s" * 31, "STONEPOST_SECRET must have at least 32 characters."),
        ("LOG_ORDERS", "yes", "LOG_ORDERS must be 1 or 0, not 'yes'."),
        ("SMTP_PORT", "http", "SMTP_PORT must be a port number, not 'http'."),
        ("SMTP_PORT", "65536", "SMTP_PORT must be a port number, not '65536'."),
        ("SWEEP_SECONDS", "often", "SWEEP_SECONDS must be a number of seconds from 0.5 to 300, not 'often'."),
        ("SWEEP_SECONDS", "0.4", "SWEEP_SECONDS must be a number of seconds from 0.5 to 300, not '0.4'."),
        ("SWEEP_SECONDS", "nan", "SWEEP_SECONDS must be a number of seconds from 0.5 to 300, not 'nan'."),
        ("SMTP_PORT", "²", "SMTP_PORT must be a port number, not '²'."),
        ("TRUSTED_PROXIES", "²", "TRUSTED_PROXIES must be a whole number, 0 or more, not '²'."),
        pytest.param(
            "MAIL_PER_DAY", "9" * 5000, "MAIL_PER_DAY must be a whole number, 0 or more, not '999", id="digits"
        ),
        pytest.param("SMTP_PORT", "9" * 5000, "SMTP_PORT must be a port number, not '999", id="digits of a port"),
        ("TRUSTED_PROXIES", "-1", "TRUSTED_PROXIES must be a whole number, 0 or more, not '-1'."),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, name: str, value: str, told: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment({"STONEPOST_DATA": str(tmp_path), name: value})
    assert str(raised.value).startswith(told)


def test_an_empty_directory_host_or_selector_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    empty = dict.fromkeys(("STONEPOST_DATA", "WEB_HOST", "MAIL_HOST", "DKIM_SELECTOR"), "")
    settings = Settings.from_environment(empty)
    assert settings.dkim_selector == "stonepost"
    assert settings.data == tmp_path / "var"
    assert (settings.web_host, settings.mail_host) == ("127.0.0.1", "127.0.0.1")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("HTTPS://Play.Example.org/", "https://play.example.org"),
        ("https://play.example.org:443", "https://play.example.org"),
        ("https://play.example.org:80", "https://play.example.org:80"),
        ("https://[::1]:443/", "https://[::1]"),
        ("http://localhost:8080", "http://localhost:8080"),
    ],
)
def test_the_public_url_is_the_one_that_browsers_sign_for(tmp_path: Path, url: str, origin: str) -> None:
    """A passkey's answer for another spelling of the address would be refused."""
    assert Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "PUBLIC_URL": url}).public_url == origin


def test_production_needs_a_public_url_with_https(tmp_path: Path) -> None:
    given = {
        "STONEPOST_DATA": str(tmp_path),
        "STONEPOST_MODE": "production",
        "SMTP_URL": "smtp://mail.example.org",
        "MAIL_DOMAIN": "play.example.org",
    }
    for url in ("http://play.example.org", "http://127.0.0.1:8000", "http://localhost"):
        with pytest.raises(SettingsError) as raised:
            Settings.from_environment({**given, "PUBLIC_URL": url})
        assert str(raised.value) == "With STONEPOST_MODE=production, PUBLIC_URL must begin with https://."
    assert not Settings.from_environment({**given, "PUBLIC_URL": "https://play.example.org"}).development


def test_only_its_own_user_reads_what_stonepost_writes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    backup = tmp_path / "backup"
    environment = {**os.environ, "STONEPOST_DATA": str(data)}
    for command in (["migrate"], ["backup", str(backup)]):
        subprocess.run(
            [sys.executable, "-m", "service.cli", *command], env=environment, umask=0o022, check=True, cwd=ROOT
        )
    written = "from pathlib import Path; import worker.app; (worker.app.settings.data / 'by-a-worker').write_text('')"
    subprocess.run([sys.executable, "-c", written], env=environment, umask=0o022, check=True, cwd=ROOT)
    modes = {path.name: path.stat().st_mode & 0o777 for place in (data, backup) for path in place.rglob("*")}
    assert {"stonepost.db", "secret", "by-a-worker"} <= modes.keys()
    assert set(modes.values()) == {0o600}


def test_the_short_name_of_postgresql_is_understood(tmp_path: Path) -> None:
    given = {"STONEPOST_DATA": str(tmp_path), "DATABASE_URL": "postgres://ada@localhost/club"}
    assert Settings.from_environment(given).database_url == "postgresql://ada@localhost/club"


def test_a_database_that_cannot_be_used_is_reported_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    for url, told in (
        ("postgresql://ada:hunter22@127.0.0.1:1/club", "connection to server at"),
        (f"sqlite:///{tmp_path}/nowhere/club.db", "unable to open database file"),
    ):
        monkeypatch.setenv("DATABASE_URL", url)
        assert main(["migrate"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("stonepost: The database in DATABASE_URL can't be used: ")
        assert told in line
        assert "hunter22" not in line


@pytest.mark.parametrize(
    ("user", "more", "made", "command", "told"),
    [
        ("weak", "", "CREATE DATABASE odd", "migrate", "permission denied for schema public"),
        ("weak", "", "CREATE DATABASE odd TEMPLATE template", "health", "permission denied for table alembic_version"),
        ("stonepost", "&sslmod=no", "CREATE DATABASE odd", "migrate", 'invalid connection option "sslmod"'),
        ("stonepost", "", "CREATE DATABASE odd TEMPLATE template", "annul 1", "in a read-only transaction"),
    ],
)
def test_a_postgresql_that_refuses_is_reported_in_a_sentence(
    postgres: str,
    tmp_path: Path,
    user: str,
    more: str,
    made: str,
    command: str,
    told: str,
) -> None:
    postgresql.execute(postgres, "DROP DATABASE IF EXISTS odd WITH (FORCE)")
    for statement in ("DROP ROLE IF EXISTS weak", "CREATE ROLE weak LOGIN", made):
        postgresql.execute(postgres, statement)
    if "read-only" in told:
        postgresql.execute(postgres, "ALTER DATABASE odd SET default_transaction_read_only = on")
    url = postgres.format("odd").replace("stonepost@", f"{user}@") + more
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", *command.split()],
        env=os.environ | {"STONEPOST_DATA": str(tmp_path), "DATABASE_URL": url},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("stonepost: The database in DATABASE_URL can't be used: ")
    assert line.endswith(told)


@pytest.mark.parametrize(("name", "scheme"), [("REDIS_URL", "redis"), ("AMQP_URL", "amqp")])
def test_a_queue_that_hangs_costs_a_nudge_and_one_line(tmp_path: Path, name: str, scheme: str) -> None:
    nudged = "import worker.app; worker.app.open_site().nudge('judge', 7)"
    with socket.create_server(("127.0.0.1", 0)) as hung:
        queue = f"{scheme}://127.0.0.1:{hung.getsockname()[1]}/0"
        environment = os.environ | {"STONEPOST_DATA": str(tmp_path), name: queue}
        done = subprocess.run([sys.executable, "-c", nudged], env=environment, cwd=ROOT, capture_output=True, text=True)
    line = "could not queue judge 7 (OperationalError); it waits until the queue is back\n"
    assert (done.returncode, done.stderr) == (0, line)


@pytest.mark.parametrize(("name", "scheme"), [("REDIS_URL", "rediss"), ("AMQP_URL", "amqps")])
def test_an_encrypted_queue_has_to_prove_its_name(tmp_path: Path, name: str, scheme: str) -> None:
    """Otherwise somebody in between could read its password."""
    make_certificate(tmp_path)  # For 127.0.0.1, and not for 127.0.0.2.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    heard = {host: _heard_by_a_queue(context, host, tmp_path, name, scheme) for host in ("127.0.0.1", "127.0.0.2")}
    assert {host: bool(said) for host, said in heard.items()} == {"127.0.0.1": True, "127.0.0.2": False}


def _heard_by_a_queue(context: ssl.SSLContext, host: str, place: Path, name: str, scheme: str) -> bytes:
    """What a server at this address hears from a process with something for the queue."""
    nudged, heard = "import worker.app; worker.app.open_site().nudge('judge', 7)", b""
    with socket.create_server((host, 0)) as server:
        queue = f"{scheme}://me:password@{host}:{server.getsockname()[1]}/0"
        told = {"STONEPOST_DATA": str(place), name: queue, "SSL_CERT_FILE": str(place / "certificate.pem")}
        asking = subprocess.Popen([sys.executable, "-c", nudged], env=os.environ | told, cwd=ROOT)
        with server.accept()[0] as raw, suppress(ssl.SSLError, OSError):
            raw.settimeout(10)
            with context.wrap_socket(raw, server_side=True) as client:
                heard = client.recv(100)
        asking.wait()
    return heard


@pytest.mark.parametrize(
    ("given", "queue", "limits"),
    [
        ({}, "redis+socket://DATA/valkey.sock?virtual_host=0", "redis+unix://DATA/valkey.sock"),
        ({"REDIS_URL": "redis://:key@one/0"}, "redis://:key@one/0", "redis://:key@one/0"),
        (
            {"REDIS_URL": "redis+sentinel://:key@one:1,two:2/club"},
            "sentinel://:key@one:1/0;sentinel://:key@two:2/0",
            "redis+sentinel://:key@one:1,two:2/club",
        ),
        ({"AMQP_URL": "amqp://me:key@one//"}, "amqp://me:key@one//", "redis+unix://DATA/valkey.sock"),
        ({"AMQP_URL": "amqps://me:key@one//", "REDIS_URL": "rediss://two/0"}, "amqps://me:key@one//", "rediss://two/0"),
    ],
)
def test_where_the_queue_is_and_where_requests_are_counted(
    tmp_path: Path, given: dict[str, str], queue: str, limits: str
) -> None:
    found = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), **given})
    assert (broker.queue_url(found), broker.counter(found)[0]) == (
        queue.replace("DATA", str(tmp_path)),
        limits.replace("DATA", str(tmp_path)),
    )


def test_a_password_of_redis_behind_sentinels_may_have_any_character(tmp_path: Path) -> None:
    for login, expected in ((":p%40ss%2F@", (None, "p@ss/")), ("ada:key@", ("ada", "key")), ("", (None, None))):
        url = f"redis+sentinel://{login}one:1,two:2/club"
        found = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "REDIS_URL": url})
        where, options = broker.counter(found)
        sentinel = storage_from_string(where, **options).sentinel  # type: ignore[union-attr]
        known = sentinel.connection_kwargs
        assert (known.get("username"), known.get("password")) == expected
        assert sentinel.sentinels[0].get_connection_kwargs().get("password") is None, "Sentinels have none."


@pytest.fixture
def server_of(town: Town, monkeypatch: pytest.MonkeyPatch) -> Town:
    """The town, on whose server commands are run."""
    monkeypatch.setenv("STONEPOST_DATA", str(town.settings.data))
    monkeypatch.setenv("STONEPOST_SECRET", town.settings.secret)
    monkeypatch.setenv("DATABASE_URL", town.settings.database_url)
    return town


def test_an_operators_passkey_is_confirmed_on_the_server(
    server_of: Town, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = named(server_of, "ada@example.org")
    key = {"player_id": number, "public_key": b"", "uses": 0, "name": "My key", "made": server_of.now}
    with server_of.store.writing() as session:
        session.add(Passkey(credential="one", **key))

    def confirmed() -> list[bool]:
        with server_of.store.reading() as session:
            return [one.operates is not None for one in session.scalars(select(Passkey))]

    for passkey, told in (
        ("2", "There's no passkey 2."),
        ("1", "Passkey 1 belongs to Ada, whose address isn't in OPERATORS."),
    ):
        assert main(["operator", "confirm", passkey]) == 1
        assert capsys.readouterr().err == f"stonepost: {told}\n"
    assert confirmed() == [False]
    monkeypatch.setenv("OPERATORS", "ada@example.org")
    for _ in range(2):
        assert main(["operator", "confirm", "1"]) == 0
        assert capsys.readouterr().out == "Passkey 1 of 'Ada' opens the operators' pages.\n"
    assert confirmed() == [True]
    assert [line.act for line in audit.lines(server_of.site)] == ["passkey-confirmed"]


def test_a_match_is_annulled_and_ratings_are_recomputed_on_the_server(
    server_of: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, match = ben_resigns(server_of)
    assert main(["ratings"]) == 2
    assert capsys.readouterr().err == "stonepost: Run `stonepost ratings --again` to recompute all ratings.\n"
    assert main(["ratings", "--again"]) == 0
    assert capsys.readouterr().out == "1 match rated again\n"
    assert len(ratings(server_of)) == 2
    match_id, _ = begin(server_of)
    for other in (match_id, 999):
        assert main(["annul", str(other)]) == 1
        assert capsys.readouterr().err == f"stonepost: There's no match {other} that is over.\n"
    assert main(["annul", str(match)]) == 0
    told = f"Match {match} no longer counts. All ratings were recomputed. Places on ladders stay as they are.\n"
    assert capsys.readouterr().out == told
    assert ratings(server_of) == {}
    assert main(["ratings", "--again"]) == 0
    assert capsys.readouterr().out == "0 matches rated again\n"


def test_every_report_is_listed_and_cannot_send_control_codes_to_a_terminal(
    server_of: Town, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = named(server_of, "ada@example.org"), named(server_of, "ben@example.org")
    monkeypatch.setattr(moderation, "LISTED", 2)
    for text in ("He insults me.", "Again.", "\x1b[2JLook:\nhe does."):
        server_of.now += timedelta(minutes=1)
        moderation.report(server_of.site, ada, ben, text)
    moderation.close_report(server_of.site, ada, 1)
    listed = []
    for command in (["reports"], ["reports", "--closed"]):
        assert main(command) == 0
        listed.append(capsys.readouterr().out.splitlines())
    about = f"'Ada' ({ada}) about 'Ben' ({ben})"
    opened = [
        *(f"2026-11-21 12:03 {about}:", "    '\\x1b[2JLook:'", "    'he does.'"),
        *(f"2026-11-21 12:02 {about}:", "    'Again.'"),
    ]
    closed = [f"2026-11-21 12:01 {about}, closed 2026-11-21 12:03:", "    'He insults me.'"]
    assert listed == [opened, opened + closed]


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("", "pg_dump isn't installed. Debian's package postgresql-client has it."),
        (
            "echo 'pg_dump: error:' >&2; echo '  connection refused' >&2; exit 1",
            "pg_dump failed: pg_dump: error: connection refused",
        ),
    ],
)
def test_a_backup_that_postgresql_cannot_make_leaves_nothing_behind(
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    program: str,
    told: str,
) -> None:
    if program:
        (tmp_path / "pg_dump").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "pg_dump").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DATABASE_URL", fresh_on_postgresql(postgres))
    assert main(["backup", str(tmp_path / "copy")]) == 2
    assert capsys.readouterr().err == f"stonepost: {told}\n"
    assert [*(tmp_path / "copy").iterdir()] == []


def _told_to_dump(folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> Path:
    """Has a program in the place of PostgreSQL's `pg_dump` write down `what` it was given, a line for each call."""
    (folder / "pg_dump").write_text(f"#!/bin/sh\necho {what} >> {folder}/told\n")
    (folder / "pg_dump").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}")
    monkeypatch.setenv("STONEPOST_DATA", str(folder / "data"))
    monkeypatch.setattr(Store, "has_tables", lambda _store: True)
    return folder / "told"


def test_the_password_of_the_database_is_on_no_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = _told_to_dump(tmp_path, monkeypatch, '"$PGPASSWORD" "$@"')
    for url in ("postgresql://ada:hunter2@host/club?", "postgresql://ada@host/club?password=hunter2&"):
        monkeypatch.setenv("DATABASE_URL", f"{url}sslmode=require")
        assert main(["backup", str(tmp_path / "copy")]) == 0
    for line in told.read_text().splitlines():
        assert line.startswith("hunter2 --dbname=host=host dbname=club user=ada sslmode=require --format=custom ")
        assert line.count("hunter2") == 1


def test_a_backup_is_made_of_every_address_of_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = _told_to_dump(tmp_path, monkeypatch, '"$1"')
    monkeypatch.setenv("DATABASE_URL", "postgresql:///club?host=one:5432&host=two:5433&options=-c%20search_path%3Dgo")
    assert main(["backup", str(tmp_path / "copy")]) == 0
    given = told.read_text().removeprefix("--dbname=")
    found = {"dbname": "club", "host": "one,two", "port": "5432,5433", "options": "-c search_path=go"}
    assert conninfo_to_dict(given) == found


def test_a_backup_of_nothing_replaces_no_earlier_one(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in backup.iterdir()}
    monkeypatch.setenv("STONEPOST_DATA", str(backup.parent / "elsewhere"))
    assert main(["backup", str(backup)]) == 2
    database = backup.parent / "elsewhere" / "stonepost.db"
    told = f"stonepost: The database {database} has no tables, so there's nothing to copy.\n"
    assert capsys.readouterr().err == told
    assert {path.name: path.read_bytes() for path in backup.iterdir()} == before


def test_a_backup_never_replaces_the_database_itself(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes that have the file open would go on writing to one that no longer has a name."""
    monkeypatch.setenv("STONEPOST_DATA", str(backup))
    (backup.parent / "link").symlink_to(backup)
    before = (backup / "stonepost.db").stat().st_ino
    for directory in (backup, backup.parent / "link"):
        capsys.readouterr()
        assert main(["backup", str(directory)]) == 2
        told = f"stonepost: The database itself is in {directory}. Choose another directory for the copy.\n"
        assert capsys.readouterr() == ("", told)
    assert (backup / "stonepost.db").stat().st_ino == before


def test_a_backup_where_a_file_cannot_be_made_names_it(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(backup.parent / "old"))
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{backup / 'stonepost.db'}")
    (backup.parent / "copy" / "secret").mkdir(parents=True)
    assert main(["backup", str(backup.parent / "copy")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("stonepost: ")
    assert told.endswith("copy/secret: Is a directory.\n")
    assert sorted(path.name for path in (backup.parent / "copy").iterdir()) == ["secret", "stonepost.db"]


def test_production_refuses_hooks_to_private_addresses(tmp_path: Path) -> None:
    given = {
        "STONEPOST_DATA": str(tmp_path),
        "STONEPOST_MODE": "production",
        "HOOKS_PRIVATE": "1",
        "SMTP_URL": "smtp://mail.example.org",
        "MAIL_DOMAIN": "play.example.org",
        "PUBLIC_URL": "https://play.example.org",
    }
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment(given)
    told = "HOOKS_PRIVATE=1 is refused with STONEPOST_MODE=production, because players could reach your network."
    assert str(raised.value) == told
    assert Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "HOOKS_PRIVATE": "1"}).hooks_private


def test_a_bucket_for_mail_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"STONEPOST_DATA": str(tmp_path), "MAIL_STORE": "s3://bucket/mail"}
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment(given)
    assert str(raised.value) == "MAIL_STORE=s3://… needs a package: pip install -r requirements-s3.lock"
