"""What a club's hook and mailing list are sent: each piece of news once, and nothing hidden, with a real server."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.exc import OperationalError

from service.config import Settings, SettingsError
from service.play.company import wishes
from service.play.company.wish_text import read
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.operations.health import examine
from service.play.operations.sweep import sweep
from service.play.outbox.deliver import deliver
from service.play.table import press
from service.store.tables.mail_rows import Letter
from tests.play.company.test_notices import open_seat
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import named
from tests.processes.certificate import make_certificate

LIST = "mailto:club@lists.example.org"


@dataclass
class Hook:
    """A server for hooks: the texts and keys it was sent, and the status it answers."""

    port: int = 0
    status: int = 204
    texts: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"mattermost+https://localhost:{self.port}/hooks/x"


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    told = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.texts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            told.keys.append(self.headers["Idempotency-Key"])
            self.send_response(told.status)
            self.send_header("Location", "https://localhost/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    told.port = server.server_port
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def club(town: Town, *addresses: str, private: bool = True) -> None:
    town.settings = replace(town.settings, club_notices=addresses, club_notices_private=private)


def later(town: Town, **time: float) -> None:
    town.now += timedelta(**time)
    sweep(town.site)
    town.work()


def play(town: Town, ada: int, ben: int, talk: str = press.DEFAULT) -> None:
    """A match that Ben resigns."""
    chairs = [Chair("me"), Chair("paired", player_id=ben)]
    match = lobby.open_match(town.site, ada, "lotus", {}, chairs, talk=talk)
    town.work()
    (asked,) = town.write("ben@example.org", f"match {match}\nresign")[-1:]
    town.reply(asked, "yes")


def test_open_seats_wishes_and_results_are_sent_once(town: Town, hook: Hook) -> None:
    club(town, hook.address, LIST)
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    open_seat(town, ada)
    wishes.make(town.site, ben, read("go"))
    wishes.make(town.site, ben, read("go up to 3"))
    town.work()
    assert hook.texts == []
    later(town, minutes=6)
    later(town, minutes=6)
    assert sorted(hook.texts) == [
        "Ada has an open seat in Lotus 1. You have 3 days for each move. http://127.0.0.1:8000/match/1",
        "Somebody is looking for an opponent at Go. http://127.0.0.1:8000/wishes",
    ]
    hook.texts.clear()
    town.post()
    play(town, ada, ben)
    later(town, minutes=6)
    assert hook.texts == ["Lotus 2 is over: Ada won against Ben. http://127.0.0.1:8000/match/2"]
    (mail,) = [mail for mail in town.post() if mail["To"] == "club@lists.example.org"]
    assert mail["Subject"] == "Lotus 2 is over"
    assert plain(mail).startswith("Lotus 2 is over: Ada won against Ben.")
    assert mail["Reply-To"] is None


def test_a_hook_that_fails_says_nothing_of_the_mail_server(town: Town, hook: Hook) -> None:
    """A notice belongs to the player it's about, but goes to the club."""
    club(town, hook.address)
    hook.status = 500
    sweep(town.site)
    for name in ("ada", "ben", "cleo", "dana", "emil"):
        open_seat(town, named(town, f"{name}@example.org"))
    later(town, minutes=6)
    assert len(hook.texts) == 5
    assert examine(town.site).trouble == ""


def test_hidden_or_useless_news_is_not_sent(town: Town, hook: Hook) -> None:
    club(town, hook.address)
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    open_seat(town, ada, talk="none-anonymous")
    play(town, ada, ben, talk="none-anonymous")
    lobby.practise(town.site, ada, "lotus")
    wishes.make(town.site, ben, read("go"))
    wishes.end(town.site, ben)
    later(town, minutes=6)
    assert hook.texts == []


def test_a_seat_that_was_taken_meanwhile_is_not_announced(town: Town, hook: Hook) -> None:
    club(town, hook.address)
    open_seat(town, named(town, "ada@example.org"))
    named(town, "ben@example.org")
    town.write("ben@example.org", "join 1")
    later(town, minutes=6)
    assert hook.texts == []


def one_seat(town: Town, *addresses: str, private: bool = True) -> int:
    """The number of the only letter about an open seat, which is due."""
    club(town, *addresses, private=private)
    open_seat(town, named(town, "ada@example.org"))
    town.work()
    town.now += timedelta(minutes=6)
    with town.store.reading() as session:
        return session.scalars(select(Letter.id).where(Letter.kind == "club_notice")).one()


def letter(town: Town, number: int) -> Letter:
    with town.store.reading() as session:
        return session.get_one(Letter, number)


def test_a_copy_after_a_crash_has_the_same_key(town: Town, hook: Hook) -> None:
    number = one_seat(town, hook.address)
    deliver(town.site, number)
    deliver(town.site, number)
    assert len(hook.texts) == 1
    with town.store.writing() as session:
        session.execute(update(Letter).values(sent=None))
    deliver(town.site, number)
    assert len(hook.texts) == 1, "the lease goes on"
    town.now += timedelta(hours=1)
    deliver(town.site, number)
    assert hook.keys == hook.keys[:1] * 2
    assert letter(town, number).sent is not None


@pytest.mark.parametrize(
    ("status", "again", "why"),
    [(503, True, "answered 503"), (429, True, "429"), (404, False, "answered 404"), (302, False, "answered 302")],
)
def test_a_hook_that_fails_is_tried_again_and_one_that_is_gone_is_not(
    town: Town, hook: Hook, status: int, again: bool, why: str
) -> None:
    hook.status = status
    number = one_seat(town, hook.address)
    deliver(town.site, number)
    failed = letter(town, number)
    assert (failed.due is not None, failed.sent) == (again, None)
    assert why in failed.error
    assert "localhost" not in failed.error
    assert len(hook.texts) == 1


def test_a_hook_that_cannot_be_reached_is_tried_again(town: Town, hook: Hook) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    number = one_seat(town, f"https://localhost:{port}/hook")
    deliver(town.site, number)
    assert letter(town, number).due is not None


def test_a_private_address_is_called_only_if_the_operator_allows_it(town: Town, hook: Hook) -> None:
    number = one_seat(town, hook.address, private=False)
    deliver(town.site, number)
    assert "private network" in letter(town, number).error
    assert hook.texts == []


def test_an_untrusted_certificate_is_refused(town: Town, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    number = one_seat(town, hook.address)
    deliver(town.site, number)
    assert "SSLCertVerificationError" in letter(town, number).error
    assert hook.texts == []


def test_an_address_removed_from_the_settings_gets_nothing(town: Town, hook: Hook) -> None:
    number = one_seat(town, hook.address)
    club(town)
    deliver(town.site, number)
    assert letter(town, number).due is None
    assert hook.texts == []


@pytest.mark.parametrize(
    "text", ["https://discord.com/api", "discord+http://discord.com/api", "mailto:club", "irc+https://h"]
)
def test_malformed_addresses_are_refused_at_the_start(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="CLUB_NOTICES must be like mailto:"):
        Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "CLUB_NOTICES": text})


def test_a_notice_waits_while_the_database_fails_as_it_is_written(town: Town, hook: Hook) -> None:
    number = one_seat(town, hook.address)

    def fail(*given: object) -> None:
        if "FROM player" in str(given[2]):
            raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    event.listen(town.store.engine, "before_cursor_execute", fail)
    with pytest.raises(OperationalError):
        deliver(town.site, number)
    event.remove(town.store.engine, "before_cursor_execute", fail)
    assert (letter(town, number).error, letter(town, number).sent) == ("", None)
    town.now += timedelta(hours=1)
    deliver(town.site, number)
    assert len(hook.texts) == 1
