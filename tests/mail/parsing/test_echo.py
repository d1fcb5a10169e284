"""Our own words never count as those of somebody who replies, however they are quoted."""

from __future__ import annotations

import quopri
import random
import re
import textwrap
import time
from functools import cache

import pytest

from service.mail.html import html_text
from service.mail.letters.letter_words import Words
from service.mail.parsing import echo
from tests.cases import cases
from tests.mail.every_letter import in_words

READERS = ("ada@example.org", "play@play.example")
TOKEN = "aaaabbbbccccddddeeeeffffgggg2345"
SIGNED = "WzEsMTJd.C9zYWx0eS1hbmQtc2lnbmVk_1234"


@cache
def of(mail: Words) -> echo.Ours:
    return echo.known((mail.subject, mail.text, html_text.read(mail.html)), READERS)


def wrapped(mail: Words, width: int) -> str:
    return "\n".join("\n".join(textwrap.wrap(line, width)) for line in mail.text.split("\n"))


def flowed_together(mail: Words) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", mail.text)


def quoted_printable(mail: Words) -> str:
    return quopri.encodestring(mail.text.encode()).decode()


def from_html(mail: Words) -> str:
    """HTML converted to text as by Outlook and others: each link comes after its words."""
    html = re.sub(r'<a href="([^"]*)"[^>]*>(.*?)</a>', r"\2 &lt;\1&gt;", mail.html, flags=re.DOTALL)
    return html_text.read(html)


def with_bars(mail: Words) -> str:
    return textwrap.indent(mail.text, "| ", lambda line: True)


FORMS = {
    "as it is": lambda mail: mail.text,
    "at 78": lambda mail: wrapped(mail, 78),
    "at 40": lambda mail: wrapped(mail, 40),
    "at 30": lambda mail: wrapped(mail, 30),
    "flowed together": flowed_together,
    "quoted-printable": quoted_printable,
    "HTML": lambda mail: html_text.read(mail.html),
    "HTML with links": from_html,
    "with bars": with_bars,
    "in capitals": lambda mail: mail.text.upper(),
    "indented": lambda mail: textwrap.indent(mail.text, "      "),
}
DIVIDERS = (
    "",
    "~~~~~~~~",
    "Stonepost <play@play.example> zrbfl 2026-11-24 18:30",
    "Zrbfl: Stonepost\nSubject: Rosette 12\nTo: Ada <ada@example.org>",
    "2026-11-24 18:30 Stonepost sgrifodd:",
)


FEWER = cases(8, full=1)
"""With most dividers, one in this many letters shows as much as all of them."""


@cache
def long_enough() -> list[Words]:
    return [mail for mail in in_words() if len(re.sub(r"\W|https?:\S*", "", mail.text)) > 2 * echo.PROOF]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("divider", DIVIDERS)
def test_nothing_we_sent_is_left_below_any_divider(form, divider: str) -> None:  # type: ignore[no-untyped-def]
    for mail in long_enough() if divider in DIVIDERS[:2] else long_enough()[::FEWER]:
        text = f"f12\n\nI did not see that coming.\n\n{divider}\n\n{form(mail)}"
        assert echo.without(text, of(mail)) == "f12\n\nI did not see that coming.", mail.subject


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_an_empty_reply_stays_empty(form) -> None:  # type: ignore[no-untyped-def]
    for mail in long_enough():
        text = f"Stonepost <play@play.example> zrbfl 2026-11-24 18:30\n\n{form(mail)}"
        assert echo.without(text, of(mail)).strip() == "", mail.subject


OWN = (
    "Good game.",
    "Thanks for the game, well played!",
    "pass",
    "See you at 18:30",
    "What does 'Reply with your move on the first line' mean?",
    "I wrote down all the moves.",
    "On the web it looks better.",
    "ada@example.net is my new address, write to me there.",
    "https://example.org/go/2026 has the same position",
)


@pytest.mark.parametrize("own", OWN)
def test_own_words_are_kept_above_between_and_below(own: str) -> None:
    for mail in long_enough():
        head, _, tail = mail.text.partition("\n\n")
        text = f"f12\n{own}\n\n-- zrbfl --\n{head}\n\n{own}\n\n{tail}\n\n{own}"
        left = [line for line in echo.without(text, of(mail)).split("\n") if line]
        assert left[:2] == ["f12", own]
        # Between lines that we sent, `pass` counts as ours. A beginning of only a few letters may not be recognised.
        in_ours = own in mail.text
        is_short = len(re.sub(r"\W", "", head)) < 24
        assert left.count(own) in (3 - in_ours, 3 - (in_ours and not is_short)), mail.subject


