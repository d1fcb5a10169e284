"""Events as people describe them in an email."""

from __future__ import annotations

import pytest

from service.clock.control import DEFAULT
from service.play.company import event_text
from service.play.company.events import EventError, Plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("Winter cup at lotus", Plan("Winter cup", "lotus", DEFAULT)),
        ("Winter cup lotus clock=3d/move", Plan("Winter cup", "lotus", "3d/move")),
        ("Lotus cup", Plan("Lotus cup", "lotus", DEFAULT)),
        ("The cup of Ada at Pillars of Medusa.", Plan("The cup of Ada", "pillars", DEFAULT)),
        ("Pillars of Medusa league", Plan("Pillars of Medusa league", "pillars", DEFAULT, kind="league")),
        ("go ladder rating=1300-", Plan("go ladder", "go", DEFAULT, lowest=1300, kind="ladder")),
        ("Slow league at go rating=-1700", Plan("Slow league", "go", DEFAULT, highest=1700, kind="league")),
        (
            "Grand tour clock=7d/move, weekends off rated=no",
            Plan("Grand tour", "medusa", "7d/move, weekends off", rated=False, kind="tour"),
        ),
        (
            "Big cup at multigo seats=4 rating=1200-1900",
            Plan("Big cup", "multigo", DEFAULT, 4, lowest=1200, highest=1900),
        ),
    ],
)
def test_a_description_becomes_an_event(text: str, plan: Plan) -> None:
    assert event_text.read(text) == plan


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Winter feast at lotus", "The name needs one of the words cup, league, ladder, tour."),
        ("Winter cup", "Which game? Write it like create Winter cup at medusa clock=3d/move."),
        ("Winter cup at chess", "Which game?"),
        ("Winter cup at lotus komi=3", "komi isn't a setting of an event."),
        ("Winter cup at lotus seats=all", "Write how many players each table has as a number"),
        ("Winter cup at lotus rating=good", "Write the ratings of those who may enter like rating=1300-1700"),
        ("Winter cup at lotus rated=maybe", "Write rated=yes or rated=no."),
    ],
)
def test_a_description_that_cannot_be_read_is_refused(text: str, why: str) -> None:
    with pytest.raises(EventError, match=why.replace("?", r"\?")):
        event_text.read(text)
