"""`stonepost run` from its first start to its last: stopping, starting again, and whatever prevents it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from service.cli import main
from service.store.models import Match
from tests.processes.deployment import KINDS, Deployment, alive, answers, descendants, wait_for
from tests.processes.players import HOST, Browser, Table, mail_move, open_tables

pytestmark = pytest.mark.processes


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Deployment]:
    """A deployment that the test itself starts and stops."""
    own = Deployment(tmp_path)
    yield own
    if own.run is not None and own.run.poll() is None:
        own.stop()
    own.site.store.close()


def test_runs_end_without_orphans_and_the_next_finds_the_same_matches(own: Deployment) -> None:
    run = own.start()
    own.wait_until_open()
    (table,) = open_tables(own, 1)
    processes = descendants(run.pid)
    assert all(own.pids(name) for name in KINDS)
    own.stop()
    assert run.returncode == 0
    assert not [pid for pid in processes if alive(pid)]
    assert "Traceback" not in (own.data / "said").read_text()

    _damage_the_log_of_the_queue(own.data / "queue")
    own.settings_given["WEB_HOST"] = "::" if _has_ipv6() else "0.0.0.0"
    run = own.start()
    own.wait_until_open()
    assert (own.data / "queue" / "appendonlydir.damaged").is_dir(), "the damaged log is moved aside"
    with own.site.store.reading() as session:
        assert [*session.scalars(select(Match.id))] == [table.match_id]
    assert "Rosette" in Browser(own).sign_in(HOST).open(f"/match/{table.match_id}")

    processes = descendants(run.pid)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    wait_for(lambda: not [pid for pid in processes if alive(pid)], "the end of what a killed run had started")
    assert not [*filter(answers, own.ports.values())]


def test_a_run_whose_queue_cannot_start_ends_when_it_is_asked_to(own: Deployment) -> None:
    (own.data / "valkey.sock").mkdir()
    run = own.start()
    said = own.data / "said"
    wait_for(lambda: "queue exited" in said.read_text(), "the end of the queue")
    own.stop()
    assert run.returncode == 0
    assert "didn't start" not in said.read_text()


def test_a_run_whose_output_nobody_reads_continues_and_ends(own: Deployment) -> None:
    reader, output = os.pipe()
    run = own.start(output)
    os.close(output)
    os.close(reader)
    own.wait_until_open()
    killed = own.kill("hooks")
    wait_for(lambda: own.pids("hooks") and killed not in own.pids("hooks"), "a new process")
    processes = descendants(run.pid)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=30) == 0
    assert not [pid for pid in processes if alive(pid)]


STUBBORN = """
import os, signal, time
from service.cli.deployment import fork
fork.GRACE = 0.3
def ignore_sigterm(words):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(os.getpid(), flush=True)
    time.sleep(600)
fork._run = ignore_sigterm
fork.Forked("stubborn", "python -m nothing", os.environ).wait()
"""


def test_a_process_that_ignores_sigterm_does_not_outlive_its_killed_supervisor() -> None:
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        stubborn = int(supervisor.stdout.readline())
        supervisor.kill()
        wait_for(lambda: not alive(stubborn), "its end", patience=10)


NAMED = """
import logging, os
from service.cli.deployment import fork
def warn(words):
    logging.basicConfig(format="%(processName)s: %(message)s")
    logging.warning("The queue is away.")
fork._run = warn
fork.Forked("worker", "python -m nothing", os.environ).wait()
"""


def test_log_lines_name_their_process() -> None:
    done = subprocess.run([sys.executable, "-c", NAMED], capture_output=True, text=True)
    assert done.stderr == "worker: The queue is away.\n"


def test_a_queue_that_dies_again_and_again_costs_a_line_of_log_each_time(deployment: Deployment) -> None:
    beginning = (deployment.data / "said").stat().st_size
    for number, table in enumerate(open_tables(deployment, 3)):
        deployment.kill("queue")
        mail_move(deployment, table)
        wait_for(partial(moved, deployment, table), "the move")
        said = (deployment.data / "said").read_text()[beginning:]
        assert "Traceback" not in said
        assert "queue was killed (signal 9); restarting it in " in said
        assert len(said.splitlines()) <= 20 * (number + 1), said


def test_a_queue_that_cannot_read_its_log_starts_a_new_one(deployment: Deployment) -> None:
    (table,) = open_tables(deployment, 1)
    _damage_the_log_of_the_queue(deployment.data / "queue")
    deployment.kill("queue")
    mail_move(deployment, table)
    wait_for(partial(moved, deployment, table), "the move")


def moved(deployment: Deployment, table: Table) -> bool:
    with deployment.site.store.reading() as session:
        return session.get_one(Match, table.match_id).ply == 1


def _has_ipv6() -> bool:
    try:
        socket.create_server(("::", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def _damage_the_log_of_the_queue(directory: Path) -> None:
    (log,) = directory.glob("appendonlydir/*.incr.aof")
    content = log.read_bytes()
    command = content.index(b"\r\n*", 100) + 2  # The arguments of a command may be anything, but not its beginning.
    log.write_bytes(content[:command] + b"\xff" * 50 + content[command + 50 :])


def refusal(deployment: Deployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a run that can't start prints before it ends with exit code 2."""
    for name, value in deployment.environment.items():
        monkeypatch.setenv(name, value)
    assert main(["run"]) == 2
    return capsys.readouterr().err.strip()


def test_two_runs_do_not_share_their_data(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(Deployment(deployment.data), monkeypatch, capsys)
    assert said == f"stonepost: Stonepost is already running, or being restored, with its data in {deployment.data}."


@pytest.mark.parametrize("name", ["WEB_PORT", "SMTP_PORT", "LMTP_PORT"])
def test_a_busy_port_is_reported_in_a_sentence(
    own: Deployment, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        own.ports[name] = port = other.getsockname()[1]
        said = refusal(own, monkeypatch, capsys)
    assert said == (
        f"stonepost: Port {port} on 127.0.0.1 can't be used (Address already in use). "
        f"Stop the program that uses it, or set {name} to another port."
    )


def test_two_listeners_on_one_port_are_reported_in_a_sentence(
    own: Deployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port = own.ports["LMTP_PORT"] = own.ports["WEB_PORT"]
    said = refusal(own, monkeypatch, capsys)
    assert said == f"stonepost: WEB_PORT and LMTP_PORT are both {port}. Set one of them to another port."


@pytest.mark.parametrize(("name", "given"), [("WEB_HOST", "192.0.2.1"), ("MAIL_HOST", "192.0.2.1")])
def test_another_machines_address_is_reported_in_a_sentence(
    own: Deployment, name: str, given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own.settings_given[name] = given
    said = refusal(own, monkeypatch, capsys)
    assert said.endswith(f" on {given} can't be used (Cannot assign requested address). Look at {name}.")
