"""The OpenAPI 3.1 document of the API, written from its operations.

Written by hand, because spectree treats a body that isn't JSON as an empty one, and supports only application/json for
answers, so neither problem details nor pictures. The schemas are msgspec's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from service.api.operations import OPERATIONS, Operation
from service.api.problem_details import MEDIA_TYPE, Problem
from service.play.accounts.programs.tokens import SCOPES

VERSION = "1.0.0"

_REF = "#/components/schemas/{name}"
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")

_REFUSALS = {
    304: "It hasn't changed since the ETag in If-None-Match.",
    400: "The request is malformed.",
    401: "The token is missing or isn't valid.",
    403: "The token can't be used for this.",
    404: "It doesn't exist.",
    409: "It isn't the player's turn, or the match has moved on.",
    412: "It has changed since the ETag in If-Match.",
    413: "The body is too large.",
    415: "The body isn't JSON.",
    422: "It was understood but refused.",
    429: "Too many requests; Retry-After says when to try again.",
    500: "Something went wrong on our side.",
}


@cache
def document(server: str) -> dict[str, Any]:
    """The document for the server at this URL."""
    structs: set[type[Struct]] = {
        one for made in OPERATIONS for one in (made.query, made.body, made.gives) if isinstance(one, type)
    }
    ordered = sorted(structs | {Problem}, key=_name)
    _, components = msgspec.json.schema_components(ordered, ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for made in OPERATIONS:
        path = _PARAMETER.sub(r"{\2}", made.path)
        paths.setdefault(f"/api/v1{path}", {})[made.method.lower()] = _operation(made, components)
    for one in {made.query.__name__ for made in OPERATIONS if made.query is not None}:
        del components[one]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Stonepost",
            "version": VERSION,
            "description": f"Play with a program. {server}/api explains it, with examples.",
            "contact": {"url": f"{server}/api"},
        },
        "servers": [{"url": server}],
        "tags": [{"name": name, "description": TAGS[name]} for name in TAGS],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "headers": {name: {"description": told, "schema": {"type": "string"}} for name, told in _HEADERS.items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": f"Scopes: {', '.join(SCOPES)}."}
            },
        },
    }


_HEADERS = {
    "ETag": "Send it back in If-None-Match: while nothing has changed, the answer is 304.",
    "Link": 'The address of the next page, as rel="next". The field next of the body has it too.',
    "Location": "The address of the verdict.",
    "RateLimit": "How many requests are left, and for how many seconds (draft-ietf-httpapi-ratelimit-headers).",
    "RateLimit-Policy": "How many requests are allowed, and in how many seconds.",
    "Retry-After": "How many seconds to wait before asking again.",
    "WWW-Authenticate": "Says that a token is needed.",
}

TAGS = {
    "matches": "Matches, their boards and their moves.",
    "orders": "Everything a player can ask of a match.",
    "events": "What happens in the player's matches.",
    "hooks": "Addresses that are called when something happens.",
    "talk": "Messages, notes and comments.",
    "lobby": "How matches begin.",
    "players": "Players, bots and ratings.",
    "pictures": "Boards as pictures.",
    "records": "Matches as records.",
    "analysis": "Moves tried in private, reviews, and dead stones.",
    "following": "Players and events that a player follows.",
    "events of several matches": "Cups, leagues, ladders and tours.",
}


def _operation(made: Operation, components: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": made.name,
        "summary": made.summary.partition(".")[0],
        "description": made.summary,
        "tags": [made.tag],
        "parameters": [*_path_parameters(made), *_query_parameters(made, components), *_header_parameters(made)],
        "responses": _responses(made),
        "security": [{"token": []}] if made.scope else [{}, {"token": []}],
    }
    if made.scope:
        told["description"] += f" Needs the scope {made.scope}."
    if made.body is not None:
        content = {"application/json": {"schema": _reference(made.body)}}
        told["requestBody"] = {"required": True, "content": content}
    return told


def _name(struct: type[Struct]) -> str:
    return struct.__name__


def _reference(struct: type[Struct]) -> dict[str, str]:
    return {"$ref": _REF.format(name=struct.__name__)}


def _path_parameters(made: Operation) -> list[dict[str, Any]]:
    whole = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    return [
        {"name": name, "in": "path", "required": True, "schema": whole if kind == "number" else {"type": "string"}}
        for kind, name in _PARAMETER.findall(made.path)
    ]


def _query_parameters(made: Operation, components: dict[str, Any]) -> list[dict[str, Any]]:
    if made.query is None:
        return []
    schema = components[made.query.__name__]
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            **({"description": one["description"]} if "description" in one else {}),
            "schema": _without_null({part: value for part, value in one.items() if part != "description"}),
        }
        for name, one in schema["properties"].items()
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema without null: a parameter is left out instead."""
    kept = {name: value for name, value in schema.items() if name != "default" or value is not None}
    if "enum" in kept:
        kept["enum"] = [one for one in kept["enum"] if one is not None]
    return kept


def _header_parameters(made: Operation) -> list[dict[str, Any]]:
    key = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,100}$"}
    return [
        {"name": name, "in": "header", "required": False, "schema": key, "description": told}
        for name, told in made.headers.items()
    ]


def _responses(made: Operation) -> dict[str, Any]:
    responses = {str(made.status): _answer(made, "What was asked for.")}
    also = dict(made.also)
    for status, told in also.items():
        responses[str(status)] = _answer(made, told) if status < 400 else _problem(status)
    refusals = {400, 429, 500, 401}
    refusals |= {403} if made.scope else set()
    refusals |= {404} if "<" in made.path else set()
    refusals |= {413, 415} if made.body else set()
    refusals |= {422}
    responses |= {str(status): _problem(status) for status in sorted(refusals)}
    if made.method == "GET":
        responses |= {"304": {"description": _REFUSALS[304]}, "412": _problem(412)}
    for code, answer in responses.items():
        answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in _headers(made, code)}
    return responses


def _headers(made: Operation, status: str) -> list[str]:
    """The headers that an answer of this status may have."""
    named = ["RateLimit", "RateLimit-Policy"]
    named += ["ETag"] if made.method == "GET" and status in ("200", "304") else []
    named += (
        ["Link"] if status == "200" and isinstance(made.gives, type) and "next" in made.gives.__struct_fields__ else []
    )
    named += ["Location", "Retry-After"] if status == "202" and made.tag == "orders" else []
    named += {"401": ["WWW-Authenticate"], "429": ["Retry-After"]}.get(status, [])
    return named


def _answer(made: Operation, told: str) -> dict[str, Any]:
    if isinstance(made.gives, tuple):
        return {"description": told, "content": {kind: {} for kind in made.gives}}
    return {"description": told, "content": {"application/json": {"schema": _reference(made.gives)}}}


def _problem(status: int) -> dict[str, Any]:
    return {"description": _REFUSALS[status], "content": {MEDIA_TYPE: {"schema": _reference(Problem)}}}
