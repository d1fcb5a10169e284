"""Moves mailed at a steady rate: `python -m tests.processes.load [--rate 50] [--minutes 10] [--database postgresql]`.

Everything is prepared first: the matches, a line of moves that each of them follows, and the emails. Then a few
connections submit them, and a mail server that only notes the time accepts the letters. The figures are how long it
took from the acceptance of a move to the arrival of the letter that asks the opponent for theirs, the processor time of
each kind of process, and its memory, minute by minute.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import secrets
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from service.games import GAMES
from service.mail import reply_address
from service.mail.reply_address import ReplyAddress
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.models import Match
from tests.bench.post import forget_invitations, processor_of
from tests.ports import free_port
from tests.processes import herds
from tests.processes.deployment import Deployment, descendants, process_name
from tests.processes.players import message, player

SETTINGS = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0", "MAIL_ANSWERS_PER_DAY": "100000", "SWEEP_SECONDS": "15"}
PEOPLE = 200
PLIES = 10
"""Moves in each match, so a match's next one comes long after its last."""

CONNECTIONS = 4
EACH = 400
"""Emails submitted on one connection; the service hangs up on clients that never stop."""

PATIENCE = 60
"""Seconds after the last move in which letters may still arrive."""

_MESSAGE_ID = re.compile(rb"(?im)^Message-ID:\s*(<[^>]+>)")


@dataclass(frozen=True, slots=True)
class Mail:
    """A move, and the Message-ID of the letter that its opponent gets."""

    sender: str
    recipient: str
    raw: bytes
    match_id: int
    letter: str


class Letters(asyncio.Protocol):
    """A minimal mail server: notes when a Message-ID arrives."""

    def __init__(self, arrived: dict[str, float]) -> None:
        self.arrived, self.waiting, self.in_data = arrived, b"", False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(b"220 letters\r\n")

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while True:
            end = b"\r\n.\r\n" if self.in_data else b"\r\n"
            said, found, rest = self.waiting.partition(end)
            if not found:
                return
            self.waiting = rest
            self._answer(said)

    def _answer(self, said: bytes) -> None:
        if self.in_data:
            self.in_data = False
            if letter := _MESSAGE_ID.search(said):
                self.arrived.setdefault(letter[1].decode(), time.monotonic())
            self.transport.write(b"250 OK\r\n")
            return
        command = said[:4].upper()
        self.in_data = command == b"DATA"
        greeting = b"250-letters\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n"
        self.transport.write({b"EHLO": greeting, b"DATA": b"354 Go on\r\n"}.get(command, b"250 OK\r\n"))
        if command == b"QUIT":
            self.transport.close()


@dataclass
class Load:
    """What was sent and what arrived, in monotonic time."""

    mails: list[Mail]
    port: int
    accepted: dict[str, float] = field(default_factory=dict)
    taken: list[float] = field(default_factory=list)
    """For each, the seconds from when it was due to its acceptance."""
    arrived: dict[str, float] = field(default_factory=dict)

    async def run(self, rate: float) -> None:
        """Submits all of them at this rate; returns once the last is accepted."""
        due = iter([(time.monotonic() + number / rate, mail) for number, mail in enumerate(self.mails)])
        await asyncio.gather(*(self._hand_in(due) for _ in range(CONNECTIONS)))

    async def wait(self) -> None:
        """Waits for the letters."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not all(mail.letter in self.arrived for mail in self.mails):
            await asyncio.sleep(0.5)

    async def _hand_in(self, due: Iterator[tuple[float, Mail]]) -> None:
        talk, left = await _Talk.begin(self.port), EACH
        for when, mail in due:
            if not left:
                await talk.end()
                talk, left = await _Talk.begin(self.port), EACH
            left -= 1
            await asyncio.sleep(max(0.0, when - time.monotonic()))
            await talk.send(mail)
            self.accepted[mail.letter] = time.monotonic()
            self.taken.append(self.accepted[mail.letter] - when)
        await talk.end()

    def figures(self) -> Iterator[str]:
        """Yields a line about the emails, and one about their letters."""
        waited = [self.arrived[one] - when for one, when in self.accepted.items() if one in self.arrived]
        lost = len(self.accepted) - len(waited)
        yield f"{len(self.accepted)} moves accepted; from when each was due: {_spread(self.taken)}"
        yield f"{len(waited)} letters arrived, {lost} did not; from the acceptance of the move: {_spread(waited)}"


@dataclass
class _Talk:
    """An SMTP session of a mail server that sends to us."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @staticmethod
    async def begin(port: int) -> _Talk:
        talk = _Talk(*await asyncio.open_connection("127.0.0.1", port))
        await talk.hear()
        await talk.say(b"EHLO generator.example\r\n")
        return talk

    async def hear(self) -> None:
        while (line := await self.reader.readline())[3:4] == b"-":
            pass
        assert line[:1] in b"23" and line, line  # noqa: PT018

    async def say(self, words: bytes) -> None:
        self.writer.write(words)
        await self.hear()

    async def send(self, mail: Mail) -> None:
        await self.say(f"MAIL FROM:<{mail.sender}>\r\n".encode())
        await self.say(f"RCPT TO:<{mail.recipient}>\r\n".encode())
        await self.say(b"DATA\r\n")
        await self.say(mail.raw + b".\r\n")

    async def end(self) -> None:
        await self.say(b"QUIT\r\n")
        self.writer.close()


