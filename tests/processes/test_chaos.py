"""A short run of `make chaos`, in the deployment that other tests have too."""

from __future__ import annotations

import pytest

from tests.chaos.faults import World
from tests.chaos.relay import Relay
from tests.chaos.run import Plan, play
from tests.processes.deployment import Deployment

pytestmark = pytest.mark.processes


def test_nothing_is_lost_doubled_or_misapplied(deployment: Deployment, outbox: Relay) -> None:
    faults = ("kill-web-child", "kill-worker", "kill-mail", "flush", "letters")
    result = play(Plan(orders=40, faults=faults, every=8, patience=60), World(deployment, outbox, None, None))
    assert result.findings.kinds == set(), str(result)
    assert result.orders == 40
    assert result.struck.total() >= 3
