"""From the bytes of an email to what its writer means.

A reply is an order: the first line that the writer typed, wherever the mail program put it, is the move, and the rest
of what they typed is a remark. Quoted text, its introductions, signatures and footers are neither.
"""

from __future__ import annotations

import re
from base64 import b32encode
from dataclasses import dataclass
from hashlib import sha256

from service.mail import mailbox
from service.mail.html import html_text
from service.mail.parsing import auto_submitted, echo, mime, quoted_text, unread
from service.mail.parsing.echo import Ours
from service.mail.parsing.introductions import wraps
from service.mail.parsing.mime import Part
from service.mail.parsing.unread import Cause

_ADDRESS = re.compile(r"[^\s<>(),;:\"']{1,254}@[^\s<>(),;:\"']{1,254}")
_IDENTIFIER = re.compile(r"<[!#-;=?-~]{1,250}>")
_DELIVERED = ("delivered-to", "x-original-to", "x-gm-original-to", "envelope-to")
_REACTION = "text/vnd.google.email-reaction+json"
_PLAIN = ("text/plain", "text/markdown", "text/x-markdown")
_WRITTEN = ("resent-to", "to", "cc")


@dataclass(frozen=True, slots=True)
class Inbound:
    """A parsed email. All text is free of control characters, and everything has a bounded length.

    `message_id` and `references` have angle brackets; an email without a usable Message-ID gets one that stays the same
    when it is delivered again and ends in `@unidentified.invalid`. `references` begins with In-Reply-To, followed by
    the nearest ancestor. Addresses are in lower case; `sender` is "" unless From is exactly one mailbox.
    """

    message_id: str
    sender: str
    recipients: tuple[str, ...]
    """The recipients in the writer's headers."""
    delivered: tuple[str, ...]
    """The recipients for which servers on the way delivered it, the last one first."""
    references: tuple[str, ...]
    subject: str
    order: str
    """The first of the writer's own lines that isn't blank; "" if there is none."""
    remark: str
    """The writer's own lines below the order, with at most one blank line in a row."""
    text: str
    """All of the writer's own lines, unchanged, for quoting them back; "" if some are encrypted."""
    rest: str
    """What was set aside: quotations, signature, footers."""
    automatic: str
    """Why this isn't a person's mail, such as `Auto-Submitted: auto-replied`; "" if it is."""
    unread: Cause = ""
    """Why its text can't be read; "" if it can."""

    @property
    def is_automatic(self) -> bool:
        """Whether a program wrote it. Such an email is recorded but never answered (RFC 3834, 2)."""
        return bool(self.automatic)

    @property
    def flowing(self) -> str:
        """The Subject and the text on one line: the same for each copy, however its lines were broken."""
        return " ".join(f"{self.subject}\n{self.text}".split())

    def words(self, *, with_subject: bool) -> str:
        """The writer's words, optionally with the Subject, which may be a command in an email that isn't about a
        match."""
        said = [self.subject.strip()] if with_subject or not self.text else []
        if self.text and self.text.strip() not in said:
            said.append(self.text)
        return "\n".join(filter(None, said))


def read(raw: bytes, ours: Ours = echo.NOTHING) -> Inbound:
    """Parses any bytes; never raises, and takes at most linear time.

    `ours` are our emails that it may answer: their text isn't the writer's.
    """
    message = mime.parse(raw)
    subject = mime.words(message.header("subject"))
    sender = _sender(message)
    text = _text(message)
    found = quoted_text.split(text)
    own = echo.without("\n".join(found.own).strip("\n"), ours)
    cause = unread.why(message, own, text)
    own = "" if cause == "pgp" else own
    order, _, remark = own.lstrip().partition("\n")
    return Inbound(
        message_id=_message_id(message),
        sender=sender,
        recipients=_addresses(message, _WRITTEN),
        delivered=_addresses(message, _DELIVERED),
        references=_references(message),
        subject=subject,
        order=order.strip(),
        remark=remark.strip(),
        text=own,
        rest="\n".join(found.rest).strip("\n"),
        automatic=auto_submitted.why(message, sender, subject),
        unread=cause,
    )


def message_id(raw: bytes) -> str:
    """The Message-ID that `read` finds, without reading the rest."""
    return _message_id(mime.parse(raw))


def _text(message: Part) -> str:
    """The text of the first part that has one, preferably plain text, with what is below pictures in it; "" if none
    has. Of a reaction, only the emoji is the writer's: Gmail adds the name of their account.

    Plain text doesn't show what its writer has struck out: if the HTML after it may, the HTML is read instead.
    """
    plain, html, is_below_picture = list[str](), "", False
    for part in mime.leaves(message):
        if part.header("content-disposition").lower().startswith("attachment"):
            continue
        if plain and part.kind == _REACTION:
            return plain[0].strip().partition("\n")[0]
        if plain and part.kind.startswith("image/"):
            is_below_picture = True
            continue
        if plain and not (is_below_picture and part.kind in _PLAIN and not part.parameter("name")):
            strikes = not is_below_picture and part.kind == "text/html" and html_text.may_strike(mime.ascii_text(part))
            return html_text.read(mime.text(part)) if strikes else "\n".join(plain)
        if part.kind in _PLAIN:
            text = mime.text(part)
            plain += [_unflowed(text, part)] if text.strip() else []
        elif part.kind == "text/html" and not html:
            html = html_text.read(mime.text(part))
    return "\n".join(plain) or html


def _unflowed(text: str, part: Part) -> str:
    """Long lines that the sending program broke at blanks, joined again (RFC 3676).

    Lines are joined only where the next word wouldn't have fitted: the writer may have typed a blank at the end of a
    line.
    """
    if part.parameter("format").lower() != "flowed":
        return text
    surplus = 1 if part.parameter("delsp").lower() == "yes" else 0
    paragraphs: list[list[str]] = []
    before, depth = "", -1
    for line in text.split("\n", quoted_text.MAX_LINES):
        content = line.lstrip(">")
        level = len(line) - len(content)
        content = content.removeprefix(" ")
        if level == depth and before.endswith(" ") and before != "-- " and wraps(before, content):
            paragraphs[-1][-1] = before[: len(before) - surplus]
            paragraphs[-1].append(content)
        else:
            paragraphs.append([">" * level + " " * bool(level), content])
        before, depth = content, level
    return "\n".join("".join(pieces) for pieces in paragraphs)


def _sender(message: Part) -> str:
    """The address of the only mailbox in the only From; "" if there is any doubt."""
    values = message.exactly("from")
    if message.is_cut or len(values) != 1 or len(message.headers["from"]) != 1:
        return ""
    return mailbox.only(values[0])


def _addresses(message: Part, names: tuple[str, ...]) -> tuple[str, ...]:
    values = (value for name in names for value in message.headers.get(name, [])[:20])
    return tuple(dict.fromkeys(found.lower() for value in values for found in _ADDRESS.findall(value)))


def _references(message: Part) -> tuple[str, ...]:
    nearest = _IDENTIFIER.findall(message.header("in-reply-to"))
    ancestors = reversed(_IDENTIFIER.findall(message.header("references")))
    return tuple(dict.fromkeys((*nearest, *ancestors)))


def _message_id(message: Part) -> str:
    if given := _IDENTIFIER.search(message.header("message-id")):
        return given[0]
    lasting = "\n".join(message.header(name) for name in ("from", "date", "subject", "in-reply-to"))
    digest = sha256(lasting.encode("utf-8", "replace") + b"\n\n" + message.body).digest()
    return f"<{b32encode(digest[:20]).decode().lower()}@unidentified.invalid>"
