"""The challenge that a page's script has a device sign: kept in the session until it is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import abort, jsonify, session
from werkzeug.wrappers import Response

from service.play.accounts import passkeys
from service.play.accounts.passkeys import PasskeyError
from service.web.current_player import site

PATIENCE = 300.0
"""Seconds that a device has to answer a challenge."""


def options(made: Callable[[str], Any]) -> Response:
    """The options with a new challenge, which the session keeps until it is answered."""
    if not site().settings.passkey_host:
        abort(404)
    challenge = passkeys.new_challenge()
    session["challenge"] = [challenge, site().now().timestamp() + PATIENCE]
    return jsonify(made(challenge))


def taken() -> str:
    """The challenge this browser was given; "" once it is answered or too old."""
    challenge, until = session.pop("challenge", ("", 0))
    return challenge if site().now().timestamp() < until else ""


def told(error: PasskeyError) -> Response:
    """The error, for the page's script."""
    answer = jsonify(message=str(error))
    answer.status_code = 422
    return answer