def _spread(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return "too few to say"
    percent = quantiles(seconds, n=100)
    return f"median {percent[49]:.3f} s, p99 {percent[98]:.3f} s, longest {max(seconds):.3f} s"


def line_of_play() -> list[str]:
    """The moves that each match follows."""
    position, chance, moves = GAMES["rosette"].start(base="5"), random.Random(7), []
    for ply in range(PLIES):
        moves.append(
            chance.choice([move for move in position.moves(ply % 2) if move[0].isalpha() and move[1:].isdigit()])
        )
        position = position.play(ply % 2, moves[-1])
    return moves


def prepare(deployment: Deployment, count: int) -> list[Mail]:
    """Opens as many matches as are needed, and writes the emails: the first move of each match, then the second …"""
    site, settings, moves = deployment.site, deployment.site.settings, line_of_play()
    emails = [f"player{number}@example.org" for number in range(PEOPLE)]
    ids = [player(deployment, email) for email in emails]
    tables = []
    for number in range(-(-count // PLIES)):
        one = number % PEOPLE
        other = (one + 1 + number // PEOPLE) % PEOPLE
        chairs = [Chair("me"), Chair("email", emails[other])]
        match_id = lobby.open_match(site, ids[one], "rosette", {"base": "5"}, chairs)
        invitations.answer(site, match_id, ids[other], accept=True)
        with site.store.reading() as session:
            tables.append((match_id, session.get_one(Match, match_id).round, (one, other)))

    def mail(ply: int, match_id: int, begins: int, seats: tuple[int, int]) -> Mail:
        mover, round_ = seats[ply % 2], begins + ply
        back = ReplyAddress(ids[mover], match_id, ply % 2, round_)
        to = f"{reply_address.write(settings.secret, back)}@{settings.mail_domain}"
        letter = reply_address.message_id(f"turn:{match_id}:{round_ + 1}:{(ply + 1) % 2}", settings.mail_domain)
        raw = message(emails[mover], to, moves[ply], f"<{secrets.token_hex(8)}@generator.example>")
        return Mail(emails[mover], to, raw, match_id, letter)

    return [mail(ply, *table) for ply in range(PLIES) for table in tables][:count]


def memory(deployment: Deployment) -> dict[str, float]:
    """Megabytes that each kind of process uses itself (proc(5): the field Pss of smaps_rollup)."""
    return _by_kind(deployment, _pss)


def spent(deployment: Deployment) -> dict[str, float]:
    """Milliseconds of processor time so far, by the kind of process."""
    return _by_kind(deployment, processor_of)


def _by_kind(deployment: Deployment, of: Callable[[int], float]) -> dict[str, float]:
    assert deployment.run is not None
    found = defaultdict[str, float](float)
    for pid in descendants(deployment.run.pid):
        found[process_name(pid)] += of(pid)
    return dict(found)


def _pss(pid: int) -> float:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


def _shown(figures: dict[str, float], digits: int = 0) -> str:
    return ", ".join(f"{kind} {value:.{digits}f}" for kind, value in sorted(figures.items()))


async def _note_memory(deployment: Deployment, every: float) -> None:
    begun = time.monotonic()
    while True:
        await asyncio.sleep(every)
        minutes = (time.monotonic() - begun) / 60
        print(f"after {minutes:.1f} minutes, MB of memory: {_shown(memory(deployment))}", flush=True)


@contextmanager
def deployed(database: str, letters_port: int) -> Iterator[Deployment]:
    """A deployment with all its processes, on a database of this kind, that sends its letters to this port."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        given = SETTINGS | {"SMTP_URL": f"smtp://127.0.0.1:{letters_port}"}
        given |= stack.enter_context(herds.database(database))
        yield stack.enter_context(Deployment(place, given).running())


async def _load(deployment: Deployment, load: Load, rate: float, letters_port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Letters(load.arrived), "127.0.0.1", letters_port)
    noting = asyncio.create_task(_note_memory(deployment, 60))
    await load.run(rate)
    await load.wait()
    noting.cancel()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--rate", type=float, default=50, help="moves a second")
    parser.add_argument("--minutes", type=float, default=10)
    wanted = parser.parse_args()
    letters_port, count = free_port(), int(60 * wanted.minutes * wanted.rate)
    with deployed(wanted.database, letters_port) as deployment:
        mails = prepare(deployment, count)
        forget_invitations(deployment)
        load, before = Load(mails, deployment.ports["SMTP_PORT"]), spent(deployment)
        asyncio.run(_load(deployment, load, wanted.rate, letters_port))
        for figures in load.figures():
            print(f"{wanted.database}: {figures}")
        each = {kind: (now - before.get(kind, 0)) / count for kind, now in spent(deployment).items()}
        print(f"{wanted.database}: ms of processor time a move: {_shown(each, 1)}; together {sum(each.values()):.1f}")


if __name__ == "__main__":
    main()
