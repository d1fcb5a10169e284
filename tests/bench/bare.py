"""A minimal mail service, the peer of `post`: what an emailed move costs with the same components and nothing else.

An aiosmtpd server stores the email in SQLite and queues its id; a Celery worker plays the move on a new position, draws
the board, stores the move and sends an email with the picture over a connection that it keeps open. It checks no
sender, has no clocks and can lose an email if it is killed.

`python -m tests.bench.bare PORT` is the server; `celery --app tests.bench.bare worker` is the worker.
"""

from __future__ import annotations

import os
import signal
import smtplib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from functools import cache
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from celery import Celery

from service.broker import queue_url
from service.cli.deployment.valkey import queue, wait_until_ready
from service.config import ROOT, Settings
from service.games import GAMES
from service.render.png import png
from tests.ports import free_port
from tests.processes.deployment import PATIENCE, Outbox, answers, wait_for
from tests.processes.players import GUEST, HOST, deliver, message

app = Celery("bare", broker=os.environ.get("BARE_QUEUE", "memory://"))
app.conf.update(task_ignore_result=True, task_acks_late=True, worker_prefetch_multiplier=1)


@cache
def database() -> sqlite3.Connection:
    """This process's connection, with the service's settings."""
    found = sqlite3.connect(os.environ["BARE_DATABASE"], isolation_level=None, check_same_thread=False, timeout=30)
    found.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    found.execute("CREATE TABLE IF NOT EXISTS email (id INTEGER PRIMARY KEY, raw BLOB, move TEXT)")
    return found


class Door:
    """Stores each email and queues its id."""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """aiosmtpd's hook."""
        kept = database().execute("INSERT INTO email (raw) VALUES (?)", (envelope.content,))
        task.delay(kept.lastrowid)
        return "250 2.0.0 OK"


def play(email: int) -> None:
    """Plays the move in an email and sends the board to the opponent."""
    (raw,) = database().execute("SELECT raw FROM email WHERE id = ?", (email,)).fetchone()
    came = message_from_bytes(raw)
    move = str(came.get_payload()).strip()
    after = GAMES["rosette"].start(base="5").play(0, move)
    database().execute("UPDATE email SET move = ? WHERE id = ?", (move, email))
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = HOST, GUEST, f"Your turn after {move}"
    letter["Message-ID"] = came["Message-ID"]
    letter.set_content(f"Black played {move}. Your turn.\n")
    letter.add_attachment(png(after.view(1)), "image", "png", filename="board.png")
    line().send_message(letter)


task = app.task(play, name="bare.play")


@cache
def line() -> smtplib.SMTP:
    """The connection to the server that letters go to."""
    return smtplib.SMTP("127.0.0.1", int(os.environ["BARE_OUTBOX"]))


@dataclass(frozen=True)
class Way:
    """The minimal service while it runs: its SMTP port and its processes."""

    port: int
    processes: tuple[int, ...]

    def mailed(self, outbox: Outbox, move: str) -> float:
        """Emails a move; the milliseconds until the letter to the opponent."""
        raw = message(HOST, GUEST, move)
        letter, begun = str(message_from_bytes(raw)["Message-ID"]), time.monotonic()
        deliver(self.port, HOST, GUEST, raw)
        wait_for(lambda: outbox.has(letter), "the letter")
        return 1000 * (outbox.when(letter) - begun)


@contextmanager
def running(data: Path, outbox: Outbox) -> Iterator[Way]:
    """Runs the minimal service, with its own queue, in a `with` block."""
    data = data / "bare"
    data.mkdir()
    settings, port = Settings.from_environment({"STONEPOST_DATA": str(data)}), free_port()
    environment = os.environ | {
        "BARE_QUEUE": queue_url(settings),
        "BARE_DATABASE": str(data / "bare.db"),
        "BARE_OUTBOX": outbox.url.rpartition(":")[2],
        "PYTHONWARNINGS": "ignore",  # Celery warns if it runs as root.
    }
    broker = queue(settings, environment)
    wait_until_ready(settings, broker)
    worker = ["celery", "--app", "tests.bench.bare", "--quiet", "worker", "--concurrency", "2", "--loglevel", "warning"]
    commands = (["tests.bench.bare", str(port)], [*worker, "--without-gossip", "--without-mingle"])
    started = [subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, env=environment) for words in commands]
    try:
        wait_for(lambda: answers(port), "opening")
        assert isinstance(broker.running, subprocess.Popen)
        yield Way(port, (broker.running.pid, *(process.pid for process in started)))
    finally:
        for process in started:
            process.terminate()
            process.wait(timeout=PATIENCE)
        broker.stop(signal.SIGTERM)


if __name__ == "__main__":
    Controller(Door(), hostname="127.0.0.1", port=int(sys.argv[1])).start()
    signal.pause()
