from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.mail import reply_address
from service.mail.reply_address import Purpose, ReplyAddress

SECRET = "a secret of at least thirty-two characters"
BLACK = ReplyAddress(player=41, match=12, seat=0, round=8)

numbers = st.integers(0, 2**40)
addresses = st.builds(
    ReplyAddress,
    numbers,
    numbers,
    st.integers(0, 7),
    st.integers(0, 10**6),
    st.sampled_from(Purpose),
    st.just(0) | st.integers(1, 2**32),
    st.just(0) | st.integers(1, 2**32),
)


@given(addresses)
def test_a_reply_address_is_read_in_upper_or_lower_case(meant: ReplyAddress) -> None:
    local_part = reply_address.write(SECRET, meant)
    assert len(local_part) <= 64
    assert local_part == local_part.lower()
    for travelled in (local_part, local_part.upper(), f"{local_part}@Play.Example.ORG"):
        assert reply_address.read(SECRET, travelled) == meant


def test_addresses_in_emails_sent_long_ago_keep_their_purpose() -> None:
    names = (
        "order invitation bounce confirmation press takeback pause resume draw result talk asked lesson openings event "
        "gazette"
    )
    assert {name.lower(): purpose.value for name, purpose in Purpose.__members__.items()} == {
        name: number for number, name in enumerate(names.split(), start=1)
    }


@pytest.mark.parametrize(
    "recipient",
    [
        "",
        "g",
        "g+",
        "g+@play.example",
        "g+a",
        "g+aaaaaaaa",
        "g+not base32!",
        "g+é",
        "play+aeaqcaib",
        "g+" + "a" * 500,
        reply_address.write("another secret, thirty-two or more long", BLACK),
        reply_address.write(SECRET, BLACK)[:-1],
        reply_address.write(SECRET, BLACK) + "a",
    ],
)
def test_an_address_we_did_not_sign_is_not_read(recipient: str) -> None:
    assert reply_address.read(SECRET, recipient) is None


@given(st.integers(2, 29), st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"))
def test_no_character_of_a_token_can_be_changed(at: int, letter: str) -> None:
    genuine = reply_address.write(SECRET, BLACK)
    forged = genuine[:at] + letter + genuine[at + 1 :]
    assert reply_address.read(SECRET, forged) in (None, BLACK)
    assert reply_address.read(SECRET, forged) is None or genuine[:-1] == forged[:-1]


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        reply_address.write(SECRET, ReplyAddress(2**100, 2**100))
    with pytest.raises(ValueError, match="negative"):
        reply_address.write(SECRET, ReplyAddress(-1))


def test_a_letter_has_one_message_id() -> None:
    one = reply_address.message_id("turn:12:8:0", "play.example")
    assert one == reply_address.message_id("turn:12:8:0", "play.example")
    assert one != reply_address.message_id("turn:12:9:0", "play.example")
    assert (one[0], one[33:]) == ("<", "@play.example>")


def test_emails_about_a_match_share_a_thread() -> None:
    assert reply_address.thread_id(12, "play.example") == "<match-12@play.example>"
    assert reply_address.list_id(12, "play.example") == "<match-12.play.example>"
