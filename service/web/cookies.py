"""The session cookie: `__Host-` with TLS, so that no other host of the domain can set it (RFC 6265bis, 4.1.3.2)."""

from __future__ import annotations

from typing import Any

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer
from werkzeug.wrappers import Response

PLAIN = "stonepost"
HOST = f"__Host-{PLAIN}"
FORMER = "former_visit"
"""The session's entry for the key in a cookie with the former name, which is accepted only if it's that old."""


class Ageless(TimestampSigner):
    """Signs with the time, but never checks it: a clock a second behind the one that signed would otherwise sign people
    out. The database knows how long a session lives (`play/accounts/sessions.py`)."""

    def unsign(self, signed_value: Any, max_age: object = None, return_timestamp: bool = False) -> Any:  # noqa: ARG002
        """The value that was signed, no matter when."""
        return super().unsign(signed_value, return_timestamp=return_timestamp)  # type: ignore[call-overload]


class SessionCookie(SecureCookieSessionInterface):
    """Flask's session, which also reads the cookie with the former name once, and removes it. Each application has its
    own."""

    _serializer: URLSafeTimedSerializer | None = None

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """The session of this request."""
        name = self.get_cookie_name(app)
        former = request.cookies.get(PLAIN)
        if name == PLAIN or name in request.cookies or former is None:
            return super().open_session(app, request)
        try:
            kept = self.get_signing_serializer(app).loads(former)
        except BadSignature:
            return self.session_class()
        session = self.session_class()
        # Any host of the domain may have set the rest: it could even be another person's.
        if "visit" in kept:
            session[FORMER] = kept["visit"]
        return session

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer:
        """Flask's serializer, without the check of the time. It's made once, because every request asks for it
        twice."""
        if self._serializer is None:
            self._serializer = super().get_signing_serializer(app)
            assert self._serializer is not None, "The guard has set a secret."
            self._serializer.signer = Ageless
        return self._serializer

    def save_session(self, app: Flask, session: SecureCookieSession, response: Response) -> None:  # type: ignore[override]
        """Sets the cookie if the session changed."""
        super().save_session(app, session, response)  # type: ignore[arg-type]
        if self.get_cookie_name(app) != PLAIN and session.modified:
            response.delete_cookie(PLAIN)
