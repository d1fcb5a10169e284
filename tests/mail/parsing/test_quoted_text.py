"""No mail program's quotation of any of our emails changes the order that is read, wherever the quotation is."""

from __future__ import annotations

import textwrap
from functools import cache
from itertools import cycle
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.mail.html import html_text
from service.mail.letters.letter_types import Letter
from service.mail.letters.letter_words import Words
from service.mail.parsing import quoted_text
from service.mail.parsing.read import Inbound, read
from service.play.letter_kinds import KINDS
from tests.cases import cases
from tests.mail.every_letter import LETTERS, in_words
from tests.mail.test_corpus import MAILS

HEADERS = "From: Rosette 12 <play@play.example>\nSent: Tuesday, November 24, 2026 6:30 PM\nTo: Ana\nSubject: Rosette 12"

MARKED = {
    "gmail": ("On Tue, Nov 24, 2026 at 6:30 PM Rosette 12 <\nplay@play.example> wrote:\n\n", "> "),
    "gmail, French": ("Le mar. 24 nov. 2026 à 18:30, Rosette 12 <play@play.example> a écrit :\n\n", "> "),
    "gmail, Japanese": ("2026年11月24日(火) 18:30 Rosette 12 <play@play.example>:\n\n", "> "),
    "thunderbird": ("Am 24.11.26 um 18:30 schrieb Rosette 12:\n", "> "),
    "claws": ("On Tue, 24 Nov 2026 18:30:00 +0000\nRosette 12 <play@play.example> wrote:\n\n", "> "),
    "k-9": ("On 24 November 2026 18:30:00 GMT, Rosette 12 <play@play.example> wrote:\n", ">"),
    "proton": ("------- Original Message -------\nOn Tuesday, November 24th, 2026, Rosette 12 wrote:\n\n", "> "),
    "mutt, of a quotation": ("On Tue, Nov 24, 2026 at 06:30:00PM +0000, Rosette 12 wrote:\n", "> > "),
    "apple": ("", "> "),
}
UNMARKED = {
    "outlook": f"{HEADERS}\n\n",
    "outlook on the web": f"________________________________\n{HEADERS}\n\n",
    "outlook of old": f"-----Original Message-----\n{HEADERS}\n\n",
    "samsung": f"-------- Original message --------\n{HEADERS}\n\n",
    "forwarded": f"---------- Forwarded message ---------\n{HEADERS}\n\n",
    "yahoo": "On Tuesday, November 24, 2026 at 06:30:00 PM GMT, Rosette 12 <play@play.example> wrote:\n\n",
    "zoho": "---- On Tue, 24 Nov 2026 18:30:00 +0000 Rosette 12 <play@play.example> wrote ---\n\n",
}

orders = st.sampled_from(["h12", "pass", "a1-b2*c3", "c7 take blue white", "e2-e4", "dead c3 f7", "O-O-O", "S-G9#"])
remarks = st.lists(
    st.sampled_from(["", "Good game.", "I do not see it:", "See you at 18:30", "- one", "2026?"]), max_size=4
)
letters = st.deferred(lambda: st.sampled_from(in_words()))
marked = st.builds(
    lambda style, mail: style[0] + textwrap.indent(mail.text, style[1], lambda line: True),
    st.sampled_from(list(MARKED.values())),
    letters,
)
unmarked = st.builds(lambda style, mail: style + mail.text, st.sampled_from(list(UNMARKED.values())), letters)


def test_no_kind_of_our_emails_is_left_out() -> None:
    assert {type(letter) for letter in LETTERS} == {*get_args(Letter)}
    assert {letter.kind for letter in LETTERS} == KINDS.keys() - {"confirm_reply"}  # It asks what `confirm` asks.


def test_no_line_of_a_letter_is_longer_than_72_columns_except_for_links() -> None:
    lines = {line for ours in in_words() for line in ours.text.splitlines()}
    assert [line for line in lines if len(line) > 72 and "://" not in line] == []


def first_own_line(text: str) -> str:
    return next(filter(None, quoted_text.split(text).own), "").strip()


