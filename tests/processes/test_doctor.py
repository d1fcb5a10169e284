"""`stonepost doctor`: what it finds in a running deployment, and in one where nothing runs."""

from __future__ import annotations

import ctypes
import os
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.cli.deployment.doctor import _clock as clock
from service.cli.deployment.doctor import _database as database
from service.cli.deployment.doctor import _web as web
from service.cli.site import this_site
from service.config import ROOT
from tests import postgresql
from tests.ports import free_port
from tests.processes.deployment import Deployment

pytestmark = pytest.mark.processes


def doctor(environment: Mapping[str, str]) -> tuple[int, dict[str, str]]:
    """Its exit code, and the sentence of each check by its result and name, such as `ok web`.

    The clock is left out: no test can know whether this machine's is synchronised.
    """
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "doctor"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    return done.returncode, {what: said for what, said in lines.items() if not what.endswith("clock")}


def test_it_finds_nothing_wrong_with_a_running_deployment(deployment: Deployment) -> None:
    _, found = doctor(deployment.environment)
    # The domain in MAIL_DOMAIN doesn't exist.
    dns = ("MX", "SPF", "DKIM", "DMARC", "reverse DNS")
    assert {what for what in found if what.startswith("fix")} <= {f"fix  {what}" for what in dns}
    assert found["ok   health"] == "All is well."
    assert found["ok   queue"].count("@") == 4
    assert found["ok   web"] == f"{deployment.address} answers."


def test_it_says_what_to_do_if_nothing_runs(tmp_path: Path) -> None:
    environment = {
        "STONEPOST_DATA": str(tmp_path),
        "WEB_PORT": str(free_port()),
        "SMTP_URL": f"smtp://me:secret@127.0.0.1:{free_port()}",
    }
    (tmp_path / "secret").write_text("s" * 40)
    (tmp_path / "secret").chmod(0o644)
    code, found = doctor(environment)
    assert code == 1
    assert found["fix  files"] == f"Other users can read {tmp_path / 'secret'}. Run: chmod 600 {tmp_path / 'secret'}"
    assert found["fix  tables"] == "They aren't up to date. Run: stonepost migrate"
    assert found["fix  processes"] == "Stonepost isn't running. Start it."
    assert "fix  mail server" in found
    assert not {"health", "queue", "limits", "web"} & {what[5:] for what in found}
    assert "ok   database" in found
    assert "me:secret" not in str(found)


def test_it_says_who_can_look_into_the_data_directory(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    _, found = doctor({"STONEPOST_DATA": str(tmp_path)})
    assert found["fix  files"] == f"Other users can look into {tmp_path}. Run: chmod 700 {tmp_path}"


def test_it_names_the_setting_of_a_server_that_does_not_answer(tmp_path: Path) -> None:
    web, queue = free_port(), free_port()
    environment = {
        "STONEPOST_DATA": str(tmp_path),
        "WEB_PORT": str(web),
        "REDIS_URL": f"redis://127.0.0.1:{queue}/0",
    }
    _, found = doctor(environment)
    assert found["fix  limits"] == "Requests can't be counted. Look at REDIS_URL."
    assert found["fix  web"] == (
        f"http://127.0.0.1:{web}/health/live can't be opened from here (Connection refused). "
        "Check PUBLIC_URL, its proxy, certificate and DNS."
    )


def test_it_goes_on_if_rabbitmq_refuses_the_password(tmp_path: Path) -> None:
    def frame(*parts: bytes) -> bytes:
        return b"\x01\x00\x00" + struct.pack(">I", sum(map(len, parts))) + b"".join(parts) + b"\xce"

    start = frame(struct.pack(">HHBBI", 10, 10, 0, 9, 0), b"\0\0\0\5PLAIN", b"\0\0\0\5en_US")
    close = frame(struct.pack(">HHHB", 10, 50, 403, 14), b"ACCESS_REFUSED", b"\0\0\0\0")

    def refuse(server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                with server.accept()[0] as client:
                    for answer in (start, close):
                        client.recv(4096)
                        client.sendall(answer)
                    client.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=refuse, args=(server,), daemon=True).start()
        _, found = doctor(
            {
                "STONEPOST_DATA": str(tmp_path),
                "WEB_PORT": str(free_port()),
                "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0",
                "AMQP_URL": f"amqp://me:wrong@127.0.0.1:{server.getsockname()[1]}/",
            }
        )
    assert found["fix  queue"] == "AccessRefused: (0, 0): (403) ACCESS_REFUSED"
    assert "ok   mail server" in found


def test_it_says_what_to_do_about_broken_files(tmp_path: Path) -> None:
    file, key = tmp_path / "stonepost.db", tmp_path / "dkim.pem"
    for path in (file, key):
        path.write_text("garbage" * 99)
        path.chmod(0o600)
    _, found = doctor({"STONEPOST_DATA": str(tmp_path)})
    assert found["fix  database"] == (
        f"{file} can't be read (file is not a database). Move it away, and run: stonepost restore DIRECTORY"
    )
    assert not {"tables", "backup"} & {what[5:] for what in found}
    assert found["fix  DKIM key"] == (
        f"{key} has no RSA key. Put it back from a backup, or delete it and run: stonepost mail dkim-key"
    )


def test_it_says_that_tables_are_of_a_newer_version(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "stonepost.db")) as file, file:
        file.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        file.execute("INSERT INTO alembic_version VALUES ('9999')")
    _, found = doctor({"STONEPOST_DATA": str(tmp_path)})
    assert found["fix  tables"].startswith("They are from a newer version of Stonepost.")


