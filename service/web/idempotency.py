"""Keys for forms, so that each counts once, even if its button is pressed twice or it's sent again after going back.

`service/play/orders/submit.py` and others store the key with the row they insert, and recognise it the next time.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

from flask import g, request

_UNSAID = ("csrf_token", "nonce", "second")
"""Fields that nobody fills in."""


def nonce() -> str:
    """A random value for the forms of this response: each time a page is shown, it has another."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(12)
    return str(g.nonce)


def likeness() -> str:
    """A digest that is the same only for forms with the same contents in the same place."""
    said = sorted(field for field in request.form.items(multi=True) if field[0] not in _UNSAID)
    return blake2b(repr((request.path, said)).encode(errors="replace"), digest_size=16).hexdigest()


def name() -> str:
    """The name of a form in addresses: a hash of its key, which reveals nothing of its contents."""
    return blake2b(key().encode(), digest_size=12).hexdigest()


def key() -> str:
    """A key that is the same only if a form is sent again unchanged; it begins with the form's `likeness`."""
    return f"{likeness()}:{request.form.get('nonce', '')[:40] or nonce()}"
