"""Errors, answered in sentences."""

from __future__ import annotations

from flask import Flask, g, jsonify, render_template
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from service.web.current_player import wants_json


def answer_errors(app: Flask) -> None:
    """Registers the error pages."""
    app.register_error_handler(HTTPException, _tell)


def _tell(error: HTTPException) -> Response:
    response = error.get_response()
    if response.status_code < 400:
        return response
    if response.status_code >= 500:
        # The database itself may be what is missing: a page that tells so asks it nothing.
        g.visitor, g.needs_you = None, 0
    kind = "stale" if isinstance(error, CSRFError) else str(error.code)
    if wants_json():
        words = render_template("errors/sentence.txt", kind=kind).strip()
        told = jsonify(message=words)
    else:
        told = Response(render_template("errors/error.html", kind=kind), mimetype="text/html")  # type: ignore[assignment]
    told.status_code = response.status_code
    for name in ("Allow", "Retry-After"):
        if name in response.headers:
            told.headers[name] = response.headers[name]
    return told
