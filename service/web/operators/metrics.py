"""The page for Prometheus.

The package prometheus_client counts in each process what happens there; these numbers are all in the database and in
Redis, so its text format is all that is left to do: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator

from flask import Blueprint, Response, abort, request

from service.play.operations.metrics import Metric, measure
from service.web.current_player import site

pages = Blueprint("metrics", __name__)

FORMAT = "text/plain; version=0.0.4; charset=utf-8"
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@pages.get("/metrics")
def show() -> Response:
    """All metrics, for the holder of the METRICS_TOKEN. Others get 404, because how much work is waiting reveals when
    somebody has sent an order."""
    token = site().settings.metrics_token
    given = request.headers.get("Authorization", "")
    if not token or not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        abort(404)
    lines = [line for metric in measure(site()) for line in _lines(metric)]
    return Response("\n".join(lines) + "\n", content_type=FORMAT)


def _lines(metric: Metric) -> Iterator[str]:
    name = f"stonepost_{metric.name}"
    yield f"# HELP {name} {metric.help}"
    yield f"# TYPE {name} {metric.kind}"
    for (label, value), number in metric.values.items():
        labels = f'{{{label}="{value.translate(ESCAPED)}"}}' if label else ""
        yield f"{name}{labels} {number:.15g}"
