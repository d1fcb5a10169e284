"""Accepts mail over HTTP, from providers and scripts that post raw messages."""

from __future__ import annotations

import hmac
from email.utils import getaddresses

from flask import Blueprint, Response, abort, request

from service.mail.parsing.read import read
from service.play.inbox.receive import receive
from service.web.current_player import site
from service.web.security import csrf, limiter

door = Blueprint("inbound", __name__)
csrf.exempt(door)

LARGEST_MAIL = 10 * 1024 * 1024
"""The most bytes in a message, including attachments."""


@door.before_request
def _roomy() -> None:
    request.max_content_length = LARGEST_MAIL


@door.post("/inbound/mail")
@limiter.limit("20 per minute", deduct_when=lambda response: response.status_code == 401)
def mail() -> Response:
    """Accepts one raw message (RFC 5322). Answers 204 once it is stored. Posting it again changes nothing.

    The recipients are the envelope's (`?to=` or the header `X-Envelope-To`), or else those named in the message.
    """
    secret = site().settings.inbound_secret
    given = request.authorization.token if request.authorization and request.authorization.type == "bearer" else None
    if not secret or not hmac.compare_digest((given or "").encode(), secret.encode()):
        abort(Response("Send the shared secret: Authorization: Bearer ...\n", 401))
    raw = request.get_data()
    receive(site(), raw, _recipients(raw), "http")
    return Response(status=204)


def _recipients(raw: bytes) -> list[str]:
    given = request.args.getlist("to") or request.headers.getlist("X-Envelope-To")
    if not given:
        # Not by `email.utils`: in some versions of Python, it finds no address at all if one field is odd.
        inbound = read(raw)
        return sorted({*inbound.delivered, *inbound.recipients})
    return sorted({address.lower() for value in given for _, address in getaddresses([value]) if address})
