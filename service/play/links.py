"""Signed links in our emails. Whoever has one may do what it is for."""

from __future__ import annotations

from datetime import timedelta

from itsdangerous import URLSafeSerializer

from service.play.house import House

LINK_LIFE = timedelta(days=3)
"""How long a held email can be confirmed, from when it came."""


def to_confirm(house: House, letter: str) -> str:
    """The page where the email can be confirmed that the letter with this key asks about.

    The id of its row would tell its reader how many emails have come in.
    """
    return f"{house.settings.public_url}/mail/confirm/{_held_mail(house).dumps(letter)}"


def held_mail(house: House, token: str) -> str:
    """The key of the letter that asks about the email a link is for; raises itsdangerous.BadSignature."""
    return str(_held_mail(house).loads(token))


def _held_mail(house: House) -> URLSafeSerializer:
    return URLSafeSerializer(house.settings.secret, salt="confirm mail")
