"""Here dead stones are looked for as long as the service does."""

from __future__ import annotations

import pytest

from service.bots.stones import playing_on
from tests.conftest import THOROUGH


@pytest.fixture(autouse=True)
def _thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, budget in zip(("SHORT", "LONG"), THOROUGH, strict=True):
        monkeypatch.setattr(playing_on, name, budget)
