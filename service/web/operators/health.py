"""The page for monitors: 200 while all is well, 503 where it is not."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from service.play.operations.health import examine
from service.web.current_player import site

pages = Blueprint("health", __name__)


@pages.get("/health")
def show() -> Response:
    """One line. How much waits is for operators alone: it tells when somebody has sent an order."""
    trouble = examine(site()).trouble
    told = render_template("operators/health.txt", trouble=trouble).strip()
    return Response(f"{told}\n", 503 if trouble else 200, mimetype="text/plain")
