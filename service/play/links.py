"""Signed links in our emails. Whoever has one may do what it is for."""

from __future__ import annotations

from datetime import timedelta

from itsdangerous import URLSafeSerializer

from service.play.house import House

LINK_LIFE = timedelta(days=3)
"""How long a held email can be confirmed, from when it came."""


def to_confirm(house: House, mail_id: int) -> str:
    """The page where this email can be confirmed."""
    return f"{house.settings.public_url}/mail/confirm/{_held_mail(house).dumps(mail_id)}"


def held_mail(house: House, token: str) -> int:
    """The id of the email that a link to confirm is for; raises itsdangerous.BadSignature."""
    return int(_held_mail(house).loads(token))


def _held_mail(house: House) -> URLSafeSerializer:
    return URLSafeSerializer(house.settings.secret, salt="confirm mail")
