"""Email to the desk from an unconfirmed address: its owner is asked, within limits, whether they sent it.

Anybody can write any address into From. So the question quotes nothing, and is sent once a day to each address and
PER_DAY times to all of them together. Further emails that day wait for the answer. Automatic emails never get here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select, text

from service.mail.parsing.read import Inbound
from service.play.accounts import identity
from service.play.letter_kinds import Confirm, UnknownSender, read
from service.play.links import mark
from service.play.notify.announce import owe
from service.play.site import Transaction
from service.store.tables.mail_rows import IncomingMail, Letter

PER_DAY = 200
"""Questions to all unconfirmed addresses together in 24 hours."""

MORE = 5
"""How many emails from an address are kept on the day of its question. They are asked about once it is answered."""


def ask(tx: Transaction, mail: IncomingMail, inbound: Inbound) -> None:
    """Holds the email and asks, or records it as `unverified` without asking."""
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
    key = f"unknown_sender:{person.id}:{tx.now:%Y-%m-%d}"
    asked = owe(tx, key, person.id, UnknownSender(mail=mail.id))
    if asked is not None or _is_kept(tx, key, mail):
        mail.verdict, mail.player_id = "held", person.id


def _is_kept(tx: Transaction, key: str, mail: IncomingMail) -> bool:
    """Whether this email waits for the answer to the question that was asked today."""
    letter = tx.session.scalars(select(Letter).where(Letter.key == key).with_for_update()).one()
    asked = read(letter)
    if not isinstance(asked, UnknownSender) or len(asked.more) >= MORE:
        return False
    letter.data = replace(asked, more=(*asked.more, mail.id)).to_json()
    return True


def ask_about_more(tx: Transaction, question: Letter) -> None:
    """Asks about the other emails of the day, now that the address has been confirmed."""
    asked = read(question)
    for number in asked.more if isinstance(asked, UnknownSender) else ():
        mail = tx.session.get(IncomingMail, number)
        if mail is not None and mail.verdict == "held":
            owe(tx, f"confirm:{mark(mail)}", question.player_id, Confirm(mail=mail.id))


def _asked_today(tx: Transaction) -> int:
    asked = (text("kind = 'unknown_sender'"), Letter.created > tx.now - timedelta(days=1))
    return tx.session.scalar(select(func.count()).select_from(Letter).where(*asked)) or 0
