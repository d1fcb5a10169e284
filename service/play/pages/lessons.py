"""Lessons: a few positions of each game with a task, and the result of each answer.

`templates/learn/<game>.toml` has the lesson of a game: `steps` in their order, `closing` words for those who have done
them, and `credits`, who invented the game, with a link. `Step` says what a step has.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

from service.config import ROOT
from service.engine.game import Draft, Outcome, Position, Seat
from service.engine.scene import Scene
from service.games import GAMES
from service.play.orders.submit import check_length
from service.play.pages import diagrams

PROBLEMS = "problems-"
"""The prefix of the name of a set of problems, before that of its game."""
STOCK = ROOT / "service" / "bots" / "problems"
LESSONS = ROOT / "templates" / "learn"


class LessonError(ValueError):
    """A lesson that can't be taught as it is written. The message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One position of a lesson, and a task to be solved there with one order.

    `options`, `seats` and `moves` lead to the position, as in `diagrams.played`; the seat whose turn it is there is the
    learner's. `right` are orders that solve the task, and so does any other that leads to the same position. `then` are
    moves of the others, which they make after the learner's. `wrong` has words of its own for some orders, and
    `otherwise` those for all others.
    """

    title: str
    text: str
    """What there is to know, as paragraphs without markup."""
    task: str
    right: tuple[str, ...]
    answer: str
    otherwise: str
    wrong: Mapping[str, str] = field(default_factory=dict)
    seats: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    moves: str = ""
    then: str = ""


class Credit(NamedTuple):
    """A sentence that says who made a game, with a link to read more."""

    words: str
    link: str
    label: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps of a lesson, counted from 1 wherever they are named."""

    game: str
    title: str
    steps: tuple[Step, ...]
    closing: tuple[str, ...]
    credits: tuple[Credit, ...]

    name: str = ""
    """`problems-GAME` for a set of problems, otherwise the game's name."""

    @property
    def has_problems(self) -> bool:
        """Whether its steps are problems, in no particular order and without words."""
        return self.name.startswith(PROBLEMS)

    def step(self, number: int) -> Step | None:
        """The step with this number, if there is one."""
        return self.steps[number - 1] if 0 < number <= len(self.steps) else None


class Tried(NamedTuple):
    """The result of an answer: the order as read, words about it, and the board after it."""

    move: str
    is_right: bool
    words: str
    scene: Scene


def number(game: str) -> int:
    """The number of a lesson, from 1, which signed addresses have instead of its name."""
    return 1 + int.from_bytes(blake2b(game.encode(), digest_size=2).digest())


def numbered(wanted: int) -> Lesson | None:
    """The lesson with this number."""
    names = (*GAMES, *(f"{PROBLEMS}{game}" for game in with_problems()))
    return next((lesson(name) for name in names if number(name) == wanted), None)


@cache
def with_problems() -> tuple[str, ...]:
    """The games that have problems."""
    return tuple(game for game in GAMES if (STOCK / f"{game}.json").exists())


def weekly(issue: int) -> tuple[Lesson, int]:
    """The problem that an issue of the gazette sets: the stock and the number in it. Each week it's another game's."""
    games = with_problems()
    stock = lesson(f"{PROBLEMS}{games[issue % len(games)]}")
    return stock, 1 + issue // len(games) % len(stock.steps)


def _problems(game: str) -> Lesson:
    """The problems of a game: those of `service/bots/problems`, whose right moves and lines a deep search has found."""
    found = json.loads((STOCK / f"{game}.json").read_text())
    steps = tuple(
        Step(
            title=f"Problem {place}",
            text="",
            task=one["task"],
            right=tuple(one["moves"]),
            answer=", ".join(one["line"]),
            otherwise="",
            options=one["setup"] if isinstance(one["setup"], dict) else {"setup": one["setup"]},
        )
        for place, one in enumerate(found, start=1)
    )
    return Lesson(game, GAMES[game].title, steps, (), (), f"{PROBLEMS}{game}")


@cache
def lesson(game: str) -> Lesson:
    """The lesson of a game, or with `problems-` before its name its problems. Raises LessonError."""
    if game.startswith(PROBLEMS):
        return _problems(game.removeprefix(PROBLEMS))
    try:
        given = tomllib.loads((LESSONS / f"{game}.toml").read_text())
        steps = tuple(Step(**_flowing(step)) for step in given["steps"])
        made = tuple(Credit(**credit) for credit in given["credits"])
        return Lesson(game, GAMES[game].title, steps, _paragraphs(given["closing"]), made, game)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise LessonError(f"templates/learn/{game}.toml: {error}") from error


def position(game: str, step: Step) -> Position:
    """The position of a step."""
    return _reached(game, step.moves, step.seats, tuple(sorted(step.options.items())))


def draft(game: str, step: Step, text: str) -> Draft:
    """An order being built there; raises MoveError."""
    check_length(text)
    here = position(game, step)
    return here.draft(here.turns[0], text)


def tried(game: str, step: Step, text: str) -> Tried:
    """The result of the order `text`; raises MoveError with the reason if it can't be played."""
    check_length(text)
    here = position(game, step)
    seat = here.turns[0]
    move = here.read(seat, text)
    after = here.play(seat, move)
    is_right = _is_right(here, seat, step, move)
    words = step.answer if is_right else _words(here, seat, step, move)
    # With simultaneous moves, a choice shows what it does only once the others have chosen too.
    if is_right or len(here.public_turns) > 1:
        after = _followed(after, step.then)
    return Tried(move, is_right, words, after.view(seat))


@cache
def _reached(game: str, moves: str, seats: int, options: tuple[tuple[str, str], ...]) -> Position:
    return diagrams.played(game, moves, seats, dict(options))


def _is_right(here: Position, seat: Seat, step: Step, move: str) -> bool:
    """Whether an order leads to the same position and result as one of the right ones."""

    def led_to(order: str) -> tuple[str, Outcome | None]:
        after = here.play(seat, order)
        # A choice that is still sealed leaves nothing to compare.
        after = _followed(after, step.then) if len(here.public_turns) > 1 else after
        return after.setup, after.outcome

    return led_to(move) in [led_to(here.read(seat, text)) for text in step.right]


def _words(here: Position, seat: Seat, step: Step, move: str) -> str:
    return next((words for text, words in step.wrong.items() if here.read(seat, text) == move), step.otherwise)


def _followed(after: Position, moves: str) -> Position:
    for move in diagrams.split(moves):
        if not after.turns:
            break
        seat = after.turns[0]
        after = after.play(seat, after.read(seat, move))
    return after


def _flowing(step: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `Step`, with sentences that don't have the line breaks of the file."""
    told = dict(step)
    for name in ("title", "task", "answer", "otherwise"):
        told[name] = " ".join(told[name].split())
    told["text"] = "\n".join(_paragraphs(told["text"]))
    told["wrong"] = {move: " ".join(words.split()) for move, words in told.get("wrong", {}).items()}
    told["right"] = tuple(told["right"])
    return told


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))
