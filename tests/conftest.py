"""Settings of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says something about the machine, not about the code; `make bench` measures speed.
settings.register_profile("stonepost", deadline=None)
settings.load_profile("stonepost")


@pytest.fixture
def database(tmp_path: Path) -> str:
    """The URL of a database for one test. `tests/play` has two kinds of it."""
    return f"sqlite:///{tmp_path / 'stonepost.db'}"
