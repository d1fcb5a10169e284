"""What a wish in words means, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.games import GAMES
from service.play.company.wish_text import Wanted, WishError, read, write

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("lotus", Wanted(("lotus",))),
        ("Rosette and lotus.", Wanted(("lotus", "rosette"))),
        ("lotus", Wanted(("lotus",), DAY, 7 * DAY, 2)),
        ("lotus, rosette 1d-7d up to 3", Wanted(("lotus", "rosette"), DAY, 7 * DAY, 3)),
        ("up to 1 game lotus", Wanted(("lotus",), most=1)),
        ("pillars of medusa, medusa", Wanted(("medusa", "pillars"))),
        ("multigo-parallel 12h to 3 days", Wanted(("multigo-parallel",), DAY / 2, 3 * DAY)),
        ("go 3d/move", Wanted(("go",), 3 * DAY, 3 * DAY)),
        ("go 36h to 3d", Wanted(("go",), 1.5 * DAY, 3 * DAY)),
        ("go 1d12h-2d 12h", Wanted(("go",), 1.5 * DAY, 2.5 * DAY)),
        ("go rating 1300-1700", Wanted(("go",), lowest=1300, highest=1700)),
        ("go opponents rated above 1300 no bots", Wanted(("go",), lowest=1300, bots=False)),
        ("go rating under 1700 rated=no", Wanted(("go",), highest=1700, rated=False)),
        ("any game bots", Wanted(tuple(GAMES))),
    ],
)
def test_a_wish_is_read_from_words(text: str, wanted: Wanted) -> None:
    assert read(text) == wanted
    assert read(write(wanted)) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Which games would you like to play?"),
        ("up to 3", "Which games would you like to play?"),
        ("chess", "'chess' isn't a game or a setting of a wish."),
        ("lotus quickly", "'quickly' isn't a game or a setting of a wish."),
        ("lotus 1d-7d 3d", "'3d' isn't a game or a setting of a wish."),
        ("lotus 7d-1d", "The shortest time for a move can't be longer than the longest one."),
        ("lotus 60d", "The time for a move can be from 1 hour to 30 days"),
        ("lotus 0d", "The time for a move can be from 1 hour to 30 days"),
        ("lotus 1d - 99999 weeks", "The time for a move can be from 1 hour to 30 days"),
        ("lotus up to 0", "You can look for 1 to 20 matches at once"),
        ("lotus up to 21", "You can look for 1 to 20 matches at once"),
        ("lotus rating 1700-1300", "Write the ratings from the lower to the higher one"),
        ("lotus rating 1300-99999", "Write the ratings from the lower to the higher one"),
        ("lotus up to three", "'up to three' isn't a game or a setting of a wish."),
    ],
)
def test_words_that_are_not_understood_are_refused(text: str, why: str) -> None:
    with pytest.raises(WishError, match=r".*") as refused:
        read(text)
    assert why in str(refused.value)
