"""What went wrong, as problem details (RFC 9457), for everything below /api/v1."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

import msgspec
from flask import request
from msgspec import Struct
from werkzeug.exceptions import HTTPException, TooManyRequests
from werkzeug.wrappers import Response

from service.api.answers import as_json
from service.engine.game import Ambiguous, MoveError, OutOfTurn
from service.web.errors import seconds_until_again
from service.web.security import LARGEST_PAGE_FORM

MEDIA_TYPE = "application/problem+json"

KINDS = {
    "malformed": "The request doesn't match the description of the API.",
    "unauthorized": "The token is missing or no longer valid.",
    "forbidden": "The token can't be used for this, or its player isn't allowed to do it.",
    "not-found": "It doesn't exist, or the token's player can't see it.",
    "method-not-allowed": "This address doesn't accept this method. The header Allow lists those it accepts.",
    "too-large": "The body is too large.",
    "not-json": "The Content-Type has to be application/json.",
    "refused": "The request was understood but can't be carried out. The detail says why.",
    "unreadable": "The text isn't an order in this game.",
    "ambiguous": "The text fits several moves, which are the candidates.",
    "illegal": "The move was understood, but the rules forbid it here.",
    "out-of-turn": "The match isn't waiting for this player, is over, or has moved past the order's round.",
    "key-reused": "This Idempotency-Key was already used for a different request.",
    "too-many-requests": "The token has made too many requests. The header Retry-After says how many seconds to wait.",
    "unavailable": "Something went wrong on our side. Try again later.",
}
"""The kinds of problems, which the last part of `type` names; the page of the API explains each."""


class Problem(Struct, omit_defaults=True):
    """What went wrong (RFC 9457). `detail` is for people, `type` for programs: the part after # names the kind."""

    type: str
    title: str
    status: int
    detail: str
    field: str = ""
    """The field of the body or the option of a match that the problem is about."""
    candidates: Sequence[str] = ()
    """The moves that an ambiguous text fits."""
    round: int | None = None
    """The round that the match is in."""
    restored: int | None = None
    """When the service last came back from a backup, as a match says it."""
    board: str = ""
    """The board as text, as the player of this token sees it."""
    order: str = ""
    """The address of the order that was refused."""


class Refused(Exception):
    """Ends a request with a problem of this kind."""

    def __init__(self, status: int, kind: str, detail: str, **more: object) -> None:
        super().__init__(detail)
        self.problem = problem(status, kind, detail, **more)


def problem(status: int, kind: str, detail: str, **more: object) -> Problem:
    """A problem of one of KINDS."""
    return msgspec.convert(
        {"type": f"/api#{kind}", "title": KINDS[kind], "status": status, "detail": detail, **more}, Problem
    )


def of_move(error: MoveError, **more: object) -> Problem:
    """The problem for a MoveError."""
    candidates = error.candidates if isinstance(error, Ambiguous) else ()
    status = 409 if isinstance(error, OutOfTurn) else 422
    return problem(status, error.code, str(error), candidates=candidates, **more)


def answered(found: Problem) -> Response:
    """A problem as an answer."""
    answer = as_json(found, found.status, MEDIA_TYPE)
    if found.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="Stonepost"'
    return answer


_OF_STATUS = {
    400: ("malformed", "The request can't be read. It must not contain a zero byte."),
    404: ("not-found", "There's no address {path} here. The page /api lists them all."),
    405: ("method-not-allowed", "The address {path} doesn't accept {method}. The header Allow lists what it accepts."),
    413: ("too-large", f"The body can have up to {LARGEST_PAGE_FORM:,} bytes."),
    429: ("too-many-requests", "Too many requests. Try again in {wait} s."),
}
_ELSE = ("malformed", "The request can't be read.")
_FAULT = ("unavailable", "Something went wrong on our side. Try again later.")


def tell(error: HTTPException) -> Response:
    """The answer to an error that Flask or a rate limit raises below /api."""
    # The document has one status for all errors on our side.
    status = min(error.code or 500, 500)
    kind, detail = _FAULT if status >= 500 else _OF_STATUS.get(status, _ELSE)
    wait = seconds_until_again()
    answer = answered(problem(status, kind, detail.format(path=request.path[:200], method=request.method, wait=wait)))
    for name, value in error.get_headers():
        if name == "Allow":
            answer.headers[name] = value
    if isinstance(error, TooManyRequests):
        answer.headers["Retry-After"] = str(wait)
    return answer
