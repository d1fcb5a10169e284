"""The mail server that takes the service's letters, but now and then refuses, hangs or closes the connection."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from email.message import Message
from queue import SimpleQueue
from random import Random

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.processes.deployment import Outbox

ANSWERS = {
    "421": "421 4.3.2 Shutting down",
    "450": "450 4.2.0 Try again later",
    "451": "451 4.3.0 Local error",
    "550": "550 5.7.1 We don't like this one",
}
MOODS = (*ANSWERS, "hang", "cut", "unsaid")
"""What it does to a letter: refuses it, hangs, disconnects within DATA, or takes it and disconnects without a reply."""


class Server(SMTP):
    """A connection, and its mood for the current letter."""

    mood = ""

    async def smtp_DATA(self, arg: str) -> None:
        """Overrides aiosmtpd's method, because a connection may break within DATA."""
        if self.mood == "cut":
            await self.push("354 Go on")
            with suppress(OSError, EOFError):
                await self._reader.read(100)
            self.hang_up()
        else:
            await super().smtp_DATA(arg)

    def hang_up(self) -> None:
        """Closes the connection without a reply."""
        if self.transport is not None:
            self.transport.close()


class Doors(Controller):
    """Creates such connections."""

    def factory(self) -> Server:
        return Server(self.handler, enable_SMTPUTF8=True)


class Relay(Outbox):
    """Takes letters for the players. `trouble` is the share of letters that it treats badly, `hang` the seconds that it
    hangs."""

    doors = Doors
    trouble = 0.0
    hang = 5.0

    def __init__(self) -> None:
        super().__init__()
        self.post: SimpleQueue[tuple[str, Message] | None] = SimpleQueue()
        """Recipients and letters, in the order of their arrival."""
        self.chance = Random(1)
        self.done: Counter[str] = Counter()
        """How often it was in each mood."""

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """aiosmtpd's hook."""
        server.mood = mood = self.chance.choice(MOODS) if self.chance.random() < self.trouble else ""
        self.done.update([mood] if mood else [])
        if mood == "421":
            asyncio.get_running_loop().call_later(0.01, server.hang_up)
        if mood in ("421", "450", "550"):
            return ANSWERS[mood]
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        """aiosmtpd's hook."""
        if server.mood == "451":
            return ANSWERS["451"]
        if server.mood == "hang":
            await asyncio.sleep(self.hang)
            server.hang_up()
            return "451 4.3.0 Too late"
        said = server.mood != "unsaid"
        self.post.put((envelope.rcpt_tos[0], self.take(envelope, said)))
        if not said:
            server.hang_up()
        return "250 2.0.0 OK"
