"""Keys for forms, so that each counts once, even if its button is pressed twice or it's sent again after going back.

`service/play/orders/submit.py` and others store the key with the row they insert, and recognise it the next time.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import blake2b, sha256

from flask import g, request

from service.web.current_player import site

_UNSAID = ("csrf_token", "nonce", "second")
"""Fields that nobody fills in."""


def nonce() -> str:
    """A random value for the forms of this response: each time a page is shown, it has another."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(12)
    return str(g.nonce)


def likeness() -> str:
    """A digest that is the same only for forms with the same contents in the same place.

    It depends on the site's secret, because a form may contain a password, and the database keeps its key.
    """
    said = sorted(field for field in request.form.items(multi=True) if field[0] not in _UNSAID)
    contents = repr((request.path, said)).encode(errors="replace")
    return hmac.new(site().settings.secret.encode(), contents, sha256).hexdigest()[:32]


def name() -> str:
    """The name of a form in addresses: a hash of its key, which reveals nothing of its contents."""
    return blake2b(key().encode(), digest_size=12).hexdigest()


def key() -> str:
    """A key that is the same only if a form is sent again unchanged; it begins with the form's `likeness`."""
    return f"{likeness()}:{request.form.get('nonce', '')[:40] or nonce()}"
