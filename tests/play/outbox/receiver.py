"""An HTTPS server for hooks and pushes, which records what it is sent."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.processes.certificate import make_certificate


@dataclass(frozen=True)
class Posted:
    """A request as received."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """The requests received, and the status to answer. `over` ends the wait at `/hang`."""

    port: int = 0
    status: int = 204
    posted: list[Posted] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def at(self, path: str) -> str:
        return f"https://localhost:{self.port}/{path}"

    def names(self, path: str = "") -> list[str]:
        """The ids of the calls received, at this path or, by default, at all."""
        return [one.headers["webhook-id"] for one in self.posted if one.path.startswith(f"/{path}")]


@contextmanager
def receiving(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A server whose certificate is trusted in the block. `/hang` answers only when that ends; `/away` redirects."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/hang":
                told.over.wait(20)
                return
            told.posted.append(Posted(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(302 if self.path == "/away" else told.status)
            self.send_header("Location", told.at("elsewhere"))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    make_certificate(place)
    monkeypatch.setenv("SSL_CERT_FILE", str(place / "certificate.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "certificate.pem", place / "key.pem")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    told.port = server.server_port
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
