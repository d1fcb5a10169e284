"""Fetches mail over IMAP, for sites that have a mailbox but no mail server of their own.

Unread messages are new. A message is marked as read only after `receive` has committed it. If anything fails in
between, it is fetched again, and receiving it twice changes nothing. A message that can't be accepted is marked as read
and flagged, for a person to look at; if they mark it as unread, it is tried again.
"""

from __future__ import annotations

import imaplib
import logging
import re
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.mailbox import BaseMailBox

from service.addresses import is_loopback
from service.inbound.smtp import SIZE_LIMIT
from service.store.session import FAILURES

log = logging.getLogger(__name__)

Receive = Callable[[bytes], None]
"""`receive(raw)`: returns once the message is committed."""

ANSWER_WITHIN = 60.0
"""Seconds to wait for any reply from the server, including a large message."""

IDLE_AGAIN = 240.0
"""Seconds until IDLE is renewed: routers drop silent connections, and servers may after 30 minutes (RFC 2177)."""

QUICKEST, SLOWEST = 1.0, 300.0
"""Seconds before reconnecting. Each failure doubles the delay, and a success resets it to QUICKEST."""

MOST_TRIES = 3
"""How often fetching one message may fail, such as by a broken connection, before it is set aside."""

_PASSING = (*FAILURES, OSError)
"""Temporary errors of `receive`, such as a database that is down. The message is then tried again."""

_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


@dataclass(frozen=True, slots=True)
class Account:
    """A mailbox and its credentials. `folder` is spelt as people see it, not in IMAP's encoding."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str
    folder: str

    @classmethod
    def from_url(cls, url: str) -> Account:
        """Reads `imaps://user:password@host/INBOX`, where user, password and folder may be percent-encoded."""
        parts = urlsplit(url)
        encrypted = parts.scheme == "imaps"
        return cls(
            host=parts.hostname or "",
            port=parts.port or (993 if encrypted else 143),
            encrypted=encrypted,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            folder=unquote(parts.path.strip("/")) or "INBOX",
        )


@dataclass(kw_only=True)
class MailboxDoor:
    """Fetches from a mailbox until `stop`. `rest` is the number of seconds between checks if the server has no IDLE."""

    account: Account
    receive: Receive
    rest: float
    size_limit: int = SIZE_LIMIT

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        self._box: BaseMailBox | None = None
        self._delay = QUICKEST
        self._tries: Counter[str] = Counter()

    def tend(self) -> None:
        """Receives messages as soon as they arrive, and reconnects after errors. Returns after `stop`."""
        while not self._stopping.is_set():
            try:
                with self._open() as box:
                    self._watch(box)
            except Exception as error:  # No error may end this loop.
                if not self._stopping.is_set():
                    told = self._told(error)
                    log.warning("mailbox on %s: %s; trying again in %.0f s", self.account.host, told, self._delay)
            if self._stopping.wait(self._delay):
                return
            self._delay = min(2 * self._delay, SLOWEST)

    def stop(self) -> None:
        """Makes `tend` return after the current message."""
        self._stopping.set()
        box = self._box
        if box is not None:
            # Wakes a thread that is waiting for the server.
            with suppress(OSError, AttributeError):
                box.client.sock.shutdown(socket.SHUT_RDWR)

    def trouble(self) -> str:
        """Why the mailbox can't be opened, for the operator; "" if it can."""
        try:
            with self._open():
                return ""
        except Exception as error:
            return self._told(error)

    def _told(self, error: Exception) -> str:
        """An error as text, without the password, which a server might repeat."""
        told = " ".join(f"{type(error).__name__} {error}".split())
        return told.replace(self.account.password or "\0", "…")[:300]

    @contextmanager
    def _open(self) -> Iterator[BaseMailBox]:
        """Connects, signs in and selects the folder. Hangs up when the block ends."""
        box = _connect(self.account)
        try:
            self._box = box
            _sign_in(box, self.account)
            box.folder.set(self.account.folder)
            yield box
        finally:
            self._box = None
            # No LOGOUT, which would wait for a server that may be broken.
            with suppress(OSError):
                box.client.shutdown()

    def _watch(self, box: BaseMailBox) -> None:
        """Receives the unread messages, then waits for more. Checks after every wait, so that no message is missed."""
        taken: set[str] = set()
        while not self._stopping.is_set():
            before = _size(box)
            unread = box.uids("UNSEEN", charset=None)
            # Even if the server forgets that messages were read, they aren't received again.
            taken &= {*unread}
            new = [uid for uid in unread if uid not in taken]
            for uid in new:
                if self._stopping.is_set():
                    return
                self._take(box, uid)
                taken.add(uid)
            # What arrives during the search isn't in its result, and the server doesn't mention it again to IDLE.
            if not new and _size(box) == before:
                self._wait(box)
            self._delay = QUICKEST

    def _take(self, box: BaseMailBox, uid: str) -> None:
        """Receives one message and marks it, or sets it aside. Raises the errors in _PASSING."""
        if self._tries[uid] >= MOST_TRIES:
            return self._set_aside(box, uid, "fetching it failed each time")
        self._tries[uid] += 1
        size = _SIZE.search(_fetch(box, uid, "(RFC822.SIZE)")[0])
        if size and int(size[1]) > self.size_limit:
            return self._set_aside(box, uid, f"it is too large ({int(size[1])} octets)")
        _, raw = _fetch(box, uid, "(BODY.PEEK[])")
        del self._tries[uid]
        if raw is None:
            return None  # It has been deleted since.
        try:
            self.receive(raw)
        except _PASSING:
            raise
        except Exception:
            log.exception("could not receive a message of %d octets", len(raw))
            return self._set_aside(box, uid, "it could not be received")
        return _mark(box, uid, r"(\Seen)")

    def _set_aside(self, box: BaseMailBox, uid: str, why: str) -> None:
        log.warning("message %s in the mailbox on %s was flagged and left there: %s", uid, self.account.host, why)
        self._tries.pop(uid, None)
        _mark(box, uid, r"(\Flagged \Seen)")

    def _wait(self, box: BaseMailBox) -> None:
        """Returns when there may be new messages."""
        if "IDLE" not in box.client.capabilities:
            self._stopping.wait(self.rest)
            return
        with box.idle as idle:
            if not _told(box.client):
                idle.poll(IDLE_AGAIN)


