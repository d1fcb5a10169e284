"""The mailbox door: mail fetched over IMAP, for a house that has a mailbox and no mail server of its own.

What is not marked as read is new. A message is marked only after `receive` has committed it, so that whatever happens
in between, it is fetched again; a copy changes nothing. A message we cannot take is flagged besides, for a person to
look at: marked as unread again, it is tried again.
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
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.mailbox import BaseMailBox
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.inbound.smtp import SIZE_LIMIT

log = logging.getLogger(__name__)

Receive = Callable[[bytes], None]
"""`receive(raw)`: returns once the message is committed."""

ANSWER_WITHIN = 60.0
"""Seconds for any answer of the server, a large message included."""

IDLE_AGAIN = 240.0
"""Seconds after which IDLE is asked for anew: routers forget silent lines, servers may after 29 minutes (RFC 2177)."""

QUICKEST, SLOWEST = 1.0, 300.0
"""Seconds before another try: doubled by each that fails, and back to the quickest when one works."""

MOST_TRIES = 3
"""How often the line may break over one message before that message is set aside."""

_PASSING = (OperationalError, InterfaceError, PoolTimeout, OSError)
"""What `receive` raises when the trouble is ours and not the message's."""

_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


@dataclass(frozen=True, slots=True)
class Account:
    """Where a mailbox is, and what opens it. `folder` is spelt as people see it."""

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
    """A mailbox that is looked into until `stop`. `rest` is the time between two looks where IDLE is not known."""

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
        """Takes in what comes, as soon as it comes; whatever breaks is tried again later. Returns after `stop`."""
        while not self._stopping.is_set():
            try:
                with self._open() as box:
                    self._watch(box)
            except Exception as error:  # Nothing that a server says or does may end this for good.
                if not self._stopping.is_set():
                    told = self._told(error)
                    log.warning("the mailbox on %s: %s; trying again in %.0f s", self.account.host, told, self._delay)
            if self._stopping.wait(self._delay):
                return
            self._delay = min(2 * self._delay, SLOWEST)

    def stop(self) -> None:
        """Lets `tend` end, after the message it is at."""
        self._stopping.set()
        box = self._box
        if box is not None:
            # This is what wakes a reader that waits for the server.
            with suppress(OSError, AttributeError):
                box.client.sock.shutdown(socket.SHUT_RDWR)

    def trouble(self) -> str:
        """What stands in the way of opening the mailbox, for who set it up; "" if nothing does."""
        try:
            with self._open():
                return ""
        except Exception as error:
            return self._told(error)

    def _told(self, error: Exception) -> str:
        """An error in words. A server may repeat what we said to it, and we must not."""
        told = " ".join(f"{type(error).__name__} {error}".split())
        return told.replace(self.account.password or "\0", "…")[:300]

    @contextmanager
    def _open(self) -> Iterator[BaseMailBox]:
        """The mailbox with its folder selected, for as long as the line holds."""
        box = _connect(self.account)
        try:
            self._box = box
            _sign_in(box, self.account)
            box.folder.set(self.account.folder)
            yield box
        finally:
            self._box = None
            # A LOGOUT would wait for a server that may be what is broken; hanging up is understood as well.
            with suppress(OSError):
                box.client.shutdown()

    def _watch(self, box: BaseMailBox) -> None:
        """Takes what is there, then waits for more; a look follows every wait, so that nothing slips between them."""
        taken: set[str] = set()
        while not self._stopping.is_set():
            unread = box.uids("UNSEEN", charset=None)
            # A folder that forgets our marks must not keep us busy with the same messages for ever.
            taken &= {*unread}
            new = [uid for uid in unread if uid not in taken]
            for uid in new:
                if self._stopping.is_set():
                    return
                self._take(box, uid)
                taken.add(uid)
            if not new:
                self._wait(box)
            self._delay = QUICKEST

    def _take(self, box: BaseMailBox, uid: str) -> None:
        """One message: kept and marked, or set aside. What may pass is raised, and the message tried again."""
        if self._tries[uid] >= MOST_TRIES:
            return self._set_aside(box, uid, "the line broke over it again and again")
        self._tries[uid] += 1
        size = _SIZE.search(_fetch(box, uid, "(RFC822.SIZE)")[0])
        if size and int(size[1]) > self.size_limit:
            return self._set_aside(box, uid, f"it has {int(size[1])} octets")
        _, raw = _fetch(box, uid, "(BODY.PEEK[])")
        del self._tries[uid]
        if raw is None:
            return None  # Somebody else has removed it.
        try:
            self.receive(raw)
        except _PASSING:
            raise
        except Exception:
            log.exception("a message of %d octets could not be received", len(raw))
            return self._set_aside(box, uid, "it could not be received")
        return _mark(box, uid, r"(\Seen)")

    def _set_aside(self, box: BaseMailBox, uid: str, why: str) -> None:
        log.warning("message %s in the mailbox on %s is flagged and left there: %s", uid, self.account.host, why)
        self._tries.pop(uid, None)
        _mark(box, uid, r"(\Flagged \Seen)")

    def _wait(self, box: BaseMailBox) -> None:
        """Returns when there may be something new."""
        if "IDLE" not in box.client.capabilities:
            self._stopping.wait(self.rest)
            return
        with box.idle as idle:
            if not _told(box.client):
                idle.poll(IDLE_AGAIN)


