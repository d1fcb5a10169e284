"""These tests look for dead stones as thoroughly as the service does."""

from __future__ import annotations

import pytest

from service.bots.stones import playing_on, settling
from tests.conftest import THOROUGH


@pytest.fixture(autouse=True)
def _thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long, playouts = THOROUGH
    monkeypatch.setattr(playing_on, "SHORT", short)
    monkeypatch.setattr(playing_on, "LONG", long)
    monkeypatch.setattr(settling, "PLAYOUTS", playouts)
