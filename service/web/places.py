"""The threads of a web process: which requests are worked on, and which only wait.

A request is worked on in one of a few places, and gives its place up while it waits for something to happen, so that
waiting programs never hold up a page. Many requests can wait, but not any number: further ones are answered
immediately. A process has a thread for each (`--threads` in the Procfile).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias

WORKING = 8
"""Requests that one web process works on at a time."""

MONITORS = 2
"""Requests for `/health` that are worked on in addition: monitors get an answer even while a database that hangs blocks
all the others."""

WAITING = 64
"""Requests that may wait in one web process."""

EACH = 4
"""How many of these may be one player's."""

Application: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_places = threading.BoundedSemaphore(WORKING)
_MONITORED: dict[str, AbstractContextManager[bool | None]] = {
    "/health": threading.BoundedSemaphore(MONITORS),
    "/health/live": nullcontext(),
}
_waiting: Counter[int] = Counter()
_counting = threading.Lock()


def placed(application: Application) -> Application:
    """A WSGI application each of whose requests takes a place."""

    def call(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        with _MONITORED.get(environ["PATH_INFO"], _places):
            return application(environ, start)

    return call


@contextmanager
def room(player_id: int) -> Iterator[bool]:
    """Whether a request of this player may wait; if so, it counts as waiting during the block."""
    with _counting:
        is_free = _waiting.total() < WAITING and _waiting[player_id] < EACH
        _waiting[player_id] += is_free
    try:
        yield is_free
    finally:
        with _counting:
            _waiting[player_id] -= is_free
            if not _waiting[player_id]:
                del _waiting[player_id]


def wait(event: threading.Event, seconds: float) -> None:
    """Waits for the event, at most this many seconds, and leaves the place to other requests meanwhile."""
    _places.release()
    try:
        event.wait(seconds)
    finally:
        _places.acquire()