@given(orders, remarks, st.lists(marked, max_size=2), st.lists(marked | unmarked, max_size=2))
def test_an_order_between_quotations_is_read(order: str, remark: list[str], above: list[str], below: list[str]) -> None:
    text = "\n\n".join([*above, "\n".join([order, *remark]), *below])
    assert first_own_line(text) == order


@given(st.lists(marked, max_size=2), st.lists(unmarked, max_size=2))
def test_no_order_is_read_from_a_reply_without_one(first: list[str], then: list[str]) -> None:
    assert first_own_line("\n\n".join(["", *first, *then])) == ""


@cache
def corpus() -> dict[str, Inbound]:
    """What people wrote, by the program that sent it."""
    mails = {mail.stem: read(mail.read_bytes()) for mail in MAILS}
    return {name: mail for name, mail in mails.items() if not mail.is_automatic}


def quoted(quotation: str, mail: Words) -> tuple[str, bool]:
    """Our mail as quoted by the program that made this quotation of another, and whether each line is marked."""
    before, _, _ = quotation.partition("White played g14.")
    introduction, _, mark = before.rpartition("\n")
    if mark.strip("> "):  # Yahoo on phones begins the quotation in the line that introduces it.
        return before + mail.text, False
    return f"{introduction}\n{textwrap.indent(mail.text, mark, lambda line: True)}", ">" in mark


EACH = cases(8, full=1)
"""Programs take turns in quoting our emails: the first quotes the first, the ninth and so on, the second the second."""


def test_no_programs_quotation_of_any_of_our_emails_changes_a_reply() -> None:
    """Every reply of the corpus, with each program's quotations of our emails in turn."""
    replies = [mail for mail in corpus().values() if mail.order]
    quotations = {name: mail.rest for name, mail in corpus().items() if "White played g14." in mail.rest}
    for number, (name, rest) in enumerate(quotations.items()):
        some = in_words()[number % EACH :: EACH]
        ours = [(rest, rest.rpartition("\n")[2].startswith(">")), *(quoted(rest, mail) for mail in some)]
        for quotation, _ in ours:
            assert first_own_line(f"\n\n{quotation}") == "", name
        for reply, (quotation, marked) in zip(replies[number % EACH :: EACH], cycle(ours), strict=False):
            assert first_own_line(f"{reply.text}\n\n{quotation}") == reply.order, name
            if marked:
                assert first_own_line(f"{quotation}\n\n{reply.text}") == reply.order, name


@pytest.mark.parametrize(
    "frame",
    [
        "<blockquote>{}</blockquote>",
        "<div>On Tue, Nov 24, 2026 at 6:30&#8239;PM Rosette &lt;a@x&gt; wrote:<br></div><blockquote>{}</blockquote>",
        "<div id='appendonsend'></div><hr><div id=divRplyFwdMsg><b>From:</b> Rosette</div>{}",
        '<div class="x_y ydp12ayahoo_quoted"><p>X a écrit:</p>{}</div>',
        "<hr><div data-marker='__QUOTED_TEXT__'>{}</div>",
    ],
)
def test_quotations_in_html_do_not_change_a_reply(frame: str) -> None:
    for mail in in_words():
        quotation = frame.format(mail.html[mail.html.index("<body>") :])
        assert first_own_line(html_text.read(quotation)) == "", mail.subject
        assert first_own_line(html_text.read(f"<p>h12<p>Thanks{quotation}")) == "h12", mail.subject
        if "</blockquote>" in frame:
            assert first_own_line(html_text.read(f"{quotation}<div>h12</div>")) == "h12", mail.subject


def test_the_escaping_dashes_of_signed_openpgp_text_are_removed() -> None:
    signed = """\
-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

g4
- - one
- two
- --
Ana, Head of Stones
-----BEGIN PGP SIGNATURE-----

iQEz
-----END PGP SIGNATURE-----
- after"""
    own = [line for line in quoted_text.split(signed).own if line]
    assert own == ["g4", "- one", "two"]
