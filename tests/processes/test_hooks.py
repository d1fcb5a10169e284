"""A short run of `make fire`, which kills processes while they are calling: that takes the time of a lease."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.play.outbox.receiver import receiving
from tests.processes.deployment import Deployment
from tests.processes.hooks_under_fire import fire

pytestmark = pytest.mark.processes


def test_no_call_is_lost_or_told_as_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data := tmp_path / "data").mkdir()
    with receiving(tmp_path, monkeypatch) as receiver:
        settings = {"HOOKS_PRIVATE": "1", "SMTP_URL": "", "SWEEP_SECONDS": "1"}
        with Deployment(data, settings).running() as deployment:
            deployment.kill("hooks")
            told = fire(deployment, receiver, 40, ("queue", "beat"))
    assert told.startswith("40 calls, 4 processes killed: none lost")
