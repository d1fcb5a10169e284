"""SMTP and LMTP listeners that answer 250 only once a message is stored.

Messages are passed to `receive`, which commits before we answer 250. A sender that doesn't get our answer sends the
message again (RFC 5321, 4.2.5). Unexpected errors are answered with 451, so that the sender tries again later.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import smtplib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from aiosmtpd.smtp import SMTP, Envelope, Session

from service.inbound.smtp_session import LmtpSession, SmtpSession, Space

log = logging.getLogger(__name__)

Receive = Callable[[bytes, Sequence[str], str, str], None]
"""`receive(raw, recipients, door, peer)`: returns once the message is committed.

`door` is `smtp` or `lmtp`, `peer` the address of the sending host.
"""

Refuse = Callable[[str], str]
"""Why mail to this address of our domain is refused, as one ASCII sentence for the sender; "" if it is accepted."""

SIZE_LIMIT = 10_000_000
"""The most octets in one message: room for a few photographs in a signature."""

RECIPIENTS = 100
"""The most recipients of one message: as many as RFC 5321, 4.5.3.1.8 requires."""


class DoorError(Exception):
    """We can't listen on a port. The message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where to listen and for which domain. Port None: don't listen. Port 0: any free port."""

    receive: Receive
    domain: str
    refuse: Refuse | None = None
    host: str = "127.0.0.1"
    smtp_port: int | None = 2525
    lmtp_port: int | None = 2424
    size_limit: int = SIZE_LIMIT
    patience: float = 300
    """Seconds for the next command, and for all of a message (RFC 5321, 4.5.3.2.7)."""
    sessions: int = 100
    """The most sessions at a time, on both listeners together."""
    octets: int = 8 * SIZE_LIMIT
    """The most octets of all messages being received or stored."""


@dataclass(slots=True)
class OpenDoor:
    """The open listeners. `ports` are their ports, by protocol (`smtp`, `lmtp`)."""

    ports: dict[str, int]
    servers: list[asyncio.Server]
    threads: ThreadPoolExecutor = field(repr=False)

    async def close(self) -> None:
        """Stops listening and finishes storing complete messages. Drops messages that are only half sent."""
        for server in self.servers:
            server.close()
        await asyncio.get_running_loop().run_in_executor(None, self.threads.shutdown)


async def open_door(door: Door) -> OpenDoor:
    """Listens in the running loop; raises DoorError if a port is in use or forbidden."""
    threads = ThreadPoolExecutor(4, "mail-door")
    space = Space(door.sessions, door.octets)
    opened = OpenDoor({}, [], threads)
    for name, port, protocol in (("smtp", door.smtp_port, SmtpSession), ("lmtp", door.lmtp_port, LmtpSession)):
        if port is None:
            continue
        try:
            server = await _listen(door, port, partial(protocol, space, _Handler(door, name, threads, space)), space)
        except OSError as error:
            await opened.close()
            raise DoorError(_why_closed(name, door.host, port, error)) from error
        opened.servers.append(server)
        opened.ports[name] = server.sockets[0].getsockname()[1]
    return opened


def serve(door: Door, announce: Callable[[dict[str, int]], None]) -> None:
    """Listens until SIGTERM or SIGINT, and passes the ports to `announce` once open. Raises DoorError."""

    async def keep_open() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        opened = await open_door(door)
        announce(opened.ports)
        await stop.wait()
        await opened.close()

    asyncio.run(keep_open())


async def _listen(door: Door, port: int, session: Callable[..., SMTP], space: Space) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    talk = partial(
        session,
        data_size_limit=door.size_limit,
        timeout=door.patience,
        enable_SMTPUTF8=True,
        hostname=door.domain,
        ident="Stonepost",
        loop=loop,
    )
    return await loop.create_server(lambda: space.admit(talk), door.host, port)


def _why_closed(name: str, host: str, port: int, error: OSError) -> str:
    kind, setting = name.upper(), f"{name.upper()}_PORT"
    if error.errno == errno.EADDRINUSE:
        why = f"Port {port} on {host} ({kind}) is in use."
        return f"{why} Stop the program that uses it, or set {setting} to another port."
    if error.errno == errno.EACCES:
        return f"This user isn't allowed to use port {port} on {host} ({kind}). Set {setting} to another port."
    return f"Port {port} on {host} ({kind}) can't be used: {error.strerror or error}."


class _Handler:
    """The hooks that aiosmtpd calls, by name, at each step of the protocol."""

    def __init__(self, door: Door, name: str, threads: ThreadPoolExecutor, space: Space) -> None:
        self._door, self._name, self._threads, self._space = door, name, threads, space

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        del server, session, options
        _, _, domain = address.rpartition("@")
        if domain.lower() != self._door.domain.lower():
            return f"550 5.7.1 This server accepts mail for {self._door.domain} only and does not relay"
        if self._door.refuse and (reason := self._door.refuse(address)):
            return f"550 5.1.1 {reason}"
        if len(envelope.rcpt_tos) >= RECIPIENTS:
            return f"452 4.5.3 A message can have up to {RECIPIENTS} recipients; send it to the others separately"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Receives the message in a thread, so that other sessions can continue."""
        del server
        peer = str(session.peer[0]) if session.peer else ""
        sender = (envelope.mail_from or "").strip("<>")
        assert isinstance(envelope.content, bytes)
        raw = f"Return-Path: <{sender}>\r\n".encode("utf-8", "replace") + envelope.content
        work = asyncio.get_running_loop().run_in_executor(
            self._threads, self._door.receive, raw, tuple(envelope.rcpt_tos), self._name, peer
        )
        # If the sender hangs up, the thread continues, so the message keeps its space until the thread is done.
        self._space.octets -= len(raw)
        work.add_done_callback(lambda _: self._give_back(len(raw)))
        try:
            await asyncio.shield(work)
        except Exception:
            log.exception("could not receive a message of %d octets", len(raw))
            return "451 4.3.0 The message could not be stored just now; please send it again later"
        return "250 2.0.0 The message is stored"

    def _give_back(self, octets: int) -> None:
        self._space.octets += octets

    async def handle_exception(self, error: Exception) -> str:
        log.error("an SMTP or LMTP session failed", exc_info=error)
        return "451 4.3.0 Something went wrong here; please send the message again later"


def probe(host: str, ports: dict[str, int], patience: float = 5.0) -> str:
    """Connects to each listener like a mail server. Returns the first that doesn't answer with the error's name, or
    ""."""
    for protocol, port in ports.items():
        caller = smtplib.SMTP if protocol == "smtp" else smtplib.LMTP
        try:
            with caller(host, port, timeout=patience) as line:
                line.noop()
        except (OSError, smtplib.SMTPException) as error:
            return f"{protocol}: {type(error).__name__}"
    return ""
