"""What people type in these games, and how it is read."""

from __future__ import annotations

import pytest

from service.engine.game import Ambiguous, MoveError, Unreadable
from tests.games.multiplayer_go.playing import start

POSITION = start("multigo-coop", 4, size="9")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("C7", "c7"),
        ("I play c-7.", "c7"),
        ("pass", "pass"),
        ("c7 take blue white", "c7 take blue white"),
        ("C7, take Blue, Blue and White", "c7 take blue blue white"),
        ("c7 taking 2 blue, white", "c7 take blue blue white"),
        ("c7 take blue x2", "c7 take blue blue"),
        ("c7; and take: blue", "c7 take blue"),
        ("prefer blue white", "prefer blue white"),
        ("Prefer: blue, then white; blue", "prefer blue white"),
        ("I prefer blue > white", "prefer blue white"),
        ("prefer none", "prefer none"),
        ("ally blue and red", "ally red blue"),
        ("alone", "alone"),
        ("dead c3, f7", "dead c3 f7"),
    ],
)
def test_reading_orders(typed: str, read: str) -> None:
    assert POSITION.read(0, typed) == read
    assert POSITION.read(0, read) == read


@pytest.mark.parametrize(
    ("typed", "error", "told"),
    [
        ("c7 take", Unreadable, "Which colours? Write for example c7 take red blue."),
        ("c7 take mauve", Unreadable, "'mauve' isn't a colour. Write for example c7 take red blue."),
        (
            "pass take blue",
            Unreadable,
            "Prisoners can only be taken by placing a stone. Write for example c3 take red blue.",
        ),
        ("prefer", Unreadable, "Which colours? Write for example prefer red blue, or prefer none."),
        ("prefer green", MoveError, "Nobody plays Green here; the colours are black, white, red and blue."),
        ("c7 d8", Ambiguous, "Only one point can be played at a time: c7 or d8?"),
        ("hello", Unreadable, "'hello' isn't a move here. Write a point, for example a1, or pass, or resign."),
    ],
)
def test_refusals(typed: str, error: type[MoveError], told: str) -> None:
    with pytest.raises(error) as refused:
        POSITION.read(0, typed)
    assert str(refused.value) == told


@pytest.mark.parametrize("order", ["ally pink", "prefer", "c3 take", "pass take black"])
def test_an_example_names_only_colours_that_play(order: str) -> None:
    three = start("multigo-coop", 3, size="5")
    with pytest.raises(Unreadable, match=r"Write for example .*white red"):
        three.read(0, order)


def test_the_error_for_an_order_at_the_wrong_time_names_orders_that_fit() -> None:
    with pytest.raises(Unreadable, match=r"for example a1, or pass, or resign\."):
        POSITION.read(1, "zz")
    counting = POSITION
    while counting.phase == "play":
        counting = counting.play(counting.turns[0], "pass")
    with pytest.raises(Unreadable, match=r"'alone' isn't clear\. Say accept, resume, or the dead stones"):
        counting.play(0, counting.read(0, "alone"))


@pytest.mark.parametrize(
    "text", ["c7" + "," * 20_000 + "take", "take " * 5_000, "prefer" + ":" * 20_000, "2 x " * 5_000]
)
def test_long_nonsense_is_refused_quickly(text: str) -> None:
    with pytest.raises(MoveError):
        POSITION.read(0, text)
