"""Prose is never a move: 2,000 remarks made of the words of orders, below every kind of first line in every game.

Each game gets that many with STONEPOST_CASES=full, otherwise 60.
"""

from __future__ import annotations

import random
import textwrap
from functools import partial

import pytest

from service.engine.game import Game, Position
from service.games import GAMES
from service.mail.grammar import command_lines, command_words
from service.mail.grammar.reading import Reading, parse
from service.mail.parsing.read import read
from service.play.orders import alternatives
from tests.cases import cases

SEED = 20270930
REMARKS = cases(60, full=2_000)
"""The number of remarks for each game."""
ENDS = ("", "-- \nAda", "On Saturday, Stonepost wrote:\n> pass\n> {move}")
SENTENCES = (
    "I think your best answer to {move} should be to {word} here and now.",
    "This line nearly always ends in a {word} but let us see what you make of {move}.",
    "If you play {move} then {other} looks weak to me, and I would rather {word}.",
    "You could take it, and I {word}, or {move}, or {other} if you like that better.",
    "My teacher used to say {word} when somebody played {move} against {other}.",
    "After {move} if you {word} then I {word} too; that is what accept and decline are for.",
    "Last week I wanted to {word} in this position, or even resign, and then saw {move}.",
    "Do you accept that {move} was a mistake, or shall we show {other} to the others?",
    "In the book it is {move} {other} {move} and then a draw, but never {word}.",
    "Let us pause until the weekend, undo nothing, and see whether {move} holds.",
    "Good luck with {other}, and say hello to Eva from me, if then you still {word}.",
)


def first_lines(moves: list[str]) -> list[str]:
    orders = [
        moves[0],
        f"{moves[0]}!",
        f"move {moves[1]}",
        f"{moves[0]}; if {moves[1]} then {moves[2]}",
        "pass",
        "draw",
    ]
    more = [
        "accept",
        "resign",
        "show",
        f"preview {moves[0]}",
        "status",
        "help",
        "takeback",
        "pause",
        "undo",
        "extend 2d",
    ]
    return [*orders, f"if {moves[0]} then {moves[1]}", f"standing {moves[0]} or pass", *more]


def prose(chance: random.Random, moves: list[str]) -> str:
    """Two to five sentences."""
    written = []
    for sentence in chance.sample(SENTENCES, chance.randint(2, 5)):
        words = {"word": chance.choice(["pass", "draw", "resign", "accept", "wait", "say"])}
        written.append(sentence.format(move=chance.choice(moves), other=chance.choice(moves), **words))
    return " ".join(written)


def sent(text: str, flowed: bool) -> bytes:
    head = "From: ada@example.org\nMessage-ID: <1@example.org>\nContent-Type: text/plain; charset=utf-8"
    return f"{head}{'; format=flowed' if flowed else ''}\n\n{text}\n".encode()


def broken(text: str, width: int, flowed: bool) -> str:
    return (" \n" if flowed else "\n").join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def as_read(raw: bytes, position: Position) -> Reading:
    return parse("", read(raw).text, partial(is_move, position))


def is_move(position: Position, text: str) -> bool:
    return command_lines.is_order(text, partial(alternatives.is_readable, position, position.turns[0]))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_only_the_first_line_of_an_email_with_prose_below_it_is_obeyed(game: Game) -> None:
    position = game.start()
    chance = random.Random(f"{SEED} {game.name}")
    moves = chance.sample([move for move in position.moves(position.turns[0]) if move != "pass"], 5)
    firsts = first_lines(moves)
    for number in range(REMARKS):
        first, width, flowed = firsts[number % len(firsts)], 30 + number % 49, number % 2 == 1
        remark = prose(chance, moves)
        end = chance.choice(ENDS).format(move=moves[0])
        mail = sent(f"{first}\n{broken(remark, width, flowed)}\n\n{end}", flowed)
        found = as_read(mail, position)
        assert [line.text for line in found.lines] == [first], mail.decode()
        assert " ".join(found.remark.split()) == remark, mail.decode()


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_nothing_below_a_message_is_obeyed(game: Game) -> None:
    position = game.start()
    chance = random.Random(f"{SEED} say {game.name}")
    moves = chance.sample([move for move in position.moves(position.turns[0]) if move != "pass"], 5)
    for number in range(REMARKS):
        width, flowed = 30 + number % 49, number % 2 == 1
        remark = prose(chance, moves)
        last = chance.choice(["", moves[0], "pass", "draw", "resign", "accept", "show", f"move {moves[1]}"])
        to = "to white: " if number % 3 else ""
        mail = sent(f"say {to}{broken(remark, width, flowed)}\n{last}", flowed)
        (line,) = as_read(mail, position).lines
        assert line.command is command_words.named("say")
        assert " ".join(line.rest.split()) == f"{to}{remark} {last}".strip(), mail.decode()
