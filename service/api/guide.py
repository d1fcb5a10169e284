"""The API's page for people, its OpenAPI document for programs, and the well-known addresses (RFC 8615)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import msgspec
from flask import Blueprint, abort, redirect, render_template, url_for
from werkzeug.wrappers import Response

from service.api.answers import as_json
from service.api.document import TAGS, document
from service.api.operations import DOCUMENT, OPERATIONS, Operation, with_etag
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
"""How long `security.txt` stays valid, according to its Expires."""


@pages.get("/api")
def show() -> str:
    """How to write a program that plays here."""
    return render_template(
        "help/api.html",
        url=site().settings.public_url,
        subjects=[(told, [_line(one) for one in OPERATIONS if one.tag == tag]) for tag, told in TAGS.items()],
        kinds=KINDS.items(),
        scopes=SCOPES,
    )


class Line(NamedTuple):
    """An operation as the page lists it; fields that can be left out end with a question mark."""

    method: str
    path: str
    fields: Sequence[str]
    told: str
    scope: str | None
    limit: str
    """How often a player may ask for it, `60 per hour`; "" if only the budget of all requests limits it."""


def _line(made: Operation) -> Line:
    asked = [field for struct in (made.query, made.body) if struct for field in msgspec.structs.fields(struct)]
    fields = [f"{field.name}{'' if field.required else '?'}" for field in asked]
    return Line(
        made.method, f"/api/v1{made.path}".replace("<number:", "<"), fields, made.summary, made.scope, made.limit
    )


@door.get(DOCUMENT)
def openapi() -> Response:
    """The document of the API, for programs."""
    answer = as_json(document(site().settings.public_url))
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return with_etag(answer)


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
