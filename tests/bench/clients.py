"""How long web orders take if several players send at the same time, each the next order once the last is accepted."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

from tests.bench.measure import Figure
from tests.bench.orders import forms_of, send_form
from tests.bench.post import forget_invitations
from tests.processes.deployment import Deployment, Outbox

CLIENTS = 16
WARM_UP = 5
"""The first orders of each client, which aren't counted."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, "SWEEP_SECONDS": "30", **limits})
        with deployment.running(), ThreadPoolExecutor(CLIENTS) as clients:
            forms = [forms_of(deployment, f"client{number}@example.org") for number in range(CLIENTS)]
            forget_invitations(deployment)
            sent = clients.map(partial(_send, deployment.ports["WEB_PORT"]), forms)
            taken = [ms for one in sent for ms in one[WARM_UP:]]
    what = f"ms until a web order is accepted, {CLIENTS} clients without pauses; the median is {median(taken):.0f}"
    yield Figure("web-order-p99", quantiles(taken, n=100)[98], 150, what)


def _send(port: int, forms: Sequence[tuple[str, str, str]]) -> list[float]:
    """Sends one form after another; the milliseconds that each took."""
    taken = []
    with closing(HTTPConnection("127.0.0.1", port)) as line:
        for form in forms:
            begun = time.monotonic()
            send_form(line, *form)
            taken.append(1000 * (time.monotonic() - begun))
    return taken
