"""Which parts of an email are its text, and how they are decoded."""

from __future__ import annotations

import pytest

from service.mail.parsing.read import read
from tests.mail.parsing.test_read import mail


@pytest.mark.parametrize(
    "boundary",
    [
        'boundary*0="==a"; boundary*1="b c"',
        "boundary*=us-ascii'en'%3D%3Dab%20c",
        "boundary*0*=us-ascii''%3D%3Da; boundary*1=b; boundary*2*=%20c",
    ],
)
def test_a_boundary_in_pieces_or_encoded_is_put_together(boundary: str) -> None:
    body = "--==ab c\nContent-Type: text/plain\n\nh12\n--==ab c--\n"
    assert read(mail(body, f"Content-Type: multipart/mixed; {boundary}")).order == "h12"


@pytest.mark.parametrize("kind", ["text/markdown", "text/x-markdown"])
def test_text_written_in_markdown_is_read_like_plain_text(kind: str) -> None:
    assert read(mail("h12\n\n> g11", f"Content-Type: {kind}; charset=utf-8")).text == "h12"


@pytest.mark.parametrize("end", ["\u00e9", "\u00e9\n", "\u00e9!!"])
def test_the_last_letters_of_a_text_in_another_charset_than_declared_are_kept(end: str) -> None:
    written = f"h12\nGreetings, Andr{end}"
    found = read(mail(written.encode("windows-1252"), "Content-Type: text/plain; charset=utf-8"))
    assert f"{found.order}\n{found.remark}" == written.strip()


@pytest.mark.parametrize(
    ("charset", "codec", "said"),
    [
        ("windows-874", "cp874", "\u0e02\u0e2d\u0e1a\u0e04\u0e38\u0e13"),
        ("iso-8859-8-i", "iso8859-8", "\u05ea\u05d5\u05d3\u05d4"),
        ("windows-31j", "cp932", "\u3042\u308a\u304c\u3068\u3046"),
        ("x-sjis", "cp932", "\u3042\u308a\u304c\u3068\u3046"),
        ("x-gbk", "gbk", "\u8c22\u8c22"),
        ("unicode-1-1-utf-7", "utf-7", "Gr\u00fc\u00dfe"),
    ],
)
def test_names_of_charsets_that_only_mail_programs_use_are_known(charset: str, codec: str, said: str) -> None:
    found = read(mail(f"h12\n{said}".encode(codec), f"Content-Type: text/plain; charset={charset}"))
    assert found.remark == said


def test_a_soft_break_with_blanks_behind_it_is_one() -> None:
    encoded = mail("d=  \n4=\t\n\nthanks", "Content-Transfer-Encoding: quoted-printable")
    assert (read(encoded).order, read(encoded).remark) == ("d4", "thanks")


def parts(*given: tuple[str, str]) -> str:
    return "".join(f"--b\nContent-Type: {kind}\n\n{body}\n" for kind, body in given) + "--b--\n"


def test_words_below_a_picture_are_read() -> None:
    """As phones write them, in a part of their own."""
    below = "Our cat.\n\nSent from my iPhone"
    body = parts(("text/plain", "h12\nLook:\n"), ("image/jpeg", "x"), ("text/plain", below))
    found = read(mail(body, "Content-Type: multipart/mixed; boundary=b"))
    assert (found.order, found.remark) == ("h12", "Look:\n\nOur cat.")


def test_of_a_reaction_only_the_emoji_is_its_writers() -> None:
    """Gmail adds the name of the account, which others may not know, in the language of its owner."""
    written = "\U0001f44d\n\nAda Lovelace reagierte \u00fcber Gmail\n<https://www.google.com/gmail/about/>"
    kinds = ("text/plain; charset=utf-8", written), ("text/vnd.google.email-reaction+json", '{"version":1}')
    body = parts(*kinds, ("text/html", "<div>Ada Lovelace</div>"))
    assert read(mail(body, "Content-Type: multipart/alternative; boundary=b")).text == "\U0001f44d"


def test_an_empty_text_beside_html_hides_nothing() -> None:
    body = parts(("text/plain", ""), ("text/html", "<div>h12</div>"))
    assert read(mail(body, "Content-Type: multipart/alternative; boundary=b")).order == "h12"
