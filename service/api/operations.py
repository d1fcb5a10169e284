"""The operations of the API: each has a view, a scope and structs for its request and answer, as the document shows.

An operation accepts only what its structs describe. An unknown field or parameter is refused, so that a typo is never
ignored.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from hashlib import blake2b
from typing import Any, cast

import msgspec
from flask import Blueprint, abort, g, request
from flask.blueprints import BlueprintSetupState
from flask_limiter import RequestLimit
from msgspec import Struct
from werkzeug.routing import IntegerConverter, RequestRedirect
from werkzeug.wrappers import Response

from service.api import problem_details, reading
from service.api.answers import as_json
from service.api.problem_details import Refused
from service.engine.game import MoveError
from service.play.accounts.programs import repeats, tokens
from service.play.accounts.programs.tokens import Holder, Scope
from service.web.current_player import Player, site
from service.web.errors import seconds_until_again
from service.web.security import LARGEST_NUMBER, csrf, limiter, requester

door = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(door)


@door.record_once
def _know_numbers(state: BlueprintSetupState) -> None:
    """Registers a converter for numbers of any size: one that's too large mustn't match another method's address
    instead."""
    state.app.url_map.converters["number"] = IntegerConverter


DOCUMENT = "/openapi.json"

BUDGET = "600 per minute"
"""How many requests a player may make together with their bots or, without a token, an address block."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API. With a `scope`, it requires a token for that; without, it's public.

    `gives` is the struct of the answer, or media types for other answers. `also` are other statuses with their
    meanings.
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
    limit: str = ""
    """How often a player may request it together with their bots, on top of the budget for all requests."""


OPERATIONS: list[Operation] = []


@dataclass(frozen=True, slots=True)
class Call:
    """A request: its token's holder, its parameters and its body."""

    holder: Holder | None
    query: Any
    body: Any

    @property
    def viewer_id(self) -> int | None:
        """The id of the token's player; None without a token that has the scope `read`."""
        return None if self.holder is None or "read" not in self.holder.scopes else self.holder.player.id

    @property
    def player(self) -> Player:
        """The token's player, for operations with a scope."""
        assert self.holder is not None, "An operation with a scope is only called with a token."
        return self.holder.player


_HEADER = "Send a token in the header Authorization: Bearer stonepost_…"


def holder() -> Holder | None:
    """The holder of this request's token, looked up once; None without a token. Raises Refused if it's invalid."""
    if "holder" not in g:
        given = request.headers.get("Authorization")
        if given is not None and not given.lower().startswith("bearer "):
            raise Refused(401, "unauthorized", _HEADER)
        g.holder = None if given is None else _found(given)
    if g.holder is False:
        raise Refused(401, "unauthorized", "This token isn't valid: it was revoked, has expired, or is incomplete.")
    return cast("Holder | None", g.holder)


def _found(given: str) -> Holder | bool:
    kind, _, token = given.partition(" ")
    if kind.lower() != "bearer" or not token.startswith(tokens.PREFIX) or len(token) > 100:
        return False
    return tokens.holder(site(), token.strip()) or False


def _counted_as() -> str:
    """Under which key a request is counted: that of its player and their bots or, without a valid token, of its address
    block."""
    try:
        known = holder()
    except Refused:
        known = None
    return requester() if known is None else f"player {known.player.owner_id or known.player.id}"


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
    limit: str = "",
    also_limited: Callable[[Callable[..., Response]], Callable[..., Response]] | None = None,
) -> Callable[[Callable[..., Struct | Response]], Callable[..., Response]]:
    """Registers a function of a Call and the values in its path as an operation."""

    def enter(view: Callable[..., Struct | Response]) -> Callable[..., Response]:
        told = " ".join((view.__doc__ or "").split())
        name = view.__name__
        made = Operation(
            *(method, path, name, told, tag, scope, query, body, gives, status, also or {}, headers or {}, limit)
        )
        OPERATIONS.append(made)

        @wraps(view)
        def run(**path_values: object) -> Response:
            known = holder()
            _check_scope(made, known)
            if any(isinstance(value, int) and value > LARGEST_NUMBER for value in path_values.values()):
                raise Refused(404, "not-found", "There's nothing with this number.")
            call = Call(known, reading.query(query), reading.body(body))
            try:
                return _answered(view(call, **path_values), made)
            except MoveError as error:
                return problem_details.answered(problem_details.of_move(error))

        limited = limiter.limit(limit, key_func=_counted_as)(run) if limit else run
        limited = limited if also_limited is None else also_limited(limited)
        limited = limiter.shared_limit(BUDGET, "api", key_func=_counted_as)(limited)
        door.add_url_rule(path, name, limited, methods=[method])
        return run

    return enter


def _check_scope(made: Operation, known: Holder | None) -> None:
    if made.scope is None:
        return
    if known is None:
        raise Refused(401, "unauthorized", _HEADER)
    if made.scope not in known.scopes:
        raise Refused(403, "forbidden", f"This token can't be used for this: it needs the scope {made.scope}.")


_KEY = re.compile(r'"?([A-Za-z0-9_.:-]{1,100})"?')


