"""What protects players from other sites and from floods: headers, CSRF tokens, rate limits."""

from __future__ import annotations

import logging
from collections.abc import Container
from datetime import timedelta
from typing import Any

from flask import Flask, Response, abort, request
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect
from werkzeug.routing import IntegerConverter, Map

from service import broker
from service.config import Settings
from service.web import cookies
from service.web.current_player import requester as requester
from service.web.current_player import visitor

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGE_HEADERS = {
    # A sign-in link must not travel to other sites in a Referer; Flask-WTF wants to see our own.
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
NO_PAGES = ("text/css", "text/javascript", "image/png")
"""Types that browsers never run as a page, so they need no page headers: these small files are half headers already."""

NEEDLESS = ("Content-Disposition", "Expires", "Last-Modified", "Accept-Ranges")
"""Headers that Flask gives static files, which are cached forever anyway."""

LARGEST_PAGE_FORM = 256 * 1024
"""The most bytes in a form. Incoming mail may be larger."""


def _who() -> str:
    """Under which key requests are counted: a player's or, for visitors and guests, who cost nothing, the address
    block's."""
    player = visitor()
    return requester() if player is None or player.is_guest else f"player {player.id}"


class RowNumber(IntegerConverter):
    """A number in an address, at most LARGEST_NUMBER; an address with a larger one leads nowhere."""

    def __init__(self, routes: Map, *args: Any, **limits: Any) -> None:
        super().__init__(routes, *args, **({"max": LARGEST_NUMBER} | limits))


LARGEST_NUMBER = 2**31 - 1
"""The largest number in the database. A larger one in an address leads nowhere, and in a form it's ignored."""


def row_number(text: str) -> int:
    """Converts a form's value to an id, as a `type`; raises ValueError for a number that no row can have."""
    found = int(text)
    if not 0 <= found <= LARGEST_NUMBER:
        raise ValueError(text)
    return found


def _in_one_line(record: logging.LogRecord) -> bool:
    """Logs a limit that couldn't be counted without its traceback."""
    if record.exc_info:
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return True


class ViewLimiter(Limiter):
    """Checks only the limits of single views. Flask-Limiter also looks for limits of all pages, of which there are
    none."""

    def _check_request_limit(self, callable_name: str | None = None, in_middleware: bool = True) -> None:
        if not in_middleware:
            super()._check_request_limit(callable_name, in_middleware)


csrf = CSRFProtect()
limiter = ViewLimiter(_who, in_memory_fallback_enabled=True, headers_enabled=False, swallow_errors=True)
# The first request that fails starts counting in memory. Others under way at that moment aren't counted.
limiter.logger.addFilter(_in_one_line)


def guard(app: Flask, settings: Settings) -> None:
    """Adds these protections to an application."""
    secure = settings.public_url.startswith("https://")
    url, options = broker.counter(settings)
    app.config.update(
        SECRET_KEY=settings.secret,
        SESSION_COOKIE_NAME=cookies.HOST if secure else cookies.PLAIN,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=secure,
        PERMANENT_SESSION_LIFETIME=timedelta(days=180),
        # Of two simultaneous requests, the later answer would restore the cookie that the earlier one replaced.
        SESSION_REFRESH_EACH_REQUEST=False,
        WTF_CSRF_TIME_LIMIT=None,
        MAX_CONTENT_LENGTH=LARGEST_PAGE_FORM,
        RATELIMIT_STORAGE_URI=url,
        # While the store hangs, each process counts on its own.
        RATELIMIT_STORAGE_OPTIONS=options,
    )
    app.session_interface = cookies.SessionCookie()
    csrf.init_app(app)
    limiter.init_app(app)
    app.url_map.converters["int"] = RowNumber
    app.after_request(_add_headers)
    if secure:
        app.after_request(_stay_secure)


def refuse_zero_bytes(app: Flask, names: Container[str]) -> None:
    """Refuses zero bytes in queries, and in forms of these blueprints: nobody types one, and PostgreSQL can't store
    it."""

    @app.before_request
    def refuse() -> None:
        given = (request.args, request.form) if request.blueprint in names else (request.args,)
        if any("\0" in value for fields in given for _, value in fields.items(multi=True)):
            abort(400)


def _add_headers(response: Response) -> Response:
    own_policy = response.headers.get("Content-Security-Policy", "")
    headers = HEADERS if response.mimetype in NO_PAGES else HEADERS | PAGE_HEADERS
    # Werkzeug's own lookup scans all headers each time.
    given = {name.lower() for name, _ in response.headers}
    for name, value in headers.items():
        if name.lower() not in given and (name != "X-Frame-Options" or "frame-ancestors *" not in own_policy):
            response.headers.add(name, value)
    if request.endpoint == "static":
        for name in NEEDLESS:
            response.headers.pop(name, None)
    else:
        response.headers.setdefault("Cache-Control", _kept(response))
    return response


def _kept(response: Response) -> str:
    """The Cache-Control of a page: the back button fetches a page again, because what it shows may have changed.

    The answer to a form must be cached, because it can't be fetched again: the browser would show an error of its own.
    """
    answers = request.method == "POST" and response.mimetype == "text/html" and "Location" not in response.headers
    return "private, max-age=0" if answers else "no-store"


def _stay_secure(response: Response) -> Response:
    response.headers["Strict-Transport-Security"] = "max-age=31536000"
    return response
