"""One deployment for all tests that need one running, with a mail server to send its letters to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.relay import Relay
from tests.processes.deployment import Deployment


@pytest.fixture(scope="package")
def outbox() -> Iterator[Relay]:
    with Relay() as outbox:
        yield outbox


@pytest.fixture(scope="package")
def deployment(tmp_path_factory: pytest.TempPathFactory, outbox: Relay) -> Iterator[Deployment]:
    settings = {"SMTP_URL": outbox.url, "INBOUND_SECRET": "open sesame"}
    with Deployment(tmp_path_factory.mktemp("data"), settings).running() as deployment:
        yield deployment
