"""Errors, answered in sentences."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from datetime import timedelta

from flask import Flask, g, jsonify, render_template, request
from flask_limiter import RequestLimit
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import BadHost, HTTPException, ServiceUnavailable, TooManyRequests
from werkzeug.wrappers import Response

from service.store.mail_store import MailStoreError
from service.store.session import is_failure
from service.web.current_player import wants_json
from service.web.security import limiter


def answer_errors(app: Flask, elsewhere: Mapping[str, Callable[[HTTPException], Response]]) -> None:
    """Registers the error pages, and the functions that answer instead below the paths in `elsewhere`."""

    def answer(error: HTTPException) -> Response:
        if isinstance(error, BadHost):
            # A page's links would need the host's name.
            return Response("The header Host names no host.\n", error.code, mimetype="text/plain")
        if is_failure(getattr(error, "original_exception", None)):
            error = ServiceUnavailable()
        own = next((own for path, own in elsewhere.items() if request.path.startswith(path)), _tell)
        return own(error)

    app.register_error_handler(HTTPException, answer)
    app.register_error_handler(MailStoreError, lambda _: answer(ServiceUnavailable()))


def _tell(error: HTTPException) -> Response:
    response = error.get_response()
    if response.status_code >= 500:
        # The database itself may be down, so the error page doesn't query it.
        for name, value in {"visitor": None, "needs_you": 0, "announced": ""}.items():
            g.setdefault(name, value)
    wait = _until_again() if isinstance(error, TooManyRequests) else None
    kind = _kind(error)
    if wants_json():
        words = render_template("errors/sentence.txt", kind=kind, wait=wait).strip()
        told = jsonify(message=words)
    else:
        page = render_template("errors/error.html", kind=kind, wait=wait)
        told = Response(page, mimetype="text/html")  # type: ignore[assignment]
    told.status_code = response.status_code
    if wait:
        told.headers["Retry-After"] = str(int(wait.total_seconds()))
    for name in ("Allow", "Retry-After"):
        if name in response.headers:
            told.headers[name] = response.headers[name]
    return told


def _kind(error: HTTPException) -> str:
    """Which sentence describes the error."""
    if isinstance(error, CSRFError):
        return "stale"
    if isinstance(error, ServiceUnavailable) and request.method == "POST":
        return "unsaved"
    return str(error.code)


def _until_again() -> timedelta:
    """How long until the limit that this request exceeded is reset, in whole minutes."""
    return timedelta(minutes=max(1, -(-seconds_until_again() // 60)))


def seconds_until_again(limit: RequestLimit | None = None) -> int:
    """Whole seconds until a limit is reset, by default the one that this request exceeded."""
    limit = limit or limiter.current_limit
    # `reset_at` is rounded up to a whole second, so at first it is later than the limit's period allows.
    return 1 if limit is None else max(1, math.ceil(min(limit.reset_at - time.time(), limit.limit.get_expiry())))
