"""Mail fetched from an IMAP server that breaks off, refuses, or has nothing there any more."""

from __future__ import annotations

import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import ClassVar, Literal

import pytest

from service.inbound import imap
from service.inbound.imap import Account, MailboxDoor

MAIL = b"From: ada@example.org\r\n\r\nstatus\r\n"


class Session(socketserver.StreamRequestHandler):
    """A mailbox with one message, number 7. No AUTH=PLAIN, no IDLE: the oldest servers have neither."""

    fetches: ClassVar[Literal["whole", "broken", "refused", "deleted"]]
    stores: ClassVar[Literal["OK", "NO"]]
    comes_late: ClassVar[bool]
    """Whether the message arrives while the first search is answered."""
    asked: ClassVar[list[str]]
    flags: ClassVar[list[str]]
    enough: ClassVar[Event]
    """Set when the message was flagged, or looked for again."""

    def handle(self) -> None:
        self.wfile.write(b"* OK ready\r\n")
        while line := self.rfile.readline().decode().strip():
            tag, command = line.split(" ", 1)
            self.asked.append(command)
            answer = self.answer(command)
            if answer is None:
                return
            self.wfile.write(f"{answer.replace('TAG', tag)}\r\n".encode())

    def answer(self, command: str) -> str | None:
        """What is answered; None hangs up."""
        if command.startswith("CAPABILITY"):
            return "* CAPABILITY IMAP4rev1\r\nTAG OK done"
        if command.startswith("UID SEARCH"):
            if self.asked.count(command) > 1 + self.comes_late and self.fetches in ("whole", "deleted"):
                self.enough.set()
            if self.comes_late and self.asked.count(command) == 1:
                return "* SEARCH\r\n* 1 EXISTS\r\nTAG OK done"
            return "* SEARCH\r\nTAG OK done" if self.flags else "* SEARCH 7\r\nTAG OK done"
        if "RFC822.SIZE" in command:
            return f"* 1 FETCH (UID 7 RFC822.SIZE {len(MAIL)})\r\nTAG OK done"
        if "BODY.PEEK" in command:
            found = f"* 1 FETCH (UID 7 BODY[] {{{len(MAIL)}}}\r\n{MAIL.decode()})\r\n"
            answers = {"broken": None, "refused": "TAG NO not now", "deleted": "TAG OK done"}
            return answers.get(self.fetches, f"{found}TAG OK done")
        if command.startswith("UID STORE"):
            if self.stores == "OK":
                self.flags.append(re.sub(r".*FLAGS.SILENT ", "", command))
                self.enough.set()
            return f"TAG {self.stores} done"
        return "TAG OK done"


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> type[Session]:
    monkeypatch.setattr(imap, "QUICKEST", 0.01)
    Session.fetches, Session.stores, Session.comes_late = "whole", "OK", False
    Session.asked, Session.flags, Session.enough = [], [], Event()
    return Session


@contextmanager
def tended(session: type[Session], rest: float = 0.01) -> Iterator[list[bytes]]:
    """What a door receives until the message was flagged or looked for again. `rest`: seconds between checks."""
    taken: list[bytes] = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), session) as server:
        threads = [Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})]
        account = Account.from_url(f"imap://ada:secret@127.0.0.1:{server.server_address[1]}")
        door = MailboxDoor(account=account, receive=taken.append, rest=rest)
        threads.append(Thread(target=door.tend))
        for thread in threads:
            thread.start()
        try:
            assert session.enough.wait(30)
            yield taken
        finally:
            door.stop()
            server.shutdown()
            for thread in threads:
                thread.join()


def test_a_server_without_authenticate_gets_the_password_by_login(session: type[Session]) -> None:
    with tended(session) as taken:
        assert taken == [MAIL]
    assert 'LOGIN "ada" "secret"' in session.asked
    assert session.flags == [r"(\Seen)"]


def test_a_message_that_arrives_during_a_search_is_not_waited_for(session: type[Session]) -> None:
    """The server mentions it only once, and not again to IDLE."""
    session.comes_late = True
    with tended(session, rest=600) as taken:
        assert taken == [MAIL]


@pytest.mark.parametrize("fetches", ["broken", "refused"])
def test_a_message_that_cannot_be_fetched_is_set_aside_after_three_tries(
    session: type[Session], fetches: Literal["broken", "refused"], caplog: pytest.LogCaptureFixture
) -> None:
    session.fetches = fetches
    with tended(session) as taken:
        assert taken == []
    assert len([command for command in session.asked if "BODY.PEEK" in command]) == 3
    assert session.flags == [r"(\Flagged \Seen)"]
    assert (
        "message 7 in the mailbox on 127.0.0.1 was flagged and left there: fetching it failed each time" in caplog.text
    )
    assert ("FETCH was answered with NO; trying again" in caplog.text) is (fetches == "refused")


def test_a_message_that_was_deleted_meanwhile_is_skipped(session: type[Session]) -> None:
    session.fetches = "deleted"
    with tended(session) as taken:
        assert taken == []
    assert session.flags == []


def test_a_message_that_could_not_be_marked_is_brought_again(
    session: type[Session], caplog: pytest.LogCaptureFixture
) -> None:
    session.stores = "NO"
    with tended(session) as taken:
        assert taken[:1] == [MAIL]
    assert "STORE was answered with NO; trying again" in caplog.text