def _connect(account: Account) -> BaseMailBox:
    """An open line on which a password may be said: encrypted, or not leaving this machine."""
    if account.encrypted:
        context = ssl.create_default_context()
        return MailBox(account.host, account.port, timeout=ANSWER_WITHIN, ssl_context=context)
    if _is_here(account.host):
        return MailBoxUnencrypted(account.host, account.port, timeout=ANSWER_WITHIN)
    context = ssl.create_default_context()
    return MailBoxStartTls(account.host, account.port, timeout=ANSWER_WITHIN, ssl_context=context)


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _sign_in(box: BaseMailBox, account: Account) -> None:
    """Says user and password, in the way that carries any character where the server knows it (RFC 4616)."""
    # What a server can do may change once the line is encrypted, and again once it knows us.
    if "AUTH=PLAIN" in _capabilities(box):
        box.login_utf8(account.user, account.password, None)
    else:
        box.login(account.user, account.password, None)
    _capabilities(box)


def _capabilities(box: BaseMailBox) -> tuple[str, ...]:
    _, said = box.client.capability()
    box.client.capabilities = tuple(said[0].decode("ascii", "replace").upper().split())
    return box.client.capabilities


def _fetch(box: BaseMailBox, uid: str, what: str) -> tuple[bytes, bytes | None]:
    """What the server says of a message, and the literal in it: None if it has none. Raises imaplib's errors."""
    status, said = box.client.uid("FETCH", uid, what)
    if status != "OK":
        raise imaplib.IMAP4.error(f"FETCH was answered with {status}")
    answers: list[Any] = [answer for answer in said if answer]
    told = b" ".join(answer for answer in answers if isinstance(answer, bytes))
    return told, next((answer[1] for answer in answers if isinstance(answer, tuple)), None)


def _mark(box: BaseMailBox, uid: str, flags: str) -> None:
    # imap_tools would also remove for good what somebody else has marked as deleted.
    status, _ = box.client.uid("STORE", uid, "+FLAGS.SILENT", flags)
    if status != "OK":
        raise imaplib.IMAP4.error(f"STORE was answered with {status}")


def _told(client: imaplib.IMAP4) -> bool:
    """Whether news has come in already, with the server's consent to IDLE: a look at the socket would not see that."""
    patience = client.sock.gettimeout()
    client.sock.settimeout(0)
    try:
        return bool(client.readline())
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        client.sock.settimeout(patience)
