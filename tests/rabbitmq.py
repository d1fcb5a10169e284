"""A RabbitMQ of this process's own, from Debian's package `rabbitmq-server`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import amqp

from tests.ports import free_port
from tests.processes.deployment import alive, descendants, wait_for

PROGRAMS = Path("/usr/lib/rabbitmq/bin")


@dataclass
class Server:
    """A server that can be killed and started again, with its data in `home`."""

    home: Path
    port: int = field(default_factory=free_port)
    node_port: int = field(default_factory=free_port)
    names_port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        """Starts it; returns once it answers."""
        with (self.home / "said").open("a") as said:
            self.process = subprocess.Popen(
                [PROGRAMS / "rabbitmq-server"], env=self._environment, stdout=said, stderr=said, start_new_session=True
            )
        wait_for(self.answers, "the start of RabbitMQ")

    def answers(self) -> bool:
        """Whether somebody can log in."""
        try:
            with amqp.Connection(f"127.0.0.1:{self.port}", connect_timeout=5):
                return True
        except (OSError, amqp.AMQPError):
            return False

    def signal(self, number: signal.Signals) -> None:
        """Signals all its processes."""
        assert self.process is not None
        for pid in (self.process.pid, *descendants(self.process.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """Kills all its processes at once, as a failing machine would."""
        assert self.process is not None
        below = descendants(self.process.pid)
        self.signal(signal.SIGKILL)
        self.process.wait()
        wait_for(lambda: not any(map(alive, below)), "the end of RabbitMQ")

    def tell(self, *words: str) -> None:
        """Runs `rabbitmqctl` on it as an operator would, and ignores the result."""
        subprocess.run([PROGRAMS / "rabbitmqctl", *words], env=self._environment, capture_output=True, timeout=120)

    def stop(self) -> None:
        """Shuts it down cleanly."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()  # The script passes the signal on.
            self.process.wait(timeout=60)

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ERL_EPMD_PORT": str(self.names_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "stonepost@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.node_port),
            "RABBITMQ_MNESIA_BASE": str(self.home / "data"),
            "RABBITMQ_LOG_BASE": str(self.home / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.home / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.home / "plugins"),
            # Erlang's threads look for work for a while before they sleep, which takes the processor from others.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
        }


@contextmanager
def running() -> Iterator[Server]:
    """A running server. Its node finds its own address through Erlang's name server (epmd), which runs as long."""
    home = Path(tempfile.mkdtemp(prefix="rabbitmq-"))
    server = Server(home)
    names = subprocess.Popen(["epmd", "-address", "127.0.0.1", "-port", str(server.names_port)])
    try:
        server.start()
        yield server
    finally:
        server.stop()
        names.kill()
        names.wait()
        shutil.rmtree(home, ignore_errors=True)
