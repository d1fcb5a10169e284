from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.mail.parsing.read import read


def mail(body: str | bytes, *headers: str) -> bytes:
    """A raw email with these headers, which replace usual ones of the same name."""
    usual = ["From: Ana <Ana@Example.org>", "To: g+aaaa@play.example", "Message-ID: <1@phone.example>"]
    names = {header.partition(":")[0] for header in headers}
    kept = [header for header in usual if header.partition(":")[0] not in names]
    head = "\n".join((*kept, *headers)).encode()
    return (head + b"\n\n" + (body.encode() if isinstance(body, str) else body)).replace(b"\n", b"\r\n")


QUOTED = """\
On Tue, Nov 24, 2026 at 6:30 PM Rosette 12 <
g+aaaa@play.example> wrote:

> White played g14.
>
> Reply with your move on the first line, for example:   h12
> pass, resign, show, help.
"""


@pytest.mark.parametrize(
    ("body", "order", "remark"),
    [
        ("h12\n", "h12", ""),
        ("h12\nGood game so far.\n\nAna", "h12", "Good game so far.\n\nAna"),
        (f"\n\n  h12  \n\n{QUOTED}", "h12", ""),
        (f"h12\nThanks\n\n{QUOTED}\n\n-- \nAna", "h12", "Thanks"),
        (f"h12\n\n-- \nAna\npass\n\n{QUOTED}", "h12", ""),
        (f"{QUOTED}\nh12\nThanks\n", "h12", "Thanks"),
        (f"{QUOTED}\n> g12\nNot that one.\n\n> g13\nh12", "Not that one.", "h12"),
        (QUOTED, "", ""),
        (f"\n\n{QUOTED}\n-- \nAna", "", ""),
        ("", "", ""),
        ("Sent from my iPhone", "", ""),
    ],
)
def test_the_order_is_the_first_line_the_writer_typed(body: str, order: str, remark: str) -> None:
    found = read(mail(body))
    assert (found.order, found.remark) == (order, remark)


def test_a_quotation_without_marks_hides_everything_after_it() -> None:
    outlook = "\n________________________________\nFrom: Rosette 12 <g+aaaa@play.example>\n\nh12\n"
    assert read(mail(outlook)).order == ""
    assert read(mail("g3" + outlook)).order == "g3"


def test_the_end_of_a_quoted_line_that_was_wrapped_is_still_quoted() -> None:
    wrapped = "> Anything you write below it goes to White. Other words you can use:\npass, resign, show, help.\n\nh12"
    assert read(mail(wrapped)).order == "h12"


@pytest.mark.parametrize("end", [".", "?", "!", "\u2026", '."', ".)"])
def test_words_right_below_a_long_quoted_line_that_ends_a_sentence_are_the_writers(end: str) -> None:
    quoted = f"> The second of these was what decided it, or so it looks to me from here{end}"
    found = read(mail(f"h12\n\n{quoted}\nIndeed it was.\n> And the third?\n"))
    assert (found.order, found.remark) == ("h12", "Indeed it was.")


def test_the_addresses_and_identifiers_of_an_email() -> None:
    found = read(
        mail(
            "h12",
            'From: "eve@example.com" <Ana@Example.ORG>',
            "To: Rosette <G+AAAA@play.example>, bo@example.org",
            "Cc: g+aaaa@play.example",
            "Delivered-To: g+bbbb@play.example",
            "Subject: =?utf-8?q?R=C3=A9=3A_Rosette_12?=\n =?iso-8859-1?q?_=E9?=",
            "In-Reply-To: <turn@play.example>",
            "References: <match-12@play.example>\n <turn@play.example>",
        )
    )
    assert found.sender == "ana@example.org"
    assert found.recipients == ("g+aaaa@play.example", "bo@example.org")
    assert found.delivered == ("g+bbbb@play.example",)
    assert found.subject == "Ré: Rosette 12 é"
    assert found.message_id == "<1@phone.example>"
    assert found.references == ("<turn@play.example>", "<match-12@play.example>")


def test_of_a_header_written_twice_the_first_counts() -> None:
    assert read(mail("h12", "Subject: Rosette 12", "Subject: Rosette 13")).subject == "Rosette 12"


