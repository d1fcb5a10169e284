"""Wakes requests that wait for events when there may be some: one query serves all waiting requests of a process.

A query costs the same however many wait, and there are no queries while nobody waits. Each process polls for itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from service.play.site import Site
from service.play.talk import happenings
from service.play.talk.happenings import Change
from service.store.session import Store

log = logging.getLogger(__name__)

BETWEEN = 0.25
"""Seconds between two queries."""


class Bell:
    """Polls one database in a thread of its own, as long as anybody waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: set[tuple[int, threading.Event]] = set()
        self._looks = False
        self._seen: frozenset[Change] = frozenset()

    @contextmanager
    def listening(self, site: Site, player_id: int) -> Iterator[threading.Event]:
        """An event that is set when something may have happened to the player, from the beginning of the block on."""
        one = player_id, threading.Event()
        with self._lock:
            self._waiting.add(one)
            if not self._looks:
                self._looks = True
                threading.Thread(target=self._look, args=(site,), name="bell", daemon=True).start()
        try:
            yield one[1]
        finally:
            with self._lock:
                self._waiting.discard(one)

    def _look(self, site: Site) -> None:
        try:
            while self._goes_on():
                self._ring(site)
                time.sleep(BETWEEN)
        except Exception as error:
            # Waiting requests still end on time, and the next one starts a new thread.
            log.warning("couldn't look for events: %s", type(error).__name__)
            with self._lock:
                self._looks = False

    def _goes_on(self) -> bool:
        with self._lock:
            self._looks = bool(self._waiting)
            return self._looks

    def _ring(self, site: Site) -> None:
        recent = happenings.recent(site)
        new, self._seen = recent - self._seen, recent
        players = happenings.players_of(site, {change.match_id for change in new}) if new else frozenset()
        with self._lock:
            for player_id, event in self._waiting:
                if player_id in players:
                    event.set()


_bells: WeakKeyDictionary[Store, Bell] = WeakKeyDictionary()
_hanging = threading.Lock()


def of(site: Site) -> Bell:
    """The bell of this process for the site's database."""
    with _hanging:
        return _bells.setdefault(site.store, Bell())
