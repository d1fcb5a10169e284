"""The local post office, where emails that would have been sent can be read and answered on this machine."""

from __future__ import annotations

import smtplib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP, default
from email.utils import format_datetime, make_msgid

from sqlalchemy import select
from sqlalchemy.orm import defer

from service.play.site import Site, Transaction
from service.store.insert import insert_once
from service.store.tables.mail_rows import PostedMail

LISTED = 200


class PostOfficeError(ValueError):
    """An answer that could not be sent. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A posted email as a mail program shows it; `html` has its pictures inside."""

    id: int
    sender: str
    recipient: str
    reply_to: str
    subject: str
    posted: datetime
    text: str
    html: str
    attachments: tuple[str, ...]


def post(tx: Transaction, message_id: str, recipient: str, raw: bytes) -> None:
    """Posts a message; a copy of it changes nothing, as its Message-ID is the same."""
    head = raw.partition(b"\r\n\r\n")[0]  # The parser would also go through the pictures, line by line.
    subject = str(BytesHeaderParser(policy=default).parsebytes(head)["Subject"])
    known = {"message_id": message_id, "recipient": recipient, "subject": subject}
    insert_once(tx.session, PostedMail, **known, raw=raw, posted=tx.now)


def letters(site: Site) -> Sequence[PostedMail]:
    """The latest emails sent, the newest first, without their contents."""
    with site.store.reading() as session:
        newest = select(PostedMail).options(defer(PostedMail.raw)).order_by(PostedMail.id.desc()).limit(LISTED)
        return session.scalars(newest).all()


def letter(site: Site, posted_id: int) -> Posted | None:
    """One posted email, parsed."""
    with site.store.reading() as session:
        kept = session.get(PostedMail, posted_id)
    if kept is None:
        return None
    message = _parse(kept.raw)
    return Posted(
        id=kept.id,
        sender=str(message["From"]),
        recipient=str(message["To"]),
        reply_to=str(message["Reply-To"] or ""),
        subject=str(message["Subject"]),
        posted=kept.posted,
        text=_content(message, "plain"),
        html=_with_pictures(message, _content(message, "html")),
        attachments=tuple(part.get_filename() or "" for part in message.iter_attachments()),
    )


def answer(site: Site, posted_id: int, text: str) -> None:
    """Sends a reply to a posted mail through the SMTP door, quoting it as mail programs do; raises PostOfficeError."""
    settings = site.settings
    with site.store.reading() as session:
        kept = session.get_one(PostedMail, posted_id)
    original = _parse(kept.raw)
    recipient = original["Reply-To"].addresses[0].addr_spec
    reply = EmailMessage(policy=SMTP)
    reply["From"] = kept.recipient
    reply["To"] = recipient
    reply["Date"] = format_datetime(site.now())
    reply["Subject"] = f"Re: {kept.subject}"
    reply["Message-ID"] = make_msgid(domain=kept.recipient.rpartition("@")[2])
    reply["In-Reply-To"] = original["Message-ID"]
    quoted = "\n".join(f"> {line}" for line in _content(original, "plain").splitlines())
    reply.set_content(f"{text}\n\nOn {original['Date']}, Stonepost wrote:\n{quoted}\n")
    try:
        with smtplib.SMTP(settings.mail_host, settings.smtp_port, timeout=10) as door:
            door.send_message(reply, kept.recipient, [recipient])
    except (OSError, smtplib.SMTPException) as error:
        raise PostOfficeError(
            f"The mail server on port {settings.smtp_port} didn't accept the reply ({error})."
        ) from error


def _parse(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def _content(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    return "" if part is None else str(part.get_content())


def _with_pictures(message: EmailMessage, html: str) -> str:
    for part in message.walk():
        if part["Content-ID"]:
            data = b64encode(part.get_payload(decode=True)).decode()  # type: ignore[arg-type]
            html = html.replace(
                f"cid:{part['Content-ID'].strip('<>')}", f"data:{part.get_content_type()};base64,{data}"
            )
    return html
