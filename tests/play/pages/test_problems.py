"""The problems: each can be set up and solved, on the web and by email."""

from __future__ import annotations

import pytest

from service.play.pages import lessons
from tests.play.conftest import Town

STOCKS = {game: lessons.lesson(f"problems-{game}") for game in lessons.with_problems()}
ALL = [(game, number) for game, stock in STOCKS.items() for number in range(1, len(stock.steps) + 1)]


@pytest.mark.parametrize(("game", "number"), ALL)
def test_only_its_own_line_solves_a_problem(game: str, number: int) -> None:
    step = STOCKS[game].step(number)
    assert step is not None
    position = lessons.position(game, step)
    side = position.sides[position.turns[0]]
    assert step.task.startswith(side.capitalize())
    assert lessons.tried(game, step, step.right[0]).is_right
    other = next(move for move in position.moves(position.turns[0]) if move not in (*step.right, "pass"))
    assert not lessons.tried(game, step, other).is_right
    for move in step.answer.split(", "):
        position = position.play(position.turns[0], move)


def test_lessons_and_problems_have_different_numbers_in_signed_addresses() -> None:
    for name in ("pillars", "problems-pillars"):
        found = lessons.numbered(lessons.number(name))
        assert found is not None
        assert found.name == name
    assert lessons.numbered(70_000) is None


def test_a_problem_is_tried_by_email_until_it_is_solved(town: Town) -> None:
    (letter,) = town.write("ada@example.org", "problem pillars 2")
    assert "problem 2 of" in str(letter.get_body(("plain",)))
    town.reply(letter, "K-F2")
    (again,) = town.post()
    body = again.get_body(("plain",))
    assert body is not None
    assert "That can't be played." in body.get_content() or "Something else is much better." in body.get_content()
    assert "problem 2 of" in body.get_content()
    step = STOCKS["pillars"].step(2)
    assert step is not None
    town.reply(again, step.right[0])
    (solved,) = town.post()
    body = solved.get_body(("plain",))
    assert body is not None
    assert "Right. It could go on like this:" in body.get_content()
    assert "problem 3 of" in body.get_content()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("problem multigo", "There are no problems of Multiplayer Go, only of "),
        ("problem pillars 99", "There are 34 problems: write problem pillars 34."),
        ("problem chess", "There's no game called 'chess' here."),
    ],
)
def test_the_answer_about_a_problem_that_doesnt_exist(town: Town, line: str, sentence: str) -> None:
    (letter,) = town.write("ada@example.org", line)
    body = letter.get_body(("plain",))
    assert body is not None
    assert sentence in " ".join(body.get_content().split())
