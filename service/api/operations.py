"""The operations of the API: a view, who may call it, and what it takes and gives, from which the document is written.

An operation takes what its structs describe and nothing else: an unknown field or parameter is refused, so that a
slip never passes for something else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from hashlib import blake2b
from typing import Any, cast

from flask import Blueprint, g, request
from flask.blueprints import BlueprintSetupState
from msgspec import Struct
from werkzeug.routing import IntegerConverter
from werkzeug.wrappers import Response

from service.api import problem_details, reading
from service.api.answers import as_json
from service.api.problem_details import Refused
from service.engine.game import MoveError
from service.play.accounts.programs import tokens
from service.play.accounts.programs.tokens import Holder, Scope
from service.web.current_player import Player, site
from service.web.errors import seconds_until_again
from service.web.security import LARGEST_NUMBER, csrf, limiter, requester

door = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(door)


@door.record_once
def _know_numbers(state: BlueprintSetupState) -> None:
    """Numbers in addresses, however large: one that's too large is no other method's address."""
    state.app.url_map.converters["number"] = IntegerConverter


REQUESTS = 600
ASKING = f"{REQUESTS} per minute"
"""How often a token, or without one an internet address, may ask."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for. With a `scope` it takes a token for that; without, it's there for everybody.

    `gives` is the struct of the answer, or media types for other answers. `also` are further statuses, with what they
    mean.
    """

    method: str
    path: str
    name: str
    summary: str
    tag: str
    scope: Scope | None
    query: type[Struct] | None
    body: type[Struct] | None
    gives: type[Struct] | tuple[str, ...]
    status: int
    also: Mapping[int, str]
    headers: Mapping[str, str] = field(default_factory=dict)


OPERATIONS: list[Operation] = []


@dataclass(frozen=True, slots=True)
class Call:
    """A request: who makes it, and what comes with it."""

    holder: Holder | None
    query: Any
    body: Any

    @property
    def viewer_id(self) -> int | None:
        """The player whose token it is, if there is one that may read."""
        return None if self.holder is None or "read" not in self.holder.scopes else self.holder.player.id

    @property
    def player(self) -> Player:
        """The player whose token it is, for operations with a scope."""
        assert self.holder is not None, "An operation with a scope is only called with a token."
        return self.holder.player


_HEADER = "Send a token in the header Authorization: Bearer stonepost_…"


def holder() -> Holder | None:
    """Whose token comes with this request, looked up once; None without one. Raises Refused for a bad one."""
    if "holder" not in g:
        given = request.headers.get("Authorization")
        if given is not None and not given.lower().startswith("bearer "):
            raise Refused(401, "unauthorized", _HEADER)
        g.holder = None if given is None else _found(given)
    if g.holder is False:
        raise Refused(401, "unauthorized", "This token isn't good: it was revoked, has expired, or is incomplete.")
    return cast("Holder | None", g.holder)


def _found(given: str) -> Holder | bool:
    kind, _, token = given.partition(" ")
    if kind.lower() != "bearer" or not token.startswith(tokens.PREFIX) or len(token) > 100:
        return False
    return tokens.holder(site(), token.strip()) or False


def _counted_as() -> str:
    """Whose requests are counted together: those of a token, or of the internet address of who has none."""
    try:
        known = holder()
    except Refused:
        known = None
    return requester() if known is None else f"token {known.token_id}"


def operation(
    method: str,
    path: str,
    gives: type[Struct] | tuple[str, ...],
    *,
    tag: str,
    scope: Scope | None = None,
    query: type[Struct] | None = None,
    body: type[Struct] | None = None,
    status: int = 200,
    also: Mapping[int, str] | None = None,
    headers: Mapping[str, str] | None = None,
    limit: str = ASKING,
    also_limited: Callable[[Callable[..., Response]], Callable[..., Response]] | None = None,
) -> Callable[[Callable[..., Struct | Response]], Callable[..., Response]]:
    """Makes a function that takes a Call, and the numbers in its path, an operation."""

    def enter(view: Callable[..., Struct | Response]) -> Callable[..., Response]:
        told = " ".join((view.__doc__ or "").split())
        name = view.__name__
        made = Operation(method, path, name, told, tag, scope, query, body, gives, status, also or {}, headers or {})
        OPERATIONS.append(made)

        @wraps(view)
        def run(**path_values: object) -> Response:
            known = holder()
            _check_scope(made, known)
            if any(isinstance(value, int) and value > LARGEST_NUMBER for value in path_values.values()):
                raise Refused(404, "not-found", "There's nothing with such a number.")
            call = Call(known, reading.query(query), reading.body(body))
            try:
                return _answered(view(call, **path_values), made)
            except MoveError as error:
                return problem_details.answered(problem_details.of_move(error))

        limited = limiter.limit(limit, key_func=_counted_as)(run)
        limited = limited if also_limited is None else also_limited(limited)
        door.add_url_rule(path, name, limited, methods=[method])
        return run

    return enter


def _check_scope(made: Operation, known: Holder | None) -> None:
    if made.scope is None:
        return
    if known is None:
        raise Refused(401, "unauthorized", _HEADER)
    if made.scope not in known.scopes:
        raise Refused(403, "forbidden", f"This token isn't for this: it needs the scope {made.scope}.")


_KEY = re.compile(r'"?([A-Za-z0-9_.:-]{1,100})"?')


def idempotency_key() -> str:
    """The Idempotency-Key of this request (draft-ietf-httpapi-idempotency-key-header), or a new one."""
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return secrets.token_urlsafe(15)
    found = _KEY.fullmatch(given.strip())
    if found is None:
        detail = "An Idempotency-Key has 1 to 100 letters, digits and . _ : - in it."
        raise Refused(422, "malformed", detail, field="Idempotency-Key")
    return found[1]


def _answered(found: Struct | Response, made: Operation) -> Response:
    if isinstance(found, Response):
        answer = found
    else:
        answer = as_json(found, made.status)
        if following := getattr(found, "next", None):
            answer.headers["Link"] = f'<{following}>; rel="next"'
    if request.method == "GET" and answer.status_code == 200:
        answer.set_etag(blake2b(answer.get_data(), digest_size=12).hexdigest())
        answer.headers.setdefault("Cache-Control", "no-cache" if g.holder is None else "private, no-cache")
        answer.make_conditional(request)
    return answer


@door.errorhandler(Refused)
def _refused(error: Refused) -> Response:
    return problem_details.answered(error.problem)


@door.after_request
def _headers(answer: Response) -> Response:
    """What is there for everybody, pages of other sites may read; the limit, as draft-ietf-httpapi-ratelimit-headers
    has it."""
    answer.vary.add("Authorization")
    if (known := limiter.current_limit) is not None:
        left = max(0, known.remaining)
        # Each limit of its own has a name of its own, so that a client can tell them apart.
        name = "api" if known.limit.amount == REQUESTS else (request.endpoint or "").removeprefix("api.")
        answer.headers["RateLimit-Policy"] = f'"{name}";q={known.limit.amount};w={known.limit.get_expiry()}'
        answer.headers["RateLimit"] = f'"{name}";r={left};t={seconds_until_again()}'
    made = next((one for one in OPERATIONS if f"api.{one.name}" == request.endpoint), None)
    if made is not None and made.scope is None and request.method in ("GET", "HEAD"):
        answer.headers["Access-Control-Allow-Origin"] = "*"
        answer.headers["Access-Control-Expose-Headers"] = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After"
        answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer
