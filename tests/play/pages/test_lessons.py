"""The lessons: every position can be set up, every right order is legal, and every wrong one gets its reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.engine.game import MoveError
from service.games import GAMES
from service.play.pages import diagrams, lessons
from service.play.pages.lessons import Step

STEPS = [(game, number) for game in GAMES for number in range(1, len(lessons.lesson(game).steps) + 1)]


def there(game: str, number: int) -> Step:
    step = lessons.lesson(game).step(number)
    assert step is not None
    return step


def test_every_game_has_a_lesson_of_five_to_eight_steps_and_every_lesson_a_game() -> None:
    assert {path.stem for path in lessons.LESSONS.glob("*")} == {*GAMES}
    lengths = {game: len(lessons.lesson(game).steps) for game in GAMES}
    assert {game: length for game, length in lengths.items() if not 5 <= length <= 8} == {}


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_takes_three_minutes(game: str) -> None:
    """At 240 words a minute, with the right answers, and four seconds for the move in each step."""
    steps = lessons.lesson(game).steps
    words = sum(len(f"{step.title} {step.text} {step.task} {step.answer}".split()) for step in steps)
    assert words / 240 * 60 + 4 * len(steps) <= 180


@pytest.mark.parametrize("game", GAMES)
def test_the_inventors_of_a_game_are_named_with_a_link(game: str) -> None:
    made = lessons.lesson(game).credits
    assert INVENTORS.get(game.partition("-")[0], "") in made[0].words
    assert all(credit.words.endswith(".") for credit in made)
    assert all(re.fullmatch(r"https?://\S+", credit.link) and credit.label for credit in made)


INVENTORS = {
    "medusa": "Christian Freeling",
    "lotus": "Christian Freeling",
    "rosette": "Mark Berger",
    "pillars": "Gary K. Gifford",
    "multigo": "J. P. Neto",
    "go": "Nobody knows who invented Go",
}


@pytest.mark.parametrize(("game", "number"), STEPS)
def test_the_right_order_can_be_played_and_gets_the_right_answer(game: str, number: int) -> None:
    step = there(game, number)
    for order in step.right:
        tried = lessons.tried(game, step, order)
        assert (tried.is_right, tried.words) == (True, step.answer)
        assert lessons.draft(game, step, order).complete
    assert not {*step.right} & {*step.wrong}


@pytest.mark.parametrize(("game", "number"), STEPS)
def test_a_wrong_order_gets_a_reason(game: str, number: int) -> None:
    """Its own words, or those for all others; and no other legal order is right by accident."""
    step = there(game, number)
    for order, words in step.wrong.items():
        assert lessons.tried(game, step, order)[1:3] == (False, words)
    position = lessons.position(game, step)
    right = {position.read(position.turns[0], order) for order in step.right}
    special = {position.read(position.turns[0], order) for order in step.wrong}
    others = [move for move in position.moves(position.turns[0]) if move not in right | special]
    for move in others[:: max(1, len(others) // 4)]:
        tried = lessons.tried(game, step, move)
        assert (move, tried.is_right, tried.words) == (move, False, step.otherwise)


@pytest.mark.parametrize(("game", "number"), STEPS)
def test_the_task_addresses_the_side_that_is_to_move(game: str, number: int) -> None:
    step = there(game, number)
    position = lessons.position(game, step)
    assert step.task.startswith(f"You're {position.sides[position.turns[0]].capitalize()}")


@pytest.mark.parametrize(("game", "number"), STEPS)
def test_illegal_orders_are_refused_with_the_reason(game: str, number: int) -> None:
    for text in ("nonsense", "z99", "x" * 5_000):
        with pytest.raises(MoveError, match=r".{10,}"):
            lessons.tried(game, there(game, number), text)


def test_an_order_that_leads_to_the_same_position_is_right_too() -> None:
    """Here the colours are named in the other order, which changes nothing."""
    tried = lessons.tried("multigo-coop", there("multigo-coop", 4), "h8 take white blue")
    assert tried.is_right


@pytest.mark.parametrize(
    ("game", "number", "order"),
    [
        ("multigo-coop", 3, "h8 take blue white"),
        ("multigo-parallel-coop", 1, "e7 take white"),
        ("multigo-parallel-coop", 2, "e8 take blue red"),
        ("multigo-parallel-coop", 3, "j3 take black"),
        ("multigo-parallel-coop", 4, "j3 take black"),
    ],
)
def test_naming_colours_as_well_solves_a_task_that_asks_only_for_the_point(game: str, number: int, order: str) -> None:
    step = there(game, number)
    tried = lessons.tried(game, step, order)
    assert (tried.is_right, tried.words) == (True, step.answer)


@pytest.mark.parametrize(("game", "number"), [found for found in STEPS if "parallel" in found[0]])
def test_no_other_choice_in_a_simultaneous_game_is_right_by_accident(game: str, number: int) -> None:
    step = there(game, number)
    position = lessons.position(game, step)
    if position.phase == "alliances":
        choices = ["alone", "ally red", "ally blue", "ally white red", "ally white red blue"]
    else:
        choices = [*position.moves(position.turns[0])]
    for order in {*choices} - {*step.right}:
        assert not lessons.tried(game, step, order).is_right, order


def test_a_turn_that_is_void_is_not_described_as_a_loss() -> None:
    """If White passes as well, Red's stone alone would leave the board as it was, so it isn't even placed."""
    tried = lessons.tried("multigo-parallel", there("multigo-parallel", 4), "pass")
    assert "The turn is void" in tried.scene.notes[0]
    assert "void" in tried.words
    assert "lost" not in tried.words


def test_colours_other_than_those_asked_for_are_not_called_missing() -> None:
    tried = lessons.tried("multigo-coop", there("multigo-coop", 4), "h8 take white white")
    assert not tried.is_right
    assert "needs its colours" not in tried.words


def test_a_jump_is_not_called_a_placement() -> None:
    """It moves the marker as well, but takes a stone out of the wall."""
    tried = lessons.tried("medusa", there("medusa", 7), "c1-e1")
    assert not tried.is_right
    assert "Place no stone" not in tried.words


@pytest.mark.parametrize(("number", "order"), [(3, "d5-g5"), (3, "e5-g5"), (4, "k8-k11"), (4, "k9-k11")])
def test_every_jump_that_does_what_the_task_asks_is_right(number: int, order: str) -> None:
    """It takes the stone on h5 without a placement, or completes the rosette."""
    step = there("medusa", number)
    tried = lessons.tried("medusa", step, order)
    assert (tried.is_right, tried.words) == (True, step.answer)


@pytest.mark.parametrize(("game", "number"), [found for found in STEPS if "parallel" in found[0]])
def test_words_about_the_choices_of_others_hold_where_they_collide_with_the_learners(game: str, number: int) -> None:
    step = there(game, number)
    position = lessons.position(game, step)
    if position.phase == "play":
        others = {*diagrams.split(step.moves), *diagrams.split(step.then)}
        for order in others - {"pass", *step.right}:
            assert "as well, so neither" in lessons.tried(game, step, order).words, order


def test_an_alliance_with_enough_points_is_not_called_too_weak() -> None:
    for game in ("multigo-coop", "multigo-parallel-coop"):
        for order in ("ally white blue", "ally white red", "ally red blue", "ally white red blue"):
            tried = lessons.tried(game, there(game, 5), order)
            assert not tried.is_right
            assert "30.8" not in tried.words


def test_with_simultaneous_moves_a_wrong_choice_shows_what_the_others_chose() -> None:
    """White's d7 is revealed, and captures c7."""
    tried = lessons.tried("multigo-parallel", there("multigo-parallel", 1), "a1")
    assert not tried.is_right
    assert "Placed at the same time: Black a1, White d7." in tried.scene.notes


