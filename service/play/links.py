"""The signed links in our emails, and where each leads; and the names that rows have there.

Anybody who has a link may do what it is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from enum import Enum
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.mail import reply_address
from service.play.site import Site
from service.store.models import Submission
from service.store.session import Store
from service.store.tables.doors import Call
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.player_data import Saying
from service.store.tables.pulse import Restoration

LINK_LIFE = timedelta(days=3)
"""How long a held email can be confirmed, from when it came."""


class LinkError(ValueError):
    """A link that we didn't make, or that is incomplete."""


class Link(Enum):
    """A kind of link: the path it leads to, and its salt, which makes it invalid for anything else."""

    SIGN_IN = "sign-in", "sign-in"
    RECOVERY = "account/not-me", "recovery"
    CONFIRM_ADDRESS = "address/confirm", "confirm address"
    OBJECT_ADDRESS = "address/object", "object address"
    CONFIRM_MAIL = "mail/confirm", "confirm mail"
    STOP_PAGE = "mail/stop", "stop page"
    """In the text of an email, which is quoted and passed on: it leads to a question and stops nothing on its own."""
    STOP_AT_ONCE = "mail/stop", "stop mail"
    """In a header, for mail programs: one POST stops the emails (RFC 8058)."""
    FEED = "feed", "feed"

    def to(self, site: Site, meant: object) -> str:
        """The whole link, the same for the same `meant`, so that a letter that is sent again is the same."""
        return f"{site.settings.public_url}/{self.value[0]}/{self.token(site, meant)}"

    def token(self, site: Site, meant: object) -> str:
        """Its signed part. `meant` is JSON."""
        return _signer(site.settings.secret, self.value[1]).dumps(meant)

    def read(self, site: Site, token: str) -> Any:
        """What the link was made for; raises LinkError."""
        try:
            return _signer(site.settings.secret, self.value[1]).loads(token)
        except BadData as error:
            raise LinkError("This link is incomplete.") from error


@lru_cache(maxsize=100)
def _signer(secret: str, salt: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt=salt)


EVERYTHING = 0
NOTICES: Literal["notices"] = "notices"
GAZETTE: Literal["gazette"] = "gazette"
Stoppable: TypeAlias = int | Literal["notices", "gazette"]
"""What emails can be stopped alone: those about a match, by its id; all; notices of who looks for opponents; or the
gazette."""


def to_stop(site: Site, player_id: int, about: Stoppable) -> str:
    """The page where this player stops these emails."""
    return Link.STOP_PAGE.to(site, [player_id, about])


def to_stop_at_once(site: Site, player_id: int, about: Stoppable) -> str:
    """The address that stops the same by one POST."""
    return Link.STOP_AT_ONCE.to(site, [player_id, about])


def mark(row: Submission | Saying | IncomingMail) -> str:
    """What names a row in Message-IDs and other things that are sent out.

    It must not contain the row's `id`: the ids of two rows of the same player show how many rows others made in
    between. A key has a nonce of its writer's browser or the Message-ID of their email, or says nothing but what its
    readers know.
    """
    return sha256(row.key.encode()).hexdigest()[:32]


def name(site: Site, owed: Letter | Call) -> str:
    """What a letter or a call is named outside, so that those who get it recognise a copy."""
    return _name(site, owed.key, owed.created)


def message_id(site: Site, key: str, created: datetime) -> str:
    """The Message-ID of the letter that was owed under this key at that time."""
    return reply_address.message_id(_name(site, key, created), site.settings.mail_domain)


def _name(site: Site, key: str, created: datetime) -> str:
    """The same for every copy of what was owed under this key at that time.

    After a backup was restored, the same key can stand for something else: the move after one that was lost. Those who
    still have the lost one would take the new one for a copy, and mail programs and hooks drop copies.
    """
    since = max((at for at in _all_restorations(site) if at <= created), default=None)
    return key if since is None else f"{key} {since.isoformat()}"


def restored(site: Site, created: datetime) -> int:
    """When the database had last come back from a backup before a letter was owed, in Unix seconds; 0 if never."""
    return max((int(at.timestamp()) for at in _all_restorations(site) if at <= created), default=0)


def first_restored(site: Site, after: int, session: Session | None = None) -> datetime | None:
    """When the database first came back from a backup after a time that `restored` gave; None if it hasn't since.
    `session` is that of a transaction at hand."""
    return min((at for at in _all_restorations(site, session) if int(at.timestamp()) > after), default=None)


def _all_restorations(site: Site, session: Session | None = None) -> Sequence[datetime]:
    if site.store not in _restorations:
        with nullcontext(session) if session else site.store.reading() as at_hand:
            _restorations[site.store] = at_hand.scalars(select(Restoration.at)).all()
    return _restorations[site.store]


_restorations = WeakKeyDictionary[Store, Sequence[datetime]]()
"""Nothing runs while a backup is restored, so a process reads them once."""
