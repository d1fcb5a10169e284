"""Score sheets: a match as text in the manner of PGN (Portable Game Notation, 1994), the moves in our own letters.

```
[White "Ada"]
[Result "1-0"]
[Variant "Pillars of Medusa"]

1. E3-E5 H10-H8 2. ME-C5 {White offers a draw.} G9-G7 … 1-0
```
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from fractions import Fraction

from service.engine.game import Log, MoveError, Outcome, Position, Seat, Sheet
from service.engine.record import RecordError
from service.games.pillars.position import PillarsPosition, first_position, played, replayed
from service.games.pillars.state import START

_WIDTH = 79
"""PGN 4.3: no line of a sheet is longer than 80 columns, its end included."""
_RESULTS = {"1-0": Fraction(1), "0-1": Fraction(0), "1/2-1/2": Fraction(1, 2)}
_HEADER = re.compile(r'^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$', re.MULTILINE)
_TOKEN = re.compile(r"\{([^}]*)\}|;[^\n]*|\$[0-9]+|[0-9]+\.+|([^\s{};$]+)")
_OFFER = re.compile(r"\s*(White|Black) offers a draw\.?\s*")


def write_sheet(start: Position, log: Log, headers: Mapping[str, str], outcome: Outcome | None = None) -> str:
    """The sheet of a match; `headers` (names, dates …) come first. `outcome` is for an end no move made: time."""
    said: list[str] = []
    last = replayed(start, ())
    for seat, move in log:
        after = played(last, seat, move)
        said += _said(last, seat, move, after)
        last = after
    outcome = outcome or last.outcome
    result = _result(outcome)
    told = {**headers, "Result": result, "Variant": "Pillars of Medusa"}
    if outcome:
        told["Termination"] = outcome.reason
    if start.setup != START:
        told |= {"SetUp": "1", "FEN": start.setup}
    top = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in told.items())
    return f"{top}\n{_wrapped([*said, result])}\n"


def _said(before: PillarsPosition, seat: Seat, move: str, after: PillarsPosition) -> Iterator[str]:
    """The words of one order. Who accepts a draw and who resigns, the result tells."""
    if move == "draw" and after.outcome is None:
        yield f"{{{before.sides[seat].capitalize()} offers a draw.}}"
    elif move not in ("draw", "resign"):
        number = f"{before.state.number}. " if seat == 0 else ""
        if seat == 1 and before.history.last is None:
            number = f"{before.state.number}... "
        yield f"{number}{move}{after.sign}"


def _wrapped(words: list[str]) -> str:
    """The words in lines; a comment stays whole, and a number with its move."""
    glued = " ".join(word.replace(" ", "\N{NO-BREAK SPACE}") for word in words)
    lines = textwrap.fill(glued, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _result(outcome: Outcome | None) -> str:
    white = outcome.scores[0] if outcome else None
    return next((text for text, score in _RESULTS.items() if score == white), "*")


def _quoted(value: str) -> str:
    return " ".join(value.replace("\\", "\\\\").replace('"', '\\"').split())


def read_sheet(text: str) -> Sheet:
    """The inverse of `write_sheet`, which also reads sheets written by hand; comments other than offers are dropped.

    A result that the moves do not bring about is made by `resign` or by two `draw`; not so if time ran out. Raises
    OptionError on a bad setup, RecordError on a bad move.
    """
    headers = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _HEADER.findall(text)}
    options = {"setup": headers["FEN"]} if "FEN" in headers else {}
    position = first_position(headers.get("FEN", ""))
    log: list[tuple[Seat, str]] = []
    result = headers.get("Result", "*")
    for line, speaker, order in _orders(text):
        if order in _RESULTS or order == "*":
            result = order
            continue
        seat = position.seat if speaker is None else speaker
        try:
            move = position.read(seat, order)
            position = played(position, seat, move)
        except MoveError as error:
            raise RecordError(len(log) + 1, line, error) from None
        log.append((seat, move))
    if headers.get("Termination") != "time":
        log += _closing(position, result)
    return Sheet(headers, options, tuple(log))


def _orders(text: str) -> Iterator[tuple[int, Seat | None, str]]:
    """Line number, the seat if the sheet says whose order it is, and the order, of all that is played."""
    moves = _HEADER.sub(lambda header: "\n" * header[0].count("\n"), text)
    for token in _TOKEN.finditer(moves):
        line = moves.count("\n", 0, token.start()) + 1
        offer = _OFFER.fullmatch(token[1] or "")
        if offer:
            yield line, 0 if offer[1] == "White" else 1, "draw"
        elif token[2]:
            yield line, None, token[2]


def _closing(position: PillarsPosition, result: str) -> list[tuple[Seat, str]]:
    """The orders by which the players themselves made this result, if the moves did not."""
    if position.outcome is not None or result == "*":
        return []
    if result == "1/2-1/2":
        return [(seat, "draw") for seat in (0, 1) if seat != position.history.offer]
    return [(1 if result == "1-0" else 0, "resign")]