def test_invisible_characters_are_removed() -> None:
    """PostgreSQL refuses even a query with a null character, and the sender would send the mail again forever."""
    found = read(mail("h\xad1\x002\u200b\U000e0041", "From: an\0a@exa\x07mple.org", "Subject: R\xade\0: \x1bx"))
    assert (found.sender, found.subject, found.order) == ("", "Re: x", "h12")


@pytest.mark.parametrize("tag", ["p", "pre"])
def test_invisible_characters_that_html_names_are_removed(tag: str) -> None:
    html = f"<{tag}>&#8203;h&shy;1&zwnj;2&rlm;</{tag}><{tag}>Read this:&#8238; &#xe0041;&nbsp;backwards</{tag}>"
    found = read(mail(html, "Content-Type: text/html"))
    assert (found.order, " ".join(found.remark.split())) == ("h12", "Read this: backwards")


@pytest.mark.parametrize(
    "sender", ["From: a@x.example, b@x.example", "From: <a@x.example> <b@x.example>", "From: ", "From: nobody"]
)
def test_an_email_with_several_addresses_in_from_or_none_has_no_sender(sender: str) -> None:
    assert read(mail("h12", sender)).sender == ""


def test_a_mail_without_an_identifier_gets_the_same_one_each_time() -> None:
    first = read(mail("h12", "Message-ID: nonsense", "Received: by one"))
    again = read(mail("h12", "Message-ID: nonsense", "Received: by another"))
    other = read(mail("h13", "Message-ID: nonsense", "Received: by one"))
    assert first.message_id == again.message_id != other.message_id
    assert first.message_id.endswith("@unidentified.invalid>")


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-generated; owner-email=a@x",
        "Auto-Submitted: (not no) auto-replied",
        "Precedence: bulk",
        "List-Id: <go.example.org>",
        "X-Autoreply: yes",
        "Return-Path: <>",
        "From: MAILER-DAEMON@mx.example",
        "From: no-reply@shop.example",
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
        "Subject: Automatic reply: Rosette 12: your move 8",
        "Subject: =?utf-8?q?Abwesenheitsnotiz?=",
        "Subject: Réponse automatique : Rosette 12",
        "Subject: Undeliverable: Rosette 12",
    ],
)
def test_emails_that_no_person_wrote(header: str) -> None:
    assert read(mail("I am away until Monday.", header)).is_automatic


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: no",
        "Auto-Submitted: no (written by hand)",
        "Precedence: normal",
        "Return-Path: <ana@example.org>",
        "Subject: Re: Automatic",
    ],
)
def test_emails_that_a_person_wrote(header: str) -> None:
    assert read(mail("h12", header)).automatic == ""


@pytest.mark.parametrize("sender", ["no_reply", "no.reply", "noreply_12", "do_not_reply", "auto-reply", "bounce+ada"])
def test_an_address_that_reads_no_answers_gets_none(sender: str) -> None:
    assert read(mail("status", f"From: {sender}@example.org")).automatic == f"sent by {sender}@example.org"


@pytest.mark.parametrize("sender", ["noreplyson", "bouncer", "nora.reply"])
def test_an_address_that_only_looks_like_one_is_a_persons(sender: str) -> None:
    assert read(mail("status", f"From: {sender}@example.org")).automatic == ""


@pytest.mark.parametrize(
    ("charset", "encoded"),
    [
        ("utf-8", "Grüße"),
        ("iso-8859-1", "Grüße"),
        ("windows-1252", "Grüße – “so”"),
        ("us-ascii", "Grüße – “so”"),
        ("iso-2022-jp", "よろしくお願いします"),
        ("shift_jis", "よろしくお願いします"),
        ("euc-kr", "안녕하세요"),
        ("gb2312", "你好"),
        ("big5", "你好"),
        ("koi8-r", "Привет"),
        ("windows-1251", "Привет"),
        ("utf-16", "Grüße"),
        ("no-such-charset", "Grüße"),
        ("punycode", "Grüße"),
        ("zlib", "Grüße"),
        ("", "Grüße"),
    ],
)
def test_text_in_any_charset_is_read(charset: str, encoded: str) -> None:
    sent_as = {"us-ascii": "windows-1252"}.get(charset, charset)
    try:
        body = f"h12\n{encoded}".encode(sent_as if sent_as != "punycode" else "utf-8")
    except LookupError:
        body = f"h12\n{encoded}".encode()
    raw = mail("", f'Content-Type: text/plain; charset="{charset}"') + body
    assert (read(raw).order, read(raw).remark) == ("h12", encoded)