def test_it_notices_a_postgresql_that_can_only_be_read(postgres: str, tmp_path: Path) -> None:
    postgresql.execute(postgres, "CREATE DATABASE readable TEMPLATE template")
    postgresql.execute(postgres, "ALTER DATABASE readable SET default_transaction_read_only = on")
    _, found = doctor({"STONEPOST_DATA": str(tmp_path), "DATABASE_URL": postgres.format("readable")})
    assert found["fix  database"] == "It can only be read: it is a standby, or default_transaction_read_only is on."


def test_it_notices_a_file_of_sqlite_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    site = this_site()
    assert database(site)[0] == ""
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)  # Root may write to any file.
    assert database(site)[0].startswith(f"{tmp_path}/stonepost.db can't be written to.")
    site.store.close()


def test_it_goes_on_where_it_may_not_look(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()  # It can't be opened, like a file of another user.
    hidden = tmp_path / ("x" * 300)
    code, found = doctor({"STONEPOST_DATA": str(tmp_path), "DKIM_KEY": str(hidden)})
    assert code == 1
    assert found["fix  processes"].startswith("IsADirectoryError: ")
    assert found["fix  DKIM key"].startswith("OSError: ")


def test_a_clock_that_cannot_be_asked_is_not_said_to_be_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: SimpleNamespace(adjtimex=lambda _timex: -1))
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    assert clock(this_site(migrate=False)) == ("", "This machine doesn't let us ask whether it is kept right.")


def test_with_wrong_settings_it_checks_nothing_else(tmp_path: Path) -> None:
    code, found = doctor({"STONEPOST_DATA": str(tmp_path), "SWEEP_SECONDS": "often"})
    assert code == 1
    assert [*found] == ["fix  settings"]


def test_it_notices_a_proxy_that_no_setting_mentions(tmp_path: Path) -> None:
    settings = {"STONEPOST_MODE": "production", "PUBLIC_URL": "https://play.example", "SMTP_URL": "smtp://127.0.0.1:1"}
    _, found = doctor({"STONEPOST_DATA": str(tmp_path), "MAIL_DOMAIN": "play.example", **settings})
    assert found["fix  settings"].startswith("TRUSTED_PROXIES is 0")


@pytest.mark.parametrize(
    ("encoding", "tool", "what", "told"),
    [
        ("SQL_ASCII", "", "database", "Its encoding is SQL_ASCII."),
        ("UTF8", "", "backup", "stonepost backup needs pg_dump."),
        ("UTF8", "echo 'Error: install one' >&2; exit 1", "backup", "pg_dump can't be run. Install postgresql-client-"),
        ("UTF8", "echo 'pg_dump (PostgreSQL) 9.6.24 (Debian 9.6.24-0+deb9u1)'", "backup", "pg_dump 9 is older than"),
    ],
    ids=["encoding", "no pg_dump", "only the script", "old pg_dump"],
)
def test_it_notices_a_wrong_encoding_of_postgresql_and_tools_that_cannot_copy_it(
    postgres: str, tmp_path: Path, encoding: str, tool: str, what: str, told: str
) -> None:
    name = f"{encoding}_{len(tool)}".lower()
    made = f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    postgresql.execute(postgres, made)
    if tool:
        (tmp_path / "pg_dump").write_text(f"#!/bin/sh\n{tool}\n")
        (tmp_path / "pg_dump").chmod(0o755)
    settings = {"STONEPOST_DATA": str(tmp_path / "data"), "DATABASE_URL": postgres.format(name), "PATH": str(tmp_path)}
    _, found = doctor(settings)
    assert found[f"fix  {what}"].startswith(told)


def test_it_accepts_a_password_of_postgresql_with_a_space(postgres: str, tmp_path: Path) -> None:
    url = postgres.format("postgres").replace("@", ":pass%20word@")
    _, found = doctor({"STONEPOST_DATA": str(tmp_path), "DATABASE_URL": url})
    assert found["ok   database"].startswith("PostgreSQL ")


def test_it_accepts_postgresqls_own_tools(postgres: str, tmp_path: Path) -> None:
    path = f"{postgresql.programs_here()}:{os.environ['PATH']}"
    settings = {"STONEPOST_DATA": str(tmp_path), "DATABASE_URL": postgres.format("template"), "PATH": path}
    _, found = doctor(settings)
    assert found["ok   backup"].startswith("pg_dump ")
    assert found["ok   tables"] == "up to date"


def test_it_says_that_no_web_server_is_at_the_public_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"http://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("PUBLIC_URL", where)

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"220 play.example ESMTP\r\n")
                connection.recv(10_000)

        threading.Thread(target=greet).start()
        trouble, _ = web(this_site(migrate=False))
    assert trouble.startswith(f"{where}/health/live can't be opened from here (220 play.example ESMTP).")
