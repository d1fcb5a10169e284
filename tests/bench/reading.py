"""Reading a reply as a popular mail program sends it, against the standard library's parser."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

from service.mail.letters.letter_words import render
from service.mail.parsing.read import read
from tests.bench.measure import Figure, ratio
from tests.mail.letters.test_letter_types import ENVIRONMENT, TURN

SIZE = 20_000
WROTE = "On Tue, Nov 24, 2026 at 6:30 PM Rosette 12 <play@play.example> wrote:"


def reply() -> bytes:
    """An email with a move and a remark above a long quotation of earlier turns, as text and as HTML."""
    ours = render(ENVIRONMENT, TURN)
    own, text, html = "h12\nThanks for the game.", ours.text, ours.html
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = "Ana <ana@example.org>", "Rosette 12 <g+aeaqwbqiqfzxkr3mn5tq@play.example>"
    message["Subject"], message["Message-ID"] = "Re: Rosette 12: your move 8", "<reply@program.example>"
    while True:
        message.clear_content()
        message.set_content(f"{own}\n\n{WROTE}\n\n{textwrap.indent(text, '> ', lambda line: True)}", cte="8bit")
        page = f"<div>{own}</div><div class=gmail_quote>{WROTE}<blockquote>{html}</blockquote></div>"
        message.add_alternative(page, subtype="html", cte="quoted-printable")
        if len(raw := message.as_bytes()) >= SIZE:
            return raw
        text += f"\n{WROTE}\n\n" + textwrap.indent(text, "> ", lambda line: True)
        html += f"<div>{WROTE}</div><blockquote>{html}</blockquote>"


def figures() -> Iterator[Figure]:
    raw = reply()
    assert read(raw).order == "h12"
    cost = ratio(lambda: [read(raw) for _ in range(20)], lambda: [message_from_bytes(raw) for _ in range(20)])
    what = f"to read a reply of {len(raw) / 1000:.0f} kB and find its order, over parsing it with the standard library"
    yield Figure("mail-read", cost, 1.25, what)
