"""The pages for monitors."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response

from service.play.operations.health import TROUBLES, examine, in_time
from service.store.session import FAILURES, is_failure
from service.web.current_player import site

pages = Blueprint("health", __name__)


@pages.get("/health")
def show() -> Response:
    """Whether everything works: 200, or 503 and what doesn't.

    One line. How much work is waiting is only for operators, because it reveals when somebody has sent an order.
    """
    try:
        trouble = in_time(partial(examine, site())).trouble
    except TimeoutError:
        trouble = "hung"
    except FAILURES as error:
        if not is_failure(error):
            raise
        trouble = "down"
    return Response(f"{TROUBLES[trouble]}\n", 503 if trouble else 200, mimetype="text/plain")


@pages.get("/health/live")
def live() -> Response:
    """200 if this web process answers at all. A process that doesn't should be restarted. Nothing else is checked."""
    return Response("The web process is running.\n", mimetype="text/plain")
