"""Letters to one domain, sent by several processes that count them together."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.play.accounts import identity
from service.store.models import Player
from service.store.tables.mail_rows import Letter
from tests.processes.deployment import Deployment, Outbox, wait_for

pytestmark = pytest.mark.processes

MOST, SWEEP = 12, 2.0


def untried(deployment: Deployment, asked: datetime) -> int:
    """How many letters are still due since they were asked for, without an attempt."""
    with deployment.site.store.reading() as session:
        waiting = select(func.count()).where(Letter.sent.is_(None), Letter.due <= asked)
        return session.scalar(waiting) or 0


def test_all_workers_together_keep_the_limit_of_a_domain(tmp_path: Path) -> None:
    with Outbox() as outbox:
        given = {"SMTP_URL": outbox.url, "MAIL_PER_MINUTE": str(MOST), "SWEEP_SECONDS": str(SWEEP)}
        with Deployment(tmp_path, given).running() as deployment:
            for number in range(3 * MOST):
                identity.ask_sign_in(deployment.site, f"p{number}@slow.example")
            for number in range(5):
                identity.ask_sign_in(deployment.site, f"p{number}@other.example")
            asked = deployment.site.now()
            wait_for(lambda: not untried(deployment, asked), "an attempt at each letter")
            time.sleep(2 * SWEEP)  # Those that wait are tried again.
            with deployment.site.store.reading() as session:
                reached = session.scalars(select(Player.email).join(Letter).where(Letter.sent.is_not(None)))
                sent = Counter(str(email).partition("@")[2] for email in reached)
            assert sent == {"slow.example": MOST, "other.example": 5}
            assert len(outbox.arrived) == MOST + 5
