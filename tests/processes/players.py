"""People outside: matches set up for them, orders by mail and by browser, sent again until they are acknowledged."""

from __future__ import annotations

import secrets
import smtplib
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urlsplit

from service.mail import reply_address
from service.play.accounts import identity as accounts
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.table import replay
from service.store.models import Match
from tests.processes.deployment import PATIENCE, Deployment
from tests.web.conftest import Forms

HOST, GUEST = "ada@example.org", "bruno@example.org"


@dataclass(frozen=True)
class Table:
    """A running match in which the host is to move."""

    match_id: int
    address: str
    """Where the host's reply about the first move goes."""
    round: int
    moves: tuple[str, ...]
    """Some first moves."""


def player(deployment: Deployment, email: str) -> int:
    """The id of the player with this address."""
    with deployment.site.store.writing() as session:
        return accounts.by_email(session, email, deployment.site.now()).id


def open_tables(deployment: Deployment, count: int, email: str = HOST) -> list[Table]:
    """Matches between a host and the guest, ready for the first move."""
    host, guest = player(deployment, email), player(deployment, GUEST)
    return [_open_table(deployment, host, guest) for _ in range(count)]


def _open_table(deployment: Deployment, host: int, guest: int) -> Table:
    site, settings = deployment.site, deployment.site.settings
    match_id = lobby.open_match(site, host, "rosette", {"base": "5"}, [Chair("me"), Chair("email", GUEST)])
    invitations.answer(site, match_id, guest, accept=True)
    with site.store.reading() as session:
        position = replay.position(session, session.get_one(Match, match_id))
    reply = reply_address.ReplyAddress(host, match_id, 0, position.round)
    to = f"{reply_address.write(settings.secret, reply)}@{settings.mail_domain}"
    return Table(match_id, to, position.round, tuple(position.moves(0))[:5])


def message(sender: str, recipient: str, order: str, identity: str = "") -> bytes:
    """A reply as a simple mail program sends it."""
    identity = identity or f"<{secrets.token_hex(8)}@program.example>"
    lines = (f"From: {sender}", f"To: {recipient}", "Subject: Re: your move", f"Message-ID: {identity}", "", order, "")
    return "\r\n".join(lines).encode()


def deliver(port: int, sender: str, recipient: str, raw: bytes, *, lmtp: bool = False) -> None:
    """Hands a message over once; raises what smtplib raises."""
    with (smtplib.LMTP if lmtp else smtplib.SMTP)("127.0.0.1", port, timeout=60) as door:
        door.sendmail(sender, [recipient], raw)


def insist(act: Callable[[], object]) -> None:
    """Repeats it until it works, as mail servers do, and people whose page didn't load."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            act()
        except (OSError, smtplib.SMTPException, HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def mail_move(deployment: Deployment, table: Table) -> None:
    """Orders the host's first move by mail; returns once it is acknowledged."""
    raw = message(HOST, table.address, table.moves[0])
    insist(lambda: deliver(deployment.ports["SMTP_PORT"], HOST, table.address, raw))


@dataclass
class Browser:
    """A signed-in browser without scripts."""

    deployment: Deployment
    cookies: CookieJar = field(default_factory=CookieJar)
    ip: str = ""
    """The address that a reverse proxy says it has; "" without one."""

    def open(self, path: str, fields: dict[str, str] | None = None, *handlers: urllib.request.BaseHandler) -> str:
        """Opens a page, or sends a form; raises OSError if the server fails (urllib's errors are subclasses)."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies), *handlers)
        opener.addheaders += [("X-Forwarded-For", self.ip)] if self.ip else []
        data = None if fields is None else urlencode(fields).encode()
        with opener.open(self.deployment.address + path, data, timeout=60) as page:
            return str(page.read().decode())

    def form(self, page: str, action: str) -> dict[str, str]:
        """What the form of a page would send if nothing were changed."""
        return next(fields for address, fields in Forms(self.open(page)).forms if address in (action, ""))

    def sign_in(self, email: str) -> Browser:
        """Signs in with the link that an email would have brought."""
        site = self.deployment.site
        until = int(site.now().timestamp()) + 300
        with site.store.writing() as session:
            person = accounts.by_email(session, email, site.now())
        path = urlsplit(accounts.sign_in_link(site, person, secrets.token_urlsafe(12), until)).path
        self.open(path, self.form(path, path))
        # Of two simultaneous first pages, the later would replace the cookie to which the forms of the earlier belong.
        self.open("/account")
        return self

    def written(self, table: Table, order: str) -> tuple[str, dict[str, str]]:
        """The order form of a match page, filled in."""
        page = f"/match/{table.match_id}"
        return f"{page}/order", self.form(page, f"{page}/order") | {"text": order}

    def move(self, table: Table) -> None:
        """Orders a first move; returns once it is acknowledged. If no answer comes, the same form is sent again."""
        forms: list[tuple[str, dict[str, str]]] = []
        insist(lambda: forms.append(self.written(table, table.moves[0])))
        insist(lambda: self.open(*forms[0]))