@pytest.mark.parametrize("encoded", ["ZDQ=", "ZDQ", "Z-DQ", "ZDQKSGk", "ZDQKSGkh", "ZDQKSGkhI"])
def test_base64_is_read_to_its_last_letter(encoded: str) -> None:
    """Some programs leave out the equals signs at the end, or break lines with other characters."""
    found = read(mail(encoded, "Content-Type: text/plain", "Content-Transfer-Encoding: base64"))
    assert found.order == "d4"
    assert found.remark in ("", "Hi", "Hi!")


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("Content-Transfer-Encoding: base64;", "ZDQ="),
        ("Content-Transfer-Encoding: Base64 (RFC 2045)", "ZDQ="),
        ("Content-Transfer-Encoding: quoted-printable; charset=utf-8", "d=34"),
        ("Content-Type: text", "d4"),
        ("Content-Type: text/plain (no format)", "d4"),
    ],
)
def test_a_header_with_more_or_less_than_its_value_is_understood(header: str, body: str) -> None:
    assert read(mail(body, header)).order == "d4"


def test_lines_broken_for_format_flowed_are_joined() -> None:
    flowed = (
        "h12\n"
        "A long remark that the program has broken at a blank because it was too \n"
        "long for one line.\n"
        " From here it is stuffed with a blank\n"
        "typed with a blank at the end \n"
        "and here a new line\n"
        ">> quoted twice\n"
    )
    found = read(mail(flowed, "Content-Type: text/plain; format=flowed"))
    assert found.order == "h12"
    assert found.remark.splitlines() == [
        "A long remark that the program has broken at a blank because it was too long for one line.",
        "From here it is stuffed with a blank",
        "typed with a blank at the end",
        "and here a new line",
    ]


@given(st.binary())
@example(b"")
@example(b"\n\n")
@example(b"Content-Type: multipart/mixed; boundary=\n\n--\n\n")
def test_any_bytes_are_read(raw: bytes) -> None:
    read(raw)


@given(
    st.lists(
        st.sampled_from([*"<>&=?;:\"' \n", "--b", "\n> ", "<div", "</pre>", "=?utf-8?b?", "Content-Type: ", "wrote:"])
    )
)
def test_any_text_of_any_type_is_read(pieces: list[str]) -> None:
    text = "".join(pieces)
    for kind in ("text/plain; format=flowed", "text/html", "multipart/mixed; boundary=b", text):
        read(mail(text, f"Content-Type: {kind}"))


HOSTILE = {
    "open tags": ("text/html", "<a "),
    "open comments": ("text/html", "<!--"),
    "open attributes": ("text/html", "<div id='"),
    "deep quotation": ("text/html", "<blockquote>x"),
    "character references": ("text/html", "&#1"),
    "colons": ("text/plain", "a:\n"),
    "half attributions": ("text/plain", "wrote:\n\n\n\n\n\n"),
    "dividers": ("text/plain", "________________\n> \n"),
    "soft breaks": ("text/plain; format=flowed", "a" * 75 + " \n"),
    "parts": ("multipart/mixed; boundary=b", "--b\n\n\n"),
    "near boundaries": ("multipart/mixed; boundary=b", "--b"),
}


@pytest.mark.timeout(100)
@pytest.mark.parametrize(("kind", "piece"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_emails_are_read_in_time(kind: str, piece: str) -> None:
    """A megabyte, which would take a parser with quadratic cost many minutes; ours takes a fraction of a second."""
    assert read(mail(piece * (1_000_000 // len(piece)), f"Content-Type: {kind}")).message_id


def test_ten_thousand_nested_parts_are_read() -> None:
    raw = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(10_000))
    assert read(raw).order == ""


def test_a_word_that_was_encoded_wrongly_is_read_as_it_stands() -> None:
    raw = b"From: =?utf-8?b?a?= <ada@example.org>\r\nSubject: =?utf-8?b?abcde?= Rosette\r\n\r\nh12\r\n"
    found = read(raw)
    assert (found.sender, found.subject) == ("ada@example.org", "=?utf-8?b?abcde?= Rosette")


def test_a_character_cut_in_two_at_the_end_makes_the_rest_no_other_text() -> None:
    raw = "From: ada@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ngrüße ü".encode()
    assert read(raw[:-1]).text.strip() == "grüße"
