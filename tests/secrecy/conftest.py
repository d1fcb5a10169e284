"""The houses, built once and copied for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache

from service.play.table import replay
from service.web.security import limiter
from tests.secrecy.worlds import World, build, copies
from tests.web.conftest import compiled

__all__ = ["compiled"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, compiled: FileSystemBytecodeCache) -> Path:
    place = tmp_path_factory.mktemp("houses")
    build(place, compiled)
    return place


@pytest.fixture
def worlds(built: Path, tmp_path: Path, compiled: FileSystemBytecodeCache) -> Iterator[list[World]]:
    with copies(built, tmp_path, compiled) as made:
        yield made


@pytest.fixture(autouse=True)
def _unlimited() -> Iterator[None]:
    """Nobody is told to ask less often."""
    limiter.enabled = False
    yield
    limiter.enabled = True
    replay.forget()
