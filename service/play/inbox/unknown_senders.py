"""Email to the desk from an address that nobody has confirmed: its owner is asked, within bounds, whether it is theirs.

Anybody can write any address into From. So the question quotes nothing of what was sent, goes to one address once a
day, and to all of them together PER_DAY times. Automatic emails never get here.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select, text

from service.mail.read import Inbound
from service.play.accounts import identity
from service.play.letter_kinds import UnknownSender
from service.play.notify.announce import owe
from service.play.site import Transaction
from service.store.models import IncomingMail, Letter

PER_DAY = 200
"""Questions to all unconfirmed addresses together in 24 hours."""


def ask(tx: Transaction, mail: IncomingMail, inbound: Inbound) -> None:
    """Holds the email and asks, or records it as `unverified` and is silent."""
    mail.verdict = "unverified"
    if _asked_today(tx) >= PER_DAY:
        return
    try:
        person = identity.by_email(tx.session, inbound.sender, mail.received)
    except identity.AccountError:
        return
    # An address that was left lately still belongs to the player who left it. What bounces or wants no mail gets none.
    if person.email != inbound.sender or person.bounced is not None or person.post == "off":
        return
    asked = owe(tx, f"unknown_sender:{person.id}:{tx.now:%Y-%m-%d}", person.id, UnknownSender(mail=mail.id))
    if asked is not None:
        mail.verdict, mail.player_id = "held", person.id


def _asked_today(tx: Transaction) -> int:
    asked = (text("kind = 'unknown_sender'"), Letter.created > tx.now - timedelta(days=1))
    return tx.session.scalar(select(func.count()).select_from(Letter).where(*asked)) or 0