def idempotency_key() -> str:
    """The Idempotency-Key of this request (draft-ietf-httpapi-idempotency-key-header), or a new one."""
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return secrets.token_urlsafe(15)
    found = _KEY.fullmatch(given.strip())
    if found is None:
        detail = "An Idempotency-Key has 1 to 100 characters: letters, digits, dots, underscores, colons and hyphens."
        raise Refused(422, "malformed", detail, field="Idempotency-Key")
    return found[1]


def is_key(text: str) -> bool:
    """Whether an Idempotency-Key can be this text, without quotes."""
    found = _KEY.fullmatch(text)
    return found is not None and found[1] == text


def once(call: Call) -> str:
    """The key of what a request creates: the same for all requests with its Idempotency-Key. Raises Refused if that
    came with a different request before.

    With another token, the same Idempotency-Key is another key: that token may lack the scope for what the first
    created.
    """
    assert call.holder is not None, "An operation with a scope is only called with a token."
    given = f"{call.holder.token_id} {idempotency_key()}"
    name = blake2b(given.encode(), digest_size=16).hexdigest()
    if "Idempotency-Key" in request.headers:
        said = f"{request.method} {request.path} ".encode(errors="replace") + msgspec.json.encode(call.body)
        if not repeats.is_same(site(), call.player.id, name, blake2b(said, digest_size=16).hexdigest()):
            raise key_reused()
    return f"api:{call.player.id}:{name}"


def key_reused() -> Refused:
    """The refusal of an Idempotency-Key that came with a different request before."""
    return Refused(422, "key-reused", "This Idempotency-Key was used for a different request. Choose another one.")


_READS = ("GET", "HEAD")


def _answered(found: Struct | Response, made: Operation) -> Response:
    if isinstance(found, Response):
        answer = found
    else:
        answer = as_json(found, made.status)
        if following := getattr(found, "next", None):
            answer.headers["Link"] = f'<{following}>; rel="next"'
    if request.method in _READS and answer.status_code == 200:
        answer.headers.setdefault("Cache-Control", "no-cache" if g.holder is None else "private, no-cache")
        return with_etag(answer)
    return answer


def with_etag(answer: Response) -> Response:
    """An answer with its ETag, empty if the client has it already; raises Refused if If-Match names another."""
    tag = blake2b(answer.get_data(), digest_size=12).hexdigest()
    answer.set_etag(tag)
    if request.if_match and tag not in request.if_match:
        raise Refused(412, "refused", "It has changed since the ETag in If-Match.")
    if request.if_none_match.contains_weak(tag):
        answer.status_code = 304
    return answer


@door.errorhandler(Refused)
def _refused(error: Refused) -> Response:
    return problem_details.answered(error.problem)


_SHOWN = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After"


@door.before_app_request
def _no_detours() -> None:
    """Below /api, an address with a double slash gets 404 instead of a redirect."""
    if request.path.startswith("/api/") and isinstance(request.routing_exception, RequestRedirect):
        abort(404)


@door.after_request
def _headers(answer: Response) -> Response:
    """Adds rate limits (draft-ietf-httpapi-ratelimit-headers) and, for public data, CORS headers."""
    answer.vary.add("Authorization")
    if known := limiter.current_limits:
        named = [(_limit_name(one), one) for one in known]
        answer.headers["RateLimit-Policy"] = ", ".join(
            f'"{name}";q={one.limit.amount};w={one.limit.get_expiry()}' for name, one in named
        )
        answer.headers["RateLimit"] = ", ".join(
            f'"{name}";r={max(0, one.remaining)};t={seconds_until_again(one)}' for name, one in named
        )
    if _is_public():
        answer.headers["Access-Control-Allow-Origin"] = "*"
        answer.headers["Access-Control-Expose-Headers"] = _SHOWN
        answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        if request.method == "OPTIONS":
            _allow(answer)
    return answer


def _limit_name(one: RequestLimit) -> str:
    """A unique name for each limit, so that clients can tell them apart."""
    _, scope = one.request_args
    if not one.shared:
        return scope.removeprefix("api.")
    return scope if scope == "api" else f"{scope}-{one.limit.GRANULARITY.name}"


def _is_public() -> bool:
    """Whether the request reads public data, or is a CORS preflight for such a request."""
    rule = request.url_rule
    asked = request.headers.get("Access-Control-Request-Method") if request.method == "OPTIONS" else request.method
    reads = {one.path for one in OPERATIONS if one.method == "GET" and one.scope is None} | {DOCUMENT}
    return asked in _READS and rule is not None and rule.rule.removeprefix("/api/v1") in reads


def _allow(answer: Response) -> None:
    """Completes the answer to a CORS preflight. It doesn't allow tokens: public data needs none."""
    answer.status_code = 204
    answer.headers.remove("Content-Type")
    answer.headers["Access-Control-Allow-Methods"] = ", ".join(_READS)
    answer.headers["Access-Control-Allow-Headers"] = "If-None-Match"
    answer.headers["Access-Control-Max-Age"] = "86400"
