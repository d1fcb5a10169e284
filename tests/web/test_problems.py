"""Problems as pages."""

from __future__ import annotations

from service.play.pages import lessons
from tests.web.conftest import Visitor

STEP = lessons.lesson("problems-pillars").steps[1]
RIGHT = STEP.right[0]
HERE = lessons.position("pillars", STEP)
WRONG = next(move for move in HERE.moves(0) if move != RIGHT)


def test_problems_are_numbered_from_one() -> None:
    titles = [step.title for step in lessons.lesson("problems-pillars").steps]
    assert titles == [f"Problem {number}" for number in range(1, len(titles) + 1)]


def test_a_problem_is_solved_in_words_and_by_the_script(anybody: Visitor) -> None:
    assert "Pillars of Medusa : 34 problems" in anybody.read("/problems")
    assert "White mates in two." in anybody.read("/problems/pillars/2")
    assert "Right. It could go on like this:" in anybody.read(f"/problems/pillars/2?move={RIGHT}")
    assert "Not quite. Something else is much better." in anybody.read(f"/problems/pillars/2?move={WRONG}")
    assert anybody.get("/problems/pillars/2?move=nonsense").status_code == 422
    found = anybody.get(f"/problems/pillars/2/try?text={RIGHT}").json
    assert found is not None
    assert found["judged"]
    assert "Pillars of Medusa, problem 1 of" in anybody.read("/problems/pillars")
    assert anybody.get("/problems/pillars/99").status_code == 404
    assert anybody.get("/problems/multigo").status_code == 404
