"""Sending what is owed: claim, commit, send, mark."""

from __future__ import annotations

import logging
import smtplib
import ssl
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from urllib.parse import unquote, urlsplit

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from service.config import Settings
from service.mail import address
from service.play import letters
from service.play.house import House
from service.play.submit import insert_once
from service.store.models import Letter, Player, PostedMail, Seat

log = logging.getLogger(__name__)

LEASE = 2
"""How many sweeps one attempt has before another may begin; it doubles with each."""

ATTEMPTS = 12
"""After the last of them, some three days on, a letter is given up."""

NETWORK_TIMEOUT = 1
"""How many sweeps the network has to answer, well below the lease: one attempt has ended when the next begins."""


UNASKED = ("turn", "result", "begun", "declined", "invitation", "said")
"""The kinds of letters that a player may stop. One that is not sent for this reason has no error and is not due."""

ANSWERS = ("answer", "refusal", "noted", "confirm")
"""The kinds of letters that answer a mail."""


def deliver(house: House, letter_id: int) -> None:
    """Sends a letter that is due, unless somebody else is at it. A failure leaves it due again later."""
    if not _claim(house, letter_id):
        return
    with house.store.reading() as session:
        letter = session.get_one(Letter, letter_id)
        recipient = session.get_one(Player, letter.player_id).email or ""
        raw = letters.compose(house, session, letter)
    try:
        if house.settings.smtp_url:
            _send(house.settings, recipient, raw)
        with house.store.writing() as session:
            if not house.settings.smtp_url:
                _post(session, house, letter, recipient, raw)
            session.execute(update(Letter).where(Letter.id == letter_id).values(sent=house.now(), error=""))
    except (OSError, smtplib.SMTPException) as error:
        _put_off(house, letter_id, error)


def _claim(house: House, letter_id: int) -> bool:
    """Takes the letter for this attempt: moving its due time on is the lease and, should it fail, the delay."""
    now = house.now()
    with house.store.writing() as session:
        letter = session.get(Letter, letter_id, with_for_update=True)
        if letter is None or letter.sent is not None or letter.due is None or letter.due > now:
            return False
        if not _is_wanted(session, letter):
            letter.due = None
            return False
        if _is_too_much(session, now, letter, house.settings.answers_per_day):
            letter.due, letter.error = None, "this address had its automatic answers for the day"
            return False
        letter.attempts += 1
        lease = timedelta(seconds=LEASE * house.settings.sweep_seconds)
        letter.due = None if letter.attempts >= ATTEMPTS else now + lease * 2 ** (letter.attempts - 1)
        return True


def _is_wanted(session: Session, letter: Letter) -> bool:
    """Whether the player wants it now. What answers the player's own mail or click always is."""
    if letter.kind not in UNASKED:
        return True
    if session.get_one(Player, letter.player_id).post == "off":
        return False
    muted = select(Seat.muted).where(Seat.match_id == letter.match_id, Seat.player_id == letter.player_id)
    return not session.scalars(muted).first()


def _is_too_much(session: Session, now: datetime, letter: Letter, limit: int) -> bool:
    """Whether the player has had `limit` automatic answers in 24 hours: two machines must not write for ever."""
    if letter.kind not in ANSWERS:
        return False
    sent = select(func.count()).where(
        Letter.player_id == letter.player_id, Letter.kind.in_(ANSWERS), Letter.sent > now - timedelta(days=1)
    )
    return (session.scalar(sent) or 0) >= limit


def _put_off(house: House, letter_id: int, error: Exception) -> None:
    """Notes why an attempt failed. A refusal for good (RFC 5321: 5yz) ends the attempts."""
    for_good = isinstance(error, smtplib.SMTPResponseException) and 500 <= error.smtp_code < 600
    what = type(error).__name__ if not isinstance(error, smtplib.SMTPResponseException) else f"SMTP {error.smtp_code}"
    log.warning("letter %s not sent (%s)%s", letter_id, what, ", given up" if for_good else "")
    with house.store.writing() as session:
        letter = session.get_one(Letter, letter_id)
        letter.error = str(error)[:500]
        if for_good:
            letter.due = None


def _send(settings: Settings, recipient: str, raw: bytes) -> None:
    url, patience = urlsplit(settings.smtp_url), NETWORK_TIMEOUT * settings.sweep_seconds
    host, context = url.hostname or "localhost", ssl.create_default_context()
    if url.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, url.port or 465, timeout=patience, context=context)
    else:
        server = smtplib.SMTP(host, url.port or 25, timeout=patience)
    with server:
        server.ehlo_or_helo_if_needed()
        if url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=context)
        if url.username:
            server.login(unquote(url.username), unquote(url.password or ""))
        server.sendmail(f"play@{settings.mail_domain}", recipient, raw)


def _post(session: Session, house: House, letter: Letter, recipient: str, raw: bytes) -> None:
    """Into the local post office; a copy of a posted message changes nothing, as its Message-ID is the same."""
    insert_once(
        session,
        PostedMail,
        message_id=address.message_id(letter.key, house.settings.mail_domain),
        recipient=recipient,
        subject=str(message_from_bytes(raw, policy=default)["Subject"]),
        raw=raw,
        posted=house.now(),
    )