def _connect(account: Account) -> BaseMailBox:
    """A connection that is safe for a password: encrypted, or within this machine."""
    if account.encrypted:
        context = ssl.create_default_context()
        return MailBox(account.host, account.port, timeout=ANSWER_WITHIN, ssl_context=context)
    if is_loopback(account.host):
        return MailBoxUnencrypted(account.host, account.port, timeout=ANSWER_WITHIN)
    context = ssl.create_default_context()
    return MailBoxStartTls(account.host, account.port, timeout=ANSWER_WITHIN, ssl_context=context)


def _sign_in(box: BaseMailBox, account: Account) -> None:
    """Signs in with AUTHENTICATE PLAIN, which allows any character (RFC 4616), or else with LOGIN."""
    # Servers may offer other capabilities after STARTTLS, and again after sign-in.
    if "AUTH=PLAIN" in _capabilities(box):
        box.login_utf8(account.user, account.password, None)
    else:
        box.login(account.user, account.password, None)
    _capabilities(box)


def _capabilities(box: BaseMailBox) -> tuple[str, ...]:
    _, said = box.client.capability()
    box.client.capabilities = tuple(said[0].decode("ascii", "replace").upper().split())
    return box.client.capabilities


def _size(box: BaseMailBox) -> object:
    """How many messages the folder had when the server last said so (RFC 3501, 7.3.1); None if it never has."""
    said = box.client.untagged_responses.get("EXISTS", [None])
    del said[:-1]
    return said[-1]


def _fetch(box: BaseMailBox, uid: str, what: str) -> tuple[bytes, bytes | None]:
    """The server's reply to FETCH, and the literal in it or None. Raises imaplib's errors."""
    status, said = box.client.uid("FETCH", uid, what)
    if status != "OK":
        raise imaplib.IMAP4.error(f"FETCH was answered with {status}")
    answers: list[Any] = [answer for answer in said if answer]
    told = b" ".join(answer for answer in answers if isinstance(answer, bytes))
    return told, next((answer[1] for answer in answers if isinstance(answer, tuple)), None)


def _mark(box: BaseMailBox, uid: str, flags: str) -> None:
    # Without imap_tools, which would also expunge messages that somebody else marked as deleted.
    status, _ = box.client.uid("STORE", uid, "+FLAGS.SILENT", flags)
    if status != "OK":
        raise imaplib.IMAP4.error(f"STORE was answered with {status}")


def _told(client: imaplib.IMAP4) -> bool:
    """Whether news came with the server's reply to IDLE. It is already buffered, so polling would miss it."""
    patience = client.sock.gettimeout()
    client.sock.settimeout(0)
    try:
        return bool(client.readline())
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        client.sock.settimeout(patience)
