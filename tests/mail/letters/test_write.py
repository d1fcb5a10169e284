from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.mail.letters.write import Mail, Picture, compose, picture_id

TURN = Mail(
    message_id="<mfrggzdfmy@play.example>",
    date=datetime(2026, 11, 21, 18, 30, tzinfo=UTC),
    sender="play@play.example",
    sender_name="Rosette 12",
    to="ana@example.org",
    to_name="Ana",
    reply_to="g+aeaqcaib@play.example",
    subject="Rosette 12: your move 8 (White played g14)",
    text="White played g14.\n\n    . . .\n   . O .\n\n.a line that begins with a dot\n",
    html='<p>White played g14.</p><img src="cid:board.mfrggzdfmy@play.example">',
    picture=Picture(b"\x89PNG" + bytes(range(256)) * 40, "<svg>●</svg>"),
    thread="<match-12@play.example>",
    list_id="<match-12.play.example>",
    list_name="Rosette 12",
    unsubscribe="https://play.example/mute/" + "x" * 300,
)


def parsed(mail: Mail) -> EmailMessage:
    """The mail as parsed by the standard library, which must find no defect."""
    raw = compose(mail)
    assert raw.isascii()
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    assert not [part.defects for part in message.walk() if part.defects]
    return message


def test_the_headers_of_a_turn_mail() -> None:
    headers = {name: str(value) for name, value in parsed(TURN).items()}
    del headers["Content-Type"]
    assert headers == {
        "Date": "Sat, 21 Nov 2026 18:30:00 +0000",
        "From": "Rosette 12 <play@play.example>",
        "To": "Ana <ana@example.org>",
        "Subject": "Rosette 12: your move 8 (White played g14)",
        "Message-ID": "<mfrggzdfmy@play.example>",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "Reply-To": "Rosette 12 <g+aeaqcaib@play.example>",
        "In-Reply-To": "<match-12@play.example>",
        "References": "<match-12@play.example>",
        "List-Id": "Rosette 12 <match-12.play.example>",
        "List-Unsubscribe": f"<https://play.example/mute/{'x' * 300}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "MIME-Version": "1.0",
    }


def test_an_answer_is_threaded_below_what_it_answers() -> None:
    answer = parsed(replace(TURN, answers="<1@phone.example>"))
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["In-Reply-To"] == "<1@phone.example>"
    assert answer["References"] == "<match-12@play.example> <1@phone.example>"


def test_the_parts_and_where_the_board_is_shown() -> None:
    message = parsed(TURN)
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "image/svg+xml",
    ]
    *_, html, png, svg = message.walk()
    assert png["Content-ID"] == f"<{picture_id(TURN.message_id)}>"
    assert f"cid:{picture_id(TURN.message_id)}" in html.get_content()
    assert TURN.picture is not None
    assert png.get_content() == TURN.picture.png
    assert svg.get_content() == TURN.picture.svg.encode()
    assert svg.get_filename() == "board.svg"
    text = message.get_body(("plain",))
    assert text is not None
    assert text.get_content().replace("\r\n", "\n") == TURN.text


def test_without_a_board_there_is_only_multipart_alternative() -> None:
    kinds = [part.get_content_type() for part in parsed(replace(TURN, picture=None)).walk()]
    assert kinds == ["multipart/alternative", "text/plain", "text/html"]


def test_the_same_letter_gives_the_same_bytes() -> None:
    assert compose(TURN) == compose(TURN)


@settings(max_examples=40)
@given(st.text(), st.text(), st.text(min_size=1))
def test_no_name_or_subject_can_add_a_header(name: str, subject: str, text: str) -> None:
    message = parsed(replace(TURN, sender_name=name, to_name=name, list_name=name, subject=subject, text=text))
    assert len(message.items()) == len(parsed(TURN).items())
    assert message["To"].addresses[0].addr_spec == "ana@example.org"
    assert len(message["To"].addresses) == 1


@pytest.mark.parametrize("address", ["", "ana", "ana@x\r\nBcc: all@x", "ana@x, bo@x", "<ana@x>", "ana @x"])
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is not a mail address"):
        compose(replace(TURN, to=address))


@pytest.mark.parametrize("identifier", ["1@x", "<1@x>\r\nBcc: all@x", "<1@x> <2@x>", "<>"])
def test_an_invalid_identifier_is_refused(identifier: str) -> None:
    with pytest.raises(ValueError, match="is not a message identifier"):
        compose(replace(TURN, answers=identifier))


def test_a_name_that_looks_like_an_encoded_word_shows_as_it_is() -> None:
    name = "=?utf-8?q?St=6Fnepost?="
    mail = replace(TURN, sender_name=name, to_name=name, list_name=name, subject=f"{name} vs Ana")
    assert name.encode() not in compose(mail)
    message = parsed(mail)
    assert message["Subject"] == f"{name} vs Ana"
    assert [message[field].addresses[0].display_name for field in ("From", "To")] == [name, name]
