"""A site where something is going on, to which doors with a database are reset again and again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from flask import Flask
from sqlalchemy import func, select

from service.config import Settings
from service.play.accounts import passwords
from service.store.rows import Row
from service.store.tables.mail_rows import PostedMail
from service.web.security import limiter
from tests.databases import shared
from tests.play.conftest import SECRET, Town
from tests.web.conftest import application, quick
from tests.web.page_types import Kept, Scenery, built

TRUSTED = "mx.town.example"
MACHINE_SECRET = "open sesame"
MAILGUN_KEY = "key"
TOPIC = "arn:aws:sns:eu-west-1:1:mail"

LESSONS = ("learn go", "learn medusa 3", "problem pillars 2", "problem go", "gazette on", "notices all on", "events")
"""What Ada asks for, so that there are letters of these kinds to answer."""


class Stage:
    """The scenery of the tests of pages, with more letters, and an application that accepts whatever comes."""

    def __init__(self, build: Callable[[Town, Flask], Scenery] = built, lines: Sequence[str] = LESSONS) -> None:
        self.folder = tempfile.TemporaryDirectory()
        url = f"sqlite:///{self.folder.name}/town.db"
        given = {"STONEPOST_DATA": self.folder.name, "DATABASE_URL": url, "STONEPOST_SECRET": SECRET}
        settings = Settings.from_environment(given | {"TRUSTED_AUTHSERV_ID": TRUSTED})
        self.town = Town(_open(settings), shared(url))
        self.town.store.migrate()
        self.app = application(self.town.site)
        self.app.config.update(PROPAGATE_EXCEPTIONS=True)
        self.kept = Kept(Path(self.folder.name))
        with unhurried():
            scenery = build(self.town, self.app)
            for line in lines:
                self.town.write("ada@example.org", line)
        self.kept.keep(scenery)
        with self.town.store.reading() as session:
            self.letters = [*session.scalars(select(PostedMail.raw).order_by(PostedMail.id))]
        self.scenery = scenery

    def again(self) -> Scenery:
        """Restores everything as it was when the stage had just been built."""
        self.town.receipts.clear()
        self.town.mails = 0
        self.scenery = self.kept.copy(self.town, self.app)
        return self.scenery

    def rows(self) -> dict[str, int]:
        """How many rows each table has."""
        with self.town.store.reading() as session:
            return dict(session.execute(COUNTED).one()._mapping)

    def close(self) -> None:
        self.town.store.close()
        self.folder.cleanup()


def _open(settings: Settings) -> Settings:
    """With all doors for machines, and operators."""
    return replace(
        settings,
        redis_url="memory://",
        inbound_secret=MACHINE_SECRET,
        mailgun_key=MAILGUN_KEY,
        sns_topic=TOPIC,
        operators=frozenset({"ada@example.org", "ada@new.example"}),
        public_url="http://localhost:8000",
    )


COUNTED = select(
    *(
        select(func.count()).select_from(table).scalar_subquery().label(table.name)
        for table in Row.metadata.sorted_tables
    )
)


@contextmanager
def unhurried() -> Iterator[None]:
    """Lifts the rate limits during the block, and hashes passwords quickly."""
    with patch.object(limiter, "enabled", False), patch.object(passwords, "hasher", quick):
        yield


@cache
def stage() -> Stage:
    """The stage that all doors of a process share."""
    return Stage()
