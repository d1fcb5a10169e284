"""A short run of `make fire`, which kills processes while they are calling: that takes the time of a lease."""

from __future__ import annotations

import pytest

from tests.play.outbox.receiver import Receiver
from tests.processes.deployment import Deployment
from tests.processes.hooks_under_fire import fire

pytestmark = pytest.mark.processes


def test_no_call_is_lost_or_sent_under_two_ids(deployment: Deployment, receiver: Receiver) -> None:
    deployment.kill("hooks")
    told = fire(deployment, receiver, 40, ("queue", "beat"))
    assert told.startswith("40 calls, 4 processes killed: none lost")
