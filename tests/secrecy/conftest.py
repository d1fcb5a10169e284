"""The sites, built once and copied for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.play.table import replay
from service.web.security import limiter
from tests.secrecy.worlds import World, build, copies


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, place: Path, tables: Path) -> Path:
    build(place, tables)
    return place.rename(tmp_path_factory.mktemp("sites") / "built")


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of each test's sites. It's the same for all tests, so that they share the stores."""
    return tmp_path_factory.mktemp("place") / "sites"


@pytest.fixture
def worlds(built: Path, place: Path) -> Iterator[list[World]]:
    with copies(built, place) as made:
        yield made


@pytest.fixture(autouse=True)
def _unlimited() -> Iterator[None]:
    """No request is refused because there were too many."""
    limiter.enabled = False
    yield
    limiter.enabled = True
    replay.forget()