@pytest.mark.parametrize(
    ("game", "number", "facts"),
    [
        ("rosette", 4, {"Prisoners": "Black 4, White 0"}),
        ("rosette", 7, {"Points": "Black 7, White 5.5"}),
        ("go", 6, {"Points": "Black 45, White 43.5"}),
        ("pillars", 2, {"Stone": "White none, Black A9 A10 C10 A11 C11"}),
        ("pillars", 3, {"Stone": "White none, Black C10 D10 D11"}),
        ("multigo", 2, {"Eliminated": "white 1"}),
        ("multigo", 6, {"Points": "Black 13, White 15, Red 17, Blue 11"}),
        ("multigo-coop", 3, {"Prisoners": "Black: blue 1; Red: white 2"}),
        ("multigo-parallel", 4, {"Eliminated": "black 6"}),
        ("multigo-parallel-coop", 2, {"Prisoners": "Black: red 1, blue 1; White: red 1, blue 1"}),
    ],
)
def test_the_numbers_in_an_answer_agree_with_the_position(game: str, number: int, facts: dict[str, str]) -> None:
    step = there(game, number)
    assert facts.items() <= dict(lessons.tried(game, step, step.right[0]).scene.facts).items()


def test_the_seki_in_the_lesson_is_a_seki() -> None:
    """A player who plays on either point is captured from the other, and no group there can move."""
    step = there("medusa", 6)
    for turn, seat in (("black", 0), ("white", 1)):
        setup = f"{step.options['setup']}; turn: {turn}"
        start = GAMES["medusa"].start(base="4", setup=setup)
        assert [move for move in start.moves(seat) if "-" in move] == []
        for cell, other in (("a2", "b1"), ("b1", "a2")):
            after = start.play(seat, cell)
            assert after.occupants[cell] == turn
            assert after.play(1 - seat, other).occupants[cell] != turn


@pytest.mark.parametrize("number", [5, 7, 8])
def test_only_one_move_of_a_problem_mates(number: int) -> None:
    step = there("pillars", number)
    position = lessons.position("pillars", step)
    seat = position.turns[0]
    mates = [move for move in position.moves(seat) if position.play(seat, move).outcome]
    assert mates == [position.read(seat, step.right[0])]


def test_the_sacrifice_in_the_second_problem_has_to_be_captured() -> None:
    step = there("pillars", 6)
    position = lessons.position("pillars", step)
    assert [*position.play(1, "S-I1").moves(0)] == ["MAxI1"]
    followed = position.play(1, "S-I1").play(0, "MAxI1")
    assert followed.occupants == lessons.position("pillars", there("pillars", 7)).occupants


def test_the_chase_goes_on_from_step_to_step() -> None:
    for number in (2, 3):
        step, following = there("rosette", number), there("rosette", number + 1)
        after = lessons.position("rosette", step).play(0, step.right[0]).play(1, step.then)
        start = GAMES["rosette"].start(2, 0, **following.options)
        assert start.occupants == after.occupants


@pytest.mark.parametrize("text", ["steps = [", "closing = []", 'steps = [{nonsense = 1}]\ncredits = []\nclosing = ""'])
def test_a_lesson_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / "go.toml").write_text(text)
    monkeypatch.setattr(lessons, "LESSONS", tmp_path)
    with pytest.raises(lessons.LessonError, match=r"^templates/learn/go\.toml: "):
        lessons.lesson.__wrapped__("go")
