"""What a second machine with a worker gains: `sudo python -m tests.processes.machines [--moves 400] [--part 0.35]`.

A machine is a worker with a data directory of its own, in a control group of Linux that gets a part of a core and no
more. Two of them leave more than a core to PostgreSQL, the queue and the mail server, which they share, so that even on
two cores a machine takes nothing from the other. The figures are how soon a backlog of moves was judged and its letters
sent.
"""

from __future__ import annotations

import argparse
import asyncio
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

PERIOD = 20_000
"""Microseconds in which a group uses up its part."""

ROUNDS = 3
"""How often one machine and two take turns."""

NUDGE = "import sys, worker.app; site = worker.app.open_site(); [site.nudge('judge', int(n)) for n in sys.argv[1:]]"


@dataclass
class Machine:
    """A worker in a control group of its own."""

    deployment: Deployment
    group: Path
    run: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[Machine]:
        """Started, and stopped at the end."""
        with tempfile.TemporaryDirectory() as data:
            enter = ("sh", "-c", 'echo $$ > "$0" && exec "$@"', self.group / "cgroup.procs")
            words = (*enter, sys.executable, "-m", "service.cli", "run", "worker")
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
def group(name: str, part: float) -> Iterator[Path]:
    """A control group that gets this part of a core, of either version of control groups."""
    first = Path("/sys/fs/cgroup/cpu")
    own = (first if first.exists() else first.parent) / f"stonepost-{name}"
    own.mkdir(exist_ok=True)
    quota = round(part * PERIOD)
    if first.exists():
        (own / "cpu.cfs_period_us").write_text(str(PERIOD))
        (own / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (own.parent / "cgroup.subtree_control").write_text("+cpu")
        (own / "cpu.max").write_text(f"{quota} {PERIOD}")
    try:
        yield own
    finally:
        own.rmdir()


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
    """Moves per second from the first letter to the last, and milliseconds of the workers' time for each."""
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
    parser.add_argument("--part", type=float, default=0.35, help="of a core, that each machine gets")
    chosen = parser.parse_args()
    count = chosen.moves
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
        first, second = (Machine(deployment, stack.enter_context(group(name, chosen.part))) for name in ("one", "two"))
        stack.enter_context(first.running())
        judge(deployment, [first], heaps[:count], arrived)
        for number in range(ROUNDS):
            alone, begins, both = (heaps[(1 + 3 * number + place) * count :][:count] for place in range(3))
            one = judge(deployment, [first], alone, arrived)
            with second.running():
                judge(deployment, [first, second], begins, arrived)  # A process is slow at first.
                two = judge(deployment, [first, second], both, arrived)
            print(f"one machine: {one[0]:.1f} moves a second, {one[1]:.1f} ms of its time each")
            print(f"two machines: {two[0]:.1f} moves a second, {two[1]:.1f} ms of their time each")
            print(f"two were {two[0] / one[0]:.2f} times as fast as one")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
