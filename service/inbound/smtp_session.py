"""SMTP and LMTP sessions, with limits on their number and their memory.

aiosmtpd implements the commands, but doesn't limit sessions. It also keeps an object for each line of a message, so ten
megabytes of empty lines would take half a gigabyte; we read messages ourselves.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP

COMMANDS = {"MAIL": 1_000, "RCPT": 10_000, "DATA": 1_000, "RSET": 2_000, "*": 100}
"""The most uses of each command in one session, far more than an honest sender needs."""

NONSENSE = 100
"""The most lines in one session that aren't commands: aiosmtpd accepts any number of empty ones."""

_ATOM = r"[\w!#$%&'*+/=?^`{|}~-]+"
_PLAIN = re.compile(rf"<({_ATOM}(?:\.{_ATOM})*@[a-zA-Z\d-]+(?:\.[a-zA-Z\d-]+)*)>([ \w=]*)", re.ASCII)
"""An ordinary address, as nearly all are, and what follows it."""

_UNPRINTABLE = re.compile(rb"\r(?!\n)|(?<!\r)\n|[^\r\n\x20-\x7e]")


@dataclass(slots=True)
class Space:
    """What is still free: a number of sessions, and octets for messages that aren't stored yet."""

    sessions: int
    octets: int

    def admit(self, talk: Callable[[], SMTP]) -> asyncio.BaseProtocol:
        """A protocol for a new connection. If all sessions are taken, it says so and hangs up."""
        if self.sessions <= 0:
            return _Full()
        self.sessions -= 1
        return talk()


class _Full(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(b"421 4.3.2 Too many are talking to us just now; please come back later\r\n")
        transport.close()


def _commands(protocol: type[SMTP]) -> list[str]:
    return [name for name in dir(protocol) if name.startswith(("smtp_", "auth_"))]


class SmtpSession(SMTP):
    """SMTP with limits. The handler's `handle_DATA` gets the message in `envelope.content`."""

    line_length_limit = 1 << 16
    """RFC 5321, 4.5.3.1.6 requires 1001. This accepts programs that ignore the limit."""

    commands = _commands(SMTP)

    def __init__(self, space: Space, handler: object, **settings: Any) -> None:
        super().__init__(handler, command_call_limit=COMMANDS, **settings)
        self._space = space
        self._nonsense = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Makes each reply wait until it's sent, so that closing never waits for a client that doesn't read."""
        assert isinstance(transport, asyncio.WriteTransport)
        transport.set_write_buffer_limits(0)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._space.sessions += 1
        super().connection_lost(error)

    async def push(self, status: str | bytes) -> None:
        """Replies with printable characters only, even where a reply quotes the client (RFC 5321, 4.2)."""
        reply = status.encode("utf-8", "replace") if isinstance(status, str) else status
        await super().push(_UNPRINTABLE.sub(b"?", reply))
        self._nonsense += reply.startswith(b"500")
        if self._nonsense > NONSENSE and self.transport is not None:
            self.transport.close()

    def __dir__(self) -> list[str]:
        """Only the commands: aiosmtpd looks for them among all attributes, once per session."""
        return self.commands

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        if plain := _PLAIN.fullmatch(arg):  # Python's own parser takes a fifth of a session's time.
            return plain[1], plain[2]
        try:
            address: tuple[str | None, str | None] = super()._getaddr(arg)
        except Exception:  # Python's own parser fails on some, such as `play@`.
            return None, None
        return address

    def _timeout_cb(self) -> None:
        """Reports the timeout and hangs up, without waiting for a client that hasn't read earlier replies."""
        assert isinstance(self.transport, asyncio.WriteTransport)
        self.transport.write(b"421 4.4.2 We have waited long enough; please come back later\r\n")
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 (aiosmtpd's name)
        if await self.check_helo_needed():
            return
        assert self.envelope is not None
        if arg or not self.envelope.rcpt_tos:
            await self.push("501 5.5.4 DATA takes no arguments" if arg else "503 5.5.1 RCPT comes before DATA")
            return
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        content = bytearray()
        try:
            answer = await self._read(content)
            self.envelope.content = self.envelope.original_content = bytes(content)
            if not answer:
                answer = await self._call_handler_hook("DATA")
        finally:
            self._space.octets += len(content)
            self.envelope = self._create_envelope()
        await self.push(answer)

    async def _read(self, content: bytearray) -> str:
        """Reads a message into `content`, and takes its octets from the free space. Returns why it must be refused, or
        "".

        Always reads to the end of the message (RFC 5321, 4.2.5), and removes the dots that the sender added.
        """
        why, goes_on = "", False
        while True:
            try:
                line = await self._reader.readuntil(b"\r\n")
            except asyncio.LimitOverrunError as error:
                await self._reader.readexactly(error.consumed)
                why, goes_on = why or "500 5.5.2 Line too long (see RFC5321 4.5.3.1.6)", True
                continue
            if line == b".\r\n" and not goes_on:
                return why
            line, goes_on = line.removeprefix(b"."), False
            why = why or self._why_no_space(len(content) + len(line), len(line))
            if why:
                self._space.octets += len(content)
                content.clear()
                continue
            self._space.octets -= len(line)
            content += line

    def _why_no_space(self, together: int, more: int) -> str:
        if self.data_size_limit and together > self.data_size_limit:
            return f"552 5.3.4 A message may have at most {self.data_size_limit} octets"
        if more > self._space.octets:
            return "452 4.3.1 Too much mail is coming in just now; please send it again later"
        return ""


class LmtpSession(SmtpSession, LMTP):
    """LMTP with a reply for each recipient after the message (RFC 2033, 4.2), which aiosmtpd doesn't send."""

    commands = _commands(LMTP)
    _recipients = 1

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        try:
            await super().smtp_DATA(arg)
        finally:
            self._recipients = 1

    async def push(self, status: str | bytes) -> None:
        line = status.encode() if isinstance(status, str) else status
        await super().push(b"\r\n".join([line] * self._recipients))
        if line.startswith(b"354"):
            assert self.envelope is not None
            self._recipients = len(self.envelope.rcpt_tos)
