"""Gunicorn's settings that aren't in the Procfile: where it listens, and how it waits for clients."""

from __future__ import annotations

import errno
import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from selectors import EVENT_READ

from gunicorn.workers.gthread import TConn, ThreadWorker

from service.addresses import with_port
from worker.app import have_looked_around, settings

UNREAD = 65536
"""Bytes after a request that are read and ignored; a client that sends more is cut off."""


MONITORS = 4
"""Threads for monitors, who are answered even while a database that hangs blocks all the others. `web/places.py` lets
half of them wait for the database, which leaves the others to `/health/live`."""

_MONITORED = re.compile(rb"(GET|HEAD) /health(/live)? ")


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's worker with threads, which waits for clients only in its event loop.

    Gunicorn 27 closes a connection in the event loop and waits there, up to two seconds, for the client to close its
    side; meanwhile nobody else is served. It also gives a thread to each connection that hasn't sent anything yet.
    """

    def init_process(self) -> None:
        """Gunicorn calls this in each process, and returns from it when the process ends."""
        self.monitored = ThreadPoolExecutor(MONITORS)
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        """Has a thread serve a connection, once there is something to read."""
        if not (conn.initialized or conn.data_ready):
            self._await(conn, self.on_pending_socket_readable)
            return
        threads = self.monitored if _is_monitors(conn.sock) else self.tpool
        served = threads.submit(self.handle, conn)
        served.add_done_callback(lambda served: self.method_queue.defer(self.finish_request, conn, served))

    def finish_request(self, conn: TConn, fs: Future[object]) -> None:
        """Keeps a connection for the next request, or closes it as in RFC 9112, section 9.6: first our side, then all
        of it once the client has closed its side or run out of time."""
        if fs.cancelled() or fs.exception() or fs.result():
            super().finish_request(conn, fs)
            return
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(conn)
        else:
            conn.unread = UNREAD
            self._await(conn, self._drain)

    def _await(self, conn: TConn, readable: Callable[[TConn, socket.socket], None]) -> None:
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + self.cfg.keepalive
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, EVENT_READ, partial(readable, conn))

    def _drain(self, conn: TConn, client: socket.socket) -> None:
        try:
            read = len(client.recv(UNREAD))
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return
            read = 0
        conn.unread -= read
        if not read or conn.unread <= 0:
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            self._close(conn)

    def _close(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()


def _is_monitors(client: socket.socket) -> bool:
    """Whether the request that begins to arrive is for `/health` or `/health/live`."""
    try:
        return _MONITORED.match(client.recv(20, socket.MSG_PEEK | socket.MSG_DONTWAIT)) is not None
    except OSError:
        return False


bind = with_port(settings.web_host, settings.web_port)
worker_class = PatientWorker


def post_worker_init(_worker: PatientWorker) -> None:
    """Gunicorn calls this once a process can serve: the one it replaces may have died between an order and its
    nudge."""
    have_looked_around()