def test_a_quotation_that_its_program_left_encoded_is_recognised() -> None:
    for mail in long_enough():
        encoded = quopri.encodestring(mail.text.encode()).decode().replace("=\n", "")
        encoded = re.sub("[aeiou]", lambda found: f"={ord(found[0]):02X}", encoded)
        assert echo.without(f"f12\n\n{encoded}", of(mail)) == "f12", mail.subject


@pytest.mark.parametrize("own", OWN)
def test_a_reply_without_a_quotation_is_left_alone(own: str) -> None:
    for mail in in_words():
        text = f"f12\n\n{own}\n\nBest,\nAda"
        assert echo.without(text, of(mail)) == text


def test_the_opponents_words_may_be_repeated() -> None:
    ours = echo.known(['White played g14.\n"Thanks for the game, well played!"\n'])
    assert echo.without("f12\nThanks for the game, well played!", ours) == "f12\nThanks for the game, well played!"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Look: https://play.example/mail/stop/{SIGNED} ends it", "Look: ends it"),
        (f"f12\nhttps://play.example/mail/stop/{SIGNED}\nbye", "f12\nbye"),
        (f"f12 <https://play.example/mail/stop/{SIGNED}>", "f12"),
        ("f12\nhttps://play.example/mail/stop/WzEsMTJd.\nend", "f12\nend"),
        (f"f12\n[Stop]<https://play.example/mail/stop/{SIGNED}> now", "f12\n[Stop] now"),
        (f"f12\nhttps://safe.example/?url=https%3A%2F%2Fplay.example%2Fmail%2Fstop%2F{SIGNED}&x=1", "f12"),
        (f"f12\nhttps://play.example/go/{SIGNED[:9]}{'x' * 27}", "f12"),
        (f"f12\nhttps://play.example/sign-in/{SIGNED}", "f12"),
        (f"f12\nhttps://play.example/mail/confirm/{SIGNED}", "f12"),
        (f"f12\nhttps://play.example/address/object/{SIGNED}", "f12"),
        (f"f12\nhttps://play.example/account/not-me/{SIGNED}", "f12"),
        (f"f12\ng+{TOKEN}@play.example", "f12"),
        (f"f12\nStonepost <mailto:G+{TOKEN.upper()}@play.example> said", "f12\nStonepost said"),
        (f"f12\nmailto:g%2B{TOKEN}@play.example", "f12"),
        ("f12\nhttps://online-go.example/go/rules is good", "f12\nhttps://online-go.example/go/rules is good"),
        ("f12\nhttps://play.example/match/12/at/5", "f12\nhttps://play.example/match/12/at/5"),
        ("new rosette vs ada+games@example.org", "new rosette vs ada+games@example.org"),
    ],
)
def test_signed_links_and_addresses_are_removed(text: str, left: str) -> None:
    assert echo.without(text, echo.NOTHING) == left


def test_any_text_can_be_compared() -> None:
    chance, mail = random.Random(5), in_words()[0]
    pieces = [*mail.text.split("\n"), "f12", "Good game.", "", "> ", "=20", "=\n", "https://play.example/mail/stop/x"]
    for _ in range(500):
        text = "\n".join(chance.choices(pieces, k=chance.randrange(60)))
        left = echo.without(text, of(mail))
        assert "mail/stop" not in left
        assert text.count("Good game.") == left.count("Good game.")


@pytest.mark.parametrize(
    "piece",
    [
        "/go/a.",
        "/go/" + "-." * 99,
        "g+",
        "g+" + "a" * 64,
        "a" * 999,
        "=3D",
        "http://",
        "https://play.example/go/",
        "\n",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    ours = echo.known(["ab" * 40_000, *(mail.text for mail in in_words())])

    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.process_time()
        echo.without(text, ours)
        return time.process_time() - began

    large = seconds(1_000_000)
    assert large < 0.5 or large < 30 * min(seconds(100_000) for _ in range(3)) + 0.5
