"""The page of the API for people, its document for programs, and what has a well-known address (RFC 8615)."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, abort, redirect, render_template, url_for
from werkzeug.wrappers import Response

from service.api.answers import as_json
from service.api.document import document
from service.api.operations import OPERATIONS
from service.api.operations import door as door
from service.api.problem_details import KINDS
from service.api.subjects import (
    analysis,
    contests,
    following,
    hooks,
    lobby,
    matches,
    orders,
    players,
    records,
    stream,
    talk,
)
from service.play.accounts.programs.tokens import SCOPES
from service.web.current_player import site

pages = Blueprint("guide", __name__)

SUBJECTS = (matches, orders, stream, hooks, talk, analysis, records, lobby, players, following, contests)
"""The modules with operations."""

RENEWED = timedelta(days=180)
"""For how long security.txt says that it's up to date."""


@pages.get("/api")
def show() -> str:
    """How to write a program that plays here."""
    return render_template(
        "help/api.html",
        url=site().settings.public_url,
        operations=[(one.method, f"/api/v1{one.path}", one.summary, one.scope) for one in OPERATIONS],
        kinds=KINDS.items(),
        scopes=SCOPES,
    )


@door.get("/openapi.json")
def openapi() -> Response:
    """The document of the API, for programs."""
    answer = as_json(document(site().settings.public_url))
    answer.headers["Access-Control-Allow-Origin"] = "*"
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer


@pages.get("/.well-known/change-password")
def change_password() -> Response:
    """Where password managers send people (https://w3c.github.io/webappsec-change-password-url/)."""
    return redirect(url_for("keys.show"), 303)


@pages.get("/.well-known/security.txt")
def security() -> Response:
    """Where to report a weakness (RFC 9116)."""
    expires = (site().now() + RENEWED).replace(hour=0, minute=0, second=0, microsecond=0)
    url, contact = site().settings.public_url, site().settings.security_contact
    if not contact:
        abort(404)
    lines = [
        f"Contact: {contact}",
        f"Expires: {expires.strftime('%Y-%m-%dT%H:%M:%SZ')}",
        "Preferred-Languages: en",
        f"Canonical: {url}/.well-known/security.txt",
    ]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")
