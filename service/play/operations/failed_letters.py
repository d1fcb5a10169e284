"""Letters that can't be sent: what an operator looks at, sends again once the cause is gone, or drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, select, update

from service.mail.redact import redacted
from service.mail.reply_address import mark
from service.play import audit
from service.play.letter_contents import readable
from service.play.letter_kinds import Account, ClubNotice
from service.play.site import Site
from service.store.models import Player
from service.store.tables.mail_rows import GIVEN_UP, Letter

LISTED = 200


@dataclass(frozen=True, slots=True)
class StuckLetter:
    """A letter as an operator may see it: nothing of what it says, and of the address its first letter and domain.

    `to` is "" for a deleted account.
    """

    id: int
    kind: str
    to: str
    created: datetime
    attempts: int
    why: str


def letters(site: Site) -> Sequence[StuckLetter]:
    """The letters that failed and won't be tried again, the latest first."""
    found = select(Letter, Player.email).join(Player, Player.id == Letter.player_id).where(GIVEN_UP)
    with site.store.reading() as session:
        return [
            StuckLetter(
                letter.id,
                letter.kind,
                _to(site, letter, email or ""),
                letter.created,
                letter.attempts,
                redacted(letter.error),
            )
            for letter, email in session.execute(found.order_by(Letter.id.desc()).limit(LISTED))
        ]


def _to(site: Site, letter: Letter, own: str) -> str:
    """Where a letter goes: to its reader's `own` address, one that the letter names, or the club."""
    contents = readable(letter)
    if isinstance(contents, ClubNotice):
        clubs = {mark(one): one for one in site.settings.club_notices}
        program, is_hook, _ = clubs.get(contents.to, "").partition("+https://")
        return f"the club's {program} hook" if is_hook else redacted(program.removeprefix("mailto:")) or "the club"
    return redacted((contents.address if isinstance(contents, Account) else "") or own)


def again(site: Site, only: Sequence[int] = (), operator_id: int | None = None) -> int:
    """Makes them due now, all or only some; returns how many."""
    with site.transaction() as tx:
        ids = tx.session.scalars(_locked(_among(only))).all()
        for at in range(0, len(ids), LISTED):
            some = update(Letter).where(Letter.id.in_(ids[at : at + LISTED]))
            tx.session.execute(some.values(due=tx.now, attempts=0))
        for letter_id in ids:
            tx.nudge("deliver", letter_id)
        if ids:
            audit.note(tx, operator_id, "letter-again", "letter", ids[0], _count(len(ids)))
    return len(ids)


def drop(site: Site, only: Sequence[int], operator_id: int | None = None) -> int:
    """Gives some up permanently and stops listing them; returns how many."""
    with site.transaction() as tx:
        dropped = tx.session.scalars(_locked(Letter.id.in_(only))).all()
        tx.session.execute(update(Letter).where(Letter.id.in_(dropped)).values(error=""))
        for letter_id in dropped:
            audit.note(tx, operator_id, "letter-dropped", "letter", letter_id)
    return len(dropped)


def _locked(which: ColumnElement[bool]) -> Select[int]:
    """Those of these letters that are given up, so that no other operator decides about them meanwhile."""
    return select(Letter.id).where(GIVEN_UP, which).order_by(Letter.id).with_for_update()


def _count(letters: int) -> str:
    return "1 letter" if letters == 1 else f"{letters} letters"


def _among(only: Sequence[int]) -> ColumnElement[bool]:
    return Letter.id.in_(only) if only else Letter.id.is_not(None)
