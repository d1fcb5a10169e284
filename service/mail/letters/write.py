"""From data to an email, in the one shape all our emails have.

```
multipart/mixed                      (multipart/alternative alone where there is no board, or several)
  multipart/alternative
    text/plain                       the text, board included
    multipart/related
      text/html                      the same, showing cid:<picture_id>
      image/png, inline
  image/svg+xml, attached as board.svg
```

The bytes are written here and not by `EmailMessage`, which takes some twenty times as long for the same email and folds
long links in headers. The tests read every email back with the standard library, which must find no defect.
"""

from __future__ import annotations

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.utils import format_datetime, formataddr

_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,255}")
_LINES = re.compile(rb".{1,76}")
_IDENTIFIER = re.compile(r"<[!-;=?-~]{1,900}>")


@dataclass(frozen=True, slots=True)
class Picture:
    """The board: PNG for those who see pictures, SVG to keep."""

    png: bytes
    svg: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """An email to be written. Addresses are bare (`a@b.example`), identifiers have their angle brackets.

    `thread` is the match's thread id and `list_id` its List-Id; `answers` is the Message-ID of the mail that this one
    answers automatically; `unsubscribe` is a URL that accepts a POST; `feedback` is words separated by colons that tell
    large receivers what kind of mail this is. Each of these may be empty. `boards` are PNG pictures, shown by their
    numbers, in an email that is about several boards and has no `picture`.
    """

    message_id: str
    date: datetime
    sender: str
    sender_name: str
    to: str
    to_name: str = ""
    reply_to: str = ""
    subject: str
    text: str
    html: str
    picture: Picture | None = None
    boards: tuple[bytes, ...] = ()
    thread: str = ""
    answers: str = ""
    list_id: str = ""
    list_name: str = ""
    unsubscribe: str = ""
    feedback: str = ""


def picture_id(message_id: str, number: int = 0) -> str:
    """The Content-ID, without brackets, of the board in the mail with this Message-ID. Its HTML shows it as `cid:` +
    this.

    `number` counts the `boards` from 1.
    """
    return f"board{number or ''}.{message_id.strip('<>')}"


def compose(mail: Mail) -> bytes:
    """The mail as it is sent: CRLF line ends, ASCII only, the same bytes for the same data.

    Names and subjects may contain anything; line ends in them become blanks. Invalid addresses and identifiers raise
    ValueError.
    """
    head = "".join(f"{name}: {value}\r\n" for name, value in _headers(mail))
    return head.encode("ascii") + b"MIME-Version: 1.0\r\n" + _body(mail)


def _headers(mail: Mail) -> Iterator[tuple[str, str]]:
    yield "Date", format_datetime(mail.date)
    yield "From", _mailbox(mail.sender_name, mail.sender)
    yield "To", _mailbox(mail.to_name, mail.to)
    yield "Subject", _words(mail.subject)
    yield "Message-ID", _identifier(mail.message_id)
    # RFC 3834, 5.2: the answer to one message is auto-replied, all our other mail is auto-generated.
    yield "Auto-Submitted", "auto-replied" if mail.answers else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    if mail.reply_to:
        yield "Reply-To", _mailbox(mail.sender_name, mail.reply_to)
    if threads := [_identifier(known) for known in (mail.thread, mail.answers) if known]:
        yield "In-Reply-To", threads[-1]
        yield "References", " ".join(threads)
    if mail.list_id:
        yield "List-Id", f"{_phrase(mail.list_name)} {_identifier(mail.list_id)}".lstrip()
    if mail.unsubscribe:
        yield "List-Unsubscribe", _identifier(f"<{mail.unsubscribe}>")
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"  # RFC 8058
    if mail.feedback:
        yield "Feedback-ID", _one_line(mail.feedback)


def _body(mail: Mail) -> bytes:
    name = re.sub(r"\W", "", mail.message_id.partition("@")[0])
    text, html = _text_part("plain", mail.text), _text_part("html", mail.html)
    if mail.boards:
        boards = [_inline(mail, number, board) for number, board in enumerate(mail.boards, 1)]
        html = _multipart("related", name, html, *boards)
    if mail.picture is None:
        return _multipart("alternative", name, text, html)
    png = _inline(mail, 0, mail.picture.png)
    svg = _binary_part("image/svg+xml", "attachment; filename=board.svg", mail.picture.svg.encode())
    seen = _multipart("related", name, html, png)
    return _multipart("mixed", name, _multipart("alternative", name, text, seen), svg)


def _multipart(subtype: str, name: str, *parts: bytes) -> bytes:
    """The boundary is derived from the identifier, not random, so that a re-sent mail has the same bytes.

    It begins with `=_`, which neither quoted-printable nor base64 can contain (RFC 2045, 6.7).
    """
    boundary = f"=_{subtype}_{name}"[:70]
    line = f"--{boundary}\r\n".encode()
    head = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\r\n\r\n'.encode()
    return head + b"".join(line + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()


def _text_part(subtype: str, text: str) -> bytes:
    """Quoted-printable, so that neither long lines nor non-ASCII letters can be damaged on the way."""
    lines = "\r\n".join(text.splitlines()) + "\r\n"
    head = f"Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    return head.encode() + b2a_qp(lines.encode())


def _inline(mail: Mail, number: int, png: bytes) -> bytes:
    known = picture_id(mail.message_id, number)
    return _binary_part("image/png", f"inline; filename=board{number or ''}.png\r\nContent-ID: <{known}>", png)


def _binary_part(kind: str, disposition: str, data: bytes) -> bytes:
    head = f"Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: {disposition}\r\n\r\n"
    # `encodebytes` goes through its input line by line, which takes three times as long.
    coded = b2a_base64(data, newline=False)
    return head.encode() + b"\r\n".join(_LINES.findall(coded)) + b"\r\n"


def _mailbox(name: str, address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is not a mail address")
    phrase = _phrase(name)
    return f"{phrase} <{address}>" if phrase else address


def _phrase(name: str) -> str:
    """A display name: quoted if it is plain ASCII, otherwise encoded (RFC 2047)."""
    name = _one_line(name)[:100]
    if not _is_plain(name):
        return _words(name)
    return formataddr((name, "x@x")).removesuffix("<x@x>").removesuffix("x@x").rstrip()


def _words(text: str) -> str:
    text = _one_line(text)[:200]
    return text if _is_plain(text) else Header(text, "utf-8").encode(linesep="\r\n")


def _is_plain(text: str) -> bool:
    """Whether it's ASCII that no reader takes for an encoded word, so that a name such as `=?utf-8?q?Ad=61?=` shows as
    it is."""
    return text.isascii() and "=?" not in text


def _identifier(text: str) -> str:
    if not _IDENTIFIER.fullmatch(text):
        raise ValueError(f"{text!r} is not a message identifier or link in angle brackets")
    return text


def _one_line(text: str) -> str:
    """Control characters and line separators become blanks, so that no value can begin a header of its own."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())
