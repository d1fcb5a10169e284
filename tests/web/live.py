"""A site for browsers, served and worked on by threads of the test's own process.

It starts in a tenth of a second, while a deployment takes five seconds and keeps six processes busy. Tests that need a
real deployment are in test_browser.py and in tests/processes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from queue import Queue
from shutil import copy

import pytest
from flask import Flask
from playwright.sync_api import Browser, ViewportSize
from sqlalchemy import event, select
from werkzeug.serving import WSGIRequestHandler, make_server

from service.bots import opponents
from service.bots.thought import Thought, View
from service.bots.yardsticks import pebble
from service.config import Settings
from service.play.accounts import display_names, identity, sessions
from service.play.inbox.receive import receive
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.site import Site, Task
from service.play.table import replay
from service.store.session import Store
from service.store.tables.mail_rows import PostedMail
from service.web.security import limiter
from tests.databases import hurry
from tests.play.conftest import SECRET, WORK, Town, parsed
from tests.ports import free_port
from tests.web.browsing import DESK, Person, new_page
from tests.web.conftest import application


class Quiet(WSGIRequestHandler):
    """Doesn't log requests."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass


@contextmanager
def served(app: Flask, port: int = 0) -> Iterator[str]:
    """The address at which a browser can open the application of a test."""
    server = make_server("localhost", port, app, threaded=True, request_handler=Quiet)
    # By default, it checks only twice a second whether to stop.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Worker:
    """Does the site's work immediately, in a thread."""

    def __init__(self) -> None:
        self.queue: Queue[tuple[Task, int] | None] = Queue()
        self.failures: list[Exception] = []

    def nudge(self, task: Task, subject: int) -> None:
        self.queue.put((task, subject))

    def _run(self, site: Site) -> None:
        while asked := self.queue.get():
            task, subject = asked
            try:
                WORK[task](site, subject)
            except Exception as error:
                self.failures.append(error)
            finally:
                self.queue.task_done()

    @contextmanager
    def working(self, site: Site) -> Iterator[None]:
        """Works within the block, and raises errors at its end."""
        thread = threading.Thread(target=self._run, args=(site,))
        thread.start()
        try:
            yield
        finally:
            self.queue.put(None)
            thread.join()
        if self.failures:
            raise ExceptionGroup("the worker", self.failures)


@dataclass(frozen=True)
class Live:
    """A running site, and the application that shows its pages."""

    site: Site
    app: Flask
    worker: Worker

    @property
    def address(self) -> str:
        return self.site.settings.public_url

    def player(self, email: str) -> int:
        """The id of the player with this address, whose name is what comes before the @."""
        with self.site.store.writing() as session:
            player = identity.by_email(session, email, self.site.now())
            display_names.take(session, player, email.partition("@")[0].capitalize())
            return player.id

    def person(self, browser: Browser, email: str, size: ViewportSize = DESK, *, touch: bool = False) -> Person:
        """Somebody at a browser of their own, signed in already."""
        page, client = new_page(browser, self.address, size, touch=touch), self.app.test_client()
        with client.session_transaction() as session:
            session["visit"] = sessions.begin(self.site, self.player(email), "Firefox on Linux")
        cookie = client.get_cookie("stonepost")
        assert cookie is not None
        page.context.add_cookies([{"name": "stonepost", "value": cookie.value, "url": self.address}])
        return Person(page, email)

    def begin(self, email: str, game: str, options: dict[str, str], *others: Chair) -> str:
        """The path of a new match, in which this player has the first seat and the others have theirs."""
        match = lobby.open_match(self.site, self.player(email), game, options, [Chair("me"), *others])
        self.worker.queue.join()
        return f"/match/{match}"

    def answer_letter(self, email: str, subject: str, text: str) -> None:
        """Answers the newest letter to this address with these words in its subject, by email, and has the answer
        processed."""
        self.worker.queue.join()
        with self.site.store.reading() as session:
            posted = [parsed(raw) for raw in session.scalars(select(PostedMail.raw).order_by(PostedMail.id))]
        letter = [mail for mail in posted if mail["To"].addresses[0].addr_spec == email and subject in mail["Subject"]][
            -1
        ]
        town = Town(self.site.settings, self.site.store, self.site.now())
        message_id = f"<{len(posted)}.{email}>"
        receive(self.site, *town.written(letter, text, message_id=message_id), "smtp")
        self.worker.queue.join()


@cache
def _port() -> int:
    """The same port for all sites of a process, so that they can use the same application in turn."""
    return free_port()


def at_random(view: View, _name: str, seed: int, past: Sequence[float] = ()) -> Thought:
    """What every opponent orders here. Thinking takes more processor time than the rest of a test."""
    return pebble(view, 0, seed) if view.seat in view.position.turns else Thought("decline")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, tables: Path) -> Iterator[Live]:
    """A site for the tests of a module, without rate limits."""
    data = tmp_path_factory.mktemp("live")
    given = {
        "STONEPOST_DATA": str(data),
        "STONEPOST_SECRET": SECRET,
        "DATABASE_URL": f"sqlite:///{copy(tables, data / 'live.db')}",
        # Browsers bind passkeys to a host name, not to an IP address.
        "PUBLIC_URL": f"http://localhost:{_port()}",
    }
    settings = replace(Settings.from_environment(given), redis_url="memory://")
    store, worker = Store(settings.database_url), Worker()
    event.listen(store.engine, "connect", hurry)
    site = Site(settings, store, worker.nudge)
    app = application(site, LIVE)
    replay.forget()
    with pytest.MonkeyPatch.context() as patch, worker.working(site), served(app, _port()):
        patch.setattr(limiter, "enabled", False)
        patch.setattr(opponents, "hurried_order", at_random)
        yield Live(site, app, worker)
    store.close()


LIVE = 9
"""The number of the application; lower numbers are for tests without a browser."""
