"""The threads of a web process: who of them works, and who only waits.

A request works in one of a few places, and gives it back while it waits for something to happen, so that programs that
wait never keep a page waiting. There's room for many who wait, but not for any number: those beyond it are answered at
once. A process has a thread for each (`--threads` in the Procfile).
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
"""Requests for `/health` that are worked on beside them: monitors get an answer while a database that hangs keeps all
the others waiting."""

WAITING = 64
"""Requests that may wait in one web process."""

EACH = 4
"""Of these, how many of one player."""

Application: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_places = threading.BoundedSemaphore(WORKING)
_MONITORED: dict[str, AbstractContextManager[bool | None]] = {
    "/health": threading.BoundedSemaphore(MONITORS),
    "/health/live": nullcontext(),
}
_waiting: Counter[int] = Counter()
_counting = threading.Lock()


def placed(application: Application) -> Application:
    """An application (WSGI) whose requests take a place each."""

    def call(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        with _MONITORED.get(environ["PATH_INFO"], _places):
            return application(environ, start)

    return call


@contextmanager
def room(player_id: int) -> Iterator[bool]:
    """Whether a request of this player may wait in this block, and counts it."""
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
    """Waits for the event, for some seconds at most, while another request has the place."""
    _places.release()
    try:
        event.wait(seconds)
    finally:
        _places.acquire()
