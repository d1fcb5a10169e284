"""Signed links in our emails. Whoever has one may do what it is for."""

from __future__ import annotations

from datetime import timedelta

from itsdangerous import URLSafeSerializer

from service.play.site import Site

LINK_LIFE = timedelta(days=3)
"""How long a held email can be confirmed, from when it came."""


def to_confirm(site: Site, letter: str) -> str:
    """The page where the email can be confirmed that the letter with this key asks about.

    The id of its row would tell its reader how many emails have come in.
    """
    return f"{site.settings.public_url}/mail/confirm/{_held_mail(site).dumps(letter)}"


def held_mail(site: Site, token: str) -> str:
    """The key of the letter that asks about the email a link is for; raises itsdangerous.BadSignature."""
    return str(_held_mail(site).loads(token))


def _held_mail(site: Site) -> URLSafeSerializer:
    return URLSafeSerializer(site.settings.secret, salt="confirm mail")
