"""One deployment for all tests that need one running, with a mail server to send its letters to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.relay import Relay
from tests.play.outbox.receiver import Receiver, receiving
from tests.processes.deployment import Deployment


@pytest.fixture(scope="package")
def outbox() -> Iterator[Relay]:
    with Relay() as outbox:
        yield outbox


@pytest.fixture(scope="package")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """What the hooks and devices of the deployment call."""
    with pytest.MonkeyPatch.context() as patch, receiving(tmp_path_factory.mktemp("receiver"), patch) as receiver:
        yield receiver


@pytest.fixture(scope="package")
def deployment(tmp_path_factory: pytest.TempPathFactory, outbox: Relay, receiver: Receiver) -> Iterator[Deployment]:
    settings = {"SMTP_URL": outbox.url, "INBOUND_SECRET": "open sesame", "HOOKS_PRIVATE": "1"}
    with Deployment(tmp_path_factory.mktemp("data"), settings).running() as deployment:
        yield deployment
