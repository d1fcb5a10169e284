"""Accepts mail from the webhooks of Postmark, SendGrid, Mailgun and Amazon SES."""

from __future__ import annotations

import hmac
from typing import Any
from urllib.request import HTTPRedirectHandler, build_opener

from flask import Blueprint, Response, abort, request

from service.inbound.http import LARGEST_MAIL
from service.mail.senders import providers
from service.mail.senders.providers import Posted, ProviderError
from service.play.inbox import webhook_tokens
from service.play.inbox.receive import receive
from service.web.current_player import site
from service.web.security import csrf, limiter

door = Blueprint("webhooks", __name__, url_prefix="/inbound")
csrf.exempt(door)

PATIENCE = 5
"""Seconds to wait for Amazon's certificate or confirmation page."""


@door.before_request
def _roomy() -> None:
    # Base64 adds a third to raw mail, and a form up to as much again.
    request.max_content_length = request.max_form_memory_size = 2 * LARGEST_MAIL


@door.errorhandler(ProviderError)
def _refuse(error: ProviderError) -> Response:
    return Response(f"{error}\n", 403, mimetype="text/plain")


@door.post("/postmark")
@limiter.limit("20 per minute", deduct_when=lambda response: response.status_code == 401)
def postmark() -> Response:
    """Accepts Postmark's inbound webhook, at `https://any:INBOUND_SECRET@…/inbound/postmark`."""
    _check_password()
    return _take(providers.postmark(request.get_data()))


@door.post("/sendgrid")
@limiter.limit("20 per minute", deduct_when=lambda response: response.status_code == 401)
def sendgrid() -> Response:
    """Accepts SendGrid's Inbound Parse, at `https://any:INBOUND_SECRET@…/inbound/sendgrid`."""
    _check_password()
    return _take(providers.sendgrid(request.form))


@door.post("/mailgun/mime")
@limiter.limit("20 per minute", deduct_when=lambda response: response.status_code == 403)
def mailgun() -> Response:
    """Accepts a post of a Mailgun route."""
    posted = providers.mailgun(request.form, site().settings.mailgun_key, site().now())
    if not webhook_tokens.use(site(), posted.token, posted.raw):
        raise ProviderError("This token has already been used for another message.")
    return _take(posted)


@door.post("/ses")
@limiter.limit("20 per minute", deduct_when=lambda response: response.status_code == 403)
def ses() -> Response:
    """Accepts mail from Amazon SES by SNS, and confirms the subscription."""
    found = providers.sns(request.get_data(), site().settings.sns_topic, _fetch)
    if isinstance(found, str):
        _fetch(found)
        return Response(status=204)
    return _take(found)


def _check_password() -> None:
    secret, given = site().settings.inbound_secret, request.authorization
    password = (given.password if given is not None and given.type == "basic" else None) or ""
    if not secret or not hmac.compare_digest(password.encode(), secret.encode()):
        abort(Response("This address needs a password: https://any:...@\n", 401))


def _take(posted: Posted) -> Response:
    receive(site(), posted.raw, posted.recipients, "webhook")
    return Response(status=204)


class _NoRedirect(HTTPRedirectHandler):
    """Treats redirects as errors."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _fetch(address: str) -> bytes:
    """Reads an Amazon URL, without following redirects."""
    try:
        with build_opener(_NoRedirect).open(address, timeout=PATIENCE) as answer:
            content: bytes = answer.read(100_000)
    except OSError as error:
        # Amazon will post the message again.
        abort(Response(f"Amazon didn't answer ({type(error).__name__}).\n", 503))
    return content
