"""What a second worker's machine brings: `python -m tests.processes.machines [--moves 400]`.

A machine is a worker with a data directory and a processor core of its own (taskset). The machines share PostgreSQL,
the queue and the mail server, which have the core of the second: with two cores there is no third. So two figures are
printed: how much sooner a heap of moves was judged and its letters sent, and what the second core would have added if
the others weren't on it, by the processor time that the workers took for a move.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from service.cli.deployment.valkey import program
from service.play.inbox.receive import receive
from tests.bench.post import forget_invitations, processor
from tests.ports import free_port
from tests.processes import herds
from tests.processes.deployment import PATIENCE, Deployment, answers, descendants, process_name, wait_for
from tests.processes.load import PLIES, SETTINGS, Letters, Mail, prepare

CORES = ("0", "1")
ROUNDS = 2
"""How often one machine and two take turns."""

NUDGE = "import sys, worker.app; site = worker.app.open_site(); [site.nudge('judge', int(n)) for n in sys.argv[1:]]"


@dataclass
class Machine:
    """A worker on a core of its own."""

    deployment: Deployment
    core: str
    run: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[Machine]:
        """Started, and stopped at the end."""
        with tempfile.TemporaryDirectory() as data:
            words = ["taskset", "--cpu-list", self.core, sys.executable, "-m", "service.cli", "run", "worker"]
            self.run = subprocess.Popen(words, env=self.deployment.environment | {"STONEPOST_DATA": data})
            try:
                wait_for(self.is_ready, "the worker's start")
                yield self
            finally:
                self.run.send_signal(signal.SIGINT)
                self.run.wait(timeout=PATIENCE)

    def is_ready(self) -> bool:
        """Whether its processes run."""
        assert self.run is not None
        return sum(process_name(pid) == "worker" for pid in descendants(self.run.pid)) > 2

    @property
    def spent(self) -> float:
        """Milliseconds of processor time so far."""
        assert self.run is not None
        return processor(self.run.pid)


@contextmanager
def letters_arriving(port: int) -> Iterator[dict[str, float]]:
    """The mail server, in a thread: the letters that have arrived, and when."""
    arrived: dict[str, float] = {}
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(loop.create_server(lambda: Letters(arrived), "127.0.0.1", port), loop).result()
    yield arrived
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


@contextmanager
def queue() -> Iterator[str]:
    """The address of a queue that several machines can reach."""
    port = free_port()
    words = [program(), "--port", str(port), "--save", "", "--loglevel", "warning"]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: answers(port), "the queue's start")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


def judge(
    deployment: Deployment, machines: Sequence[Machine], mails: Sequence[Mail], arrived: dict[str, float]
) -> tuple[float, float]:
    """Moves a second from the first letter to the last, and milliseconds of the workers' time for each."""
    for mail in mails:
        receive(deployment.site, mail.raw, [mail.recipient], "smtp")
    before = sum(machine.spent for machine in machines)
    matches = [str(mail.match_id) for mail in mails]
    subprocess.run([sys.executable, "-c", NUDGE, *matches], env=deployment.environment, check=True)
    wait_for(lambda: all(mail.letter in arrived for mail in mails), "the last letter", 600)
    times = [arrived[mail.letter] for mail in mails]
    time.sleep(1)  # The last receipts follow.
    return len(mails) / (max(times) - min(times)), (sum(machine.spent for machine in machines) - before) / len(mails)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=int, default=400)
    count = parser.parse_args().moves
    os.sched_setaffinity(0, {int(CORES[1])})
    letters_port = free_port()
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        given = SETTINGS | {"SMTP_URL": f"smtp://127.0.0.1:{letters_port}", "STONEPOST_SECRET": "s" * 40}
        given |= stack.enter_context(herds.database("postgresql")) | {"REDIS_URL": stack.enter_context(queue())}
        deployment = Deployment(data, given)
        deployment.site.store.migrate()
        stack.callback(deployment.site.store.close)
        arrived = stack.enter_context(letters_arriving(letters_port))
        heaps = prepare(deployment, count * PLIES)
        forget_invitations(deployment)
        first, second = (Machine(deployment, core) for core in CORES)
        stack.enter_context(first.running())
        judge(deployment, [first], heaps[:count], arrived)
        for number in range(ROUNDS):
            alone = heaps[(1 + 2 * number) * count :][:count]
            one = judge(deployment, [first], alone, arrived)
            with second.running():
                two = judge(deployment, [first, second], heaps[(2 + 2 * number) * count :][:count], arrived)
            print(f"one machine: {one[0]:.1f} moves a second, {one[1]:.1f} ms of its time each")
            print(f"two machines: {two[0]:.1f} moves a second, {two[1]:.1f} ms of their time each")
            print(
                f"the second brought {two[0] / one[0]:.2f} times as many; by their time alone {2 * one[1] / two[1]:.2f}"
            )


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
