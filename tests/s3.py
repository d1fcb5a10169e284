"""A server that speaks S3, from the package `moto`, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.request import Request, urlopen

from tests.ports import free_port
from tests.processes.deployment import answers, wait_for


@dataclass
class Bucket:
    """A bucket called `mail`, whose server can be stopped."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that its users are given."""
        keys = {"AWS_ACCESS_KEY_ID": "ada", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
        return keys | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}

    def names(self) -> str:
        """What is in it, as XML."""
        with urlopen(f"http://127.0.0.1:{self.port}/mail", timeout=30) as answer:
            found: bytes = answer.read()
        return found.decode()

    def signal(self, number: signal.Signals) -> None:
        """Signals its process. After SIGSTOP it accepts connections and doesn't answer."""
        self.process.send_signal(number)


@contextmanager
def running() -> Iterator[Bucket]:
    """A server with an empty bucket."""
    port = free_port()
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: answers(port), "the start of the bucket's server")
        urlopen(Request(f"http://127.0.0.1:{port}/mail", method="PUT"), timeout=60).close()
        yield Bucket(port, process)
    finally:
        process.kill()
        process.wait()
