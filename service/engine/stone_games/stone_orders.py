"""What people type for a move of stones, read liberally: `G-14`, `play g14.`, `Dead: c3, f7`."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.engine.board import Board
from service.engine.excerpt import told
from service.engine.game import Ambiguous, Illegal, MoveError, Unreadable
from service.engine.options import Word

WORDS = ("pass", "resign", "accept", "resume")
"""The one-word moves that all games of stones share."""

STONE = Word("c7", "Place a stone there.")
PASS = Word("pass", "Don't place a stone.")
AGREEMENT = (
    Word("accept", "Agree that the stones proposed are dead. Once all agree, the board is counted.", "scoring"),
    Word("dead c3 f7", "Propose other dead stones instead; one stone names its whole chain.", "scoring"),
    Word("dead none", "Propose that no stone is dead.", "scoring"),
    Word("resume", "Play on. When play ends again, the board is counted as it is.", "scoring"),
)
"""The orders for the agreement once play has ended (engine/README.md, "Words")."""

# Patterns are compiled when they are first used, and kept by `re`: code that only lists games doesn't pay for them.

_LEAD = (
    r"^(?:(?:i|we|my)\s+(?=[a-z]))?"  # But not `i 14`, which is a point.
    r"(?:(?:play|move|choose|order)s?(?:\s+is)?(?:\s+at)?(?:\s*[:=]\s*|\s+))?"
)
MOST_NAMED = 20
"""The most points quoted in an error about an order that names several."""

_NAME = r"([a-z])[\s-]?0*([1-9]\d?)"
_NAMES = r"\b([a-z])[\s-]?0*([1-9]\d?)\b"


def tidy(text: str) -> str:
    """`text` in lower case, with single spaces, without a leading `play` or `my move is` or punctuation around it."""
    words = " ".join(text.lower().split()).strip(" .,;:!?\"'`()[]*>")
    return re.sub(_LEAD, "", words, count=1)


def point_names(text: str) -> list[str]:
    """All the names in tidied `text` that could be points, in canonical form, on the board or not."""
    return [letter + number for letter, number in re.findall(_NAMES, text)]


def read_order(text: str, example: Callable[[], str]) -> str:
    """One point name (on this board or not), a word, or `dead …`. Raises Unreadable or Ambiguous.

    `example` returns a legal move for the message.
    """
    order = tidy(text)
    if order in WORDS:
        return order
    whole = re.fullmatch(_NAME, order)
    if whole:
        return whole[1] + whole[2]
    names = point_names(order)
    if re.match(r"dead\b", order):
        return _read_dead(order, names)
    names = [*dict.fromkeys(names)][:MOST_NAMED]
    if len(names) > 1 and not re.sub(r"[\s,;/-]|\bor\b|\band\b", "", re.sub(_NAMES, "", order)):
        raise Ambiguous(f"Only one point can be played at a time: {' or '.join(names)}?", tuple(names))
    hint = f"Did you mean {names[0]}? Write it alone" if len(names) == 1 else f"Write a point, for example {example()}"
    also = "or resign" if hint.endswith(" pass") else "or pass, or resign"
    raise Unreadable(f"{told(text)} isn't a move here. {hint}, {also}.")


def _read_dead(order: str, names: list[str]) -> str:
    rest = re.sub(r"[\s,;:/-]|\band\b", "", re.sub(_NAMES, "", order.removeprefix("dead")))
    if names and not rest:
        return f"dead {' '.join(names)}"
    if not names and rest in ("none", "nothing"):
        return "dead none"
    raise Unreadable(
        f"{told(order)} is not clear. Name one stone of each dead chain, such as dead c3 f7, or dead none."
    )


def refusal(board: Board, move: str) -> MoveError:
    """Why `move`, which is neither a point of `board` nor pass, can't be played before play has ended."""
    if move in ("accept", "resume") or move.startswith("dead "):
        return Illegal(f"Play hasn't ended yet, and {move.split()[0]} is for the end. Play a point, or pass.")
    if re.fullmatch(r"[a-z][1-9][0-9]?", move):
        return Illegal(f"There's no point {move} on this board. {span(board, move)}")
    return Unreadable(f"{told(move)} isn't a move here. Write a point, pass, or resign.")


def span(board: Board, name: str) -> str:
    """The range of the numbers after the letter of a wrong cell name or, if the letter is wrong, of all names."""
    letter = name[0]
    letters = sorted({name[0] for name in board.names})
    if letter in letters:
        own = [int(name[1:]) for name in board.names if name[0] == letter]
        return f"The numbers after {letter} go from {min(own)} to {max(own)}."
    if letters[0] < letter < letters[-1]:
        return f"Columns go from {letters[0]} to {letters[-1]} and skip {letter}, as on every Go board."
    numbers = [int(name[1:]) for name in board.names]
    return f"Letters go from {letters[0]} to {letters[-1]}, numbers from {min(numbers)} to {max(numbers)}."
