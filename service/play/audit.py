"""The log of what operators do: an act and its line are written in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from sqlalchemy import select

from service.play.site import Site, Transaction
from service.store.models import Player
from service.store.tables.operators import AuditLine

LISTED = 100
"""Lines on a page."""

About: TypeAlias = Literal["player", "match", "letter", "event", "comment", "passkey", "site"]

Act: TypeAlias = Literal[
    "announced", "annulled", "ban-lifted", "banned", "comment-removed", "event-ended", "letter-again", "letter-dropped",
    "passkey-confirmed", "ratings-again", "renamed", "report-closed", "signed-out",
]  # fmt: skip


class Line(NamedTuple):
    """What somebody did, and to what. `operator` is None for the command line on the server."""

    id: int
    made: datetime
    operator: str | None
    act: str
    about: str
    about_id: int
    text: str


def note(tx: Transaction, operator_id: int | None, act: Act, about: About, about_id: int, text: str = "") -> None:
    """Adds a line to the log. `operator_id` is None for the command line on the server."""
    row = {"operator_id": operator_id, "act": act, "about": about, "about_id": about_id, "text": text}
    tx.session.add(AuditLine(made=tx.now, **row))


def lines(site: Site, before: int = 0, about: About | None = None, about_id: int = 0) -> Sequence[Line]:
    """Up to LISTED lines, the latest first: older than the line `before` if given, and about one thing if given."""
    found = select(
        AuditLine.id, AuditLine.made, Player.name, AuditLine.act, AuditLine.about, AuditLine.about_id, AuditLine.text
    ).outerjoin(Player, Player.id == AuditLine.operator_id)
    if before:
        found = found.where(AuditLine.id < before)
    if about is not None:
        found = found.where(AuditLine.about == about, AuditLine.about_id == about_id)
    with site.store.reading() as session:
        return [Line(*row) for row in session.execute(found.order_by(AuditLine.id.desc()).limit(LISTED))]
