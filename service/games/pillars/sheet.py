"""Score sheets: a match as text in the style of PGN (Portable Game Notation, 1994), with the moves in our own letters.

```
[White "Ada"]
[Black "Bruno"]
[Result "1-0"]
[Variant "Pillars of Medusa"]

1. E3-E5 H10-H8 2. ME-C5 {White offers a draw.} G9-G7 … 1-0
```
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from service.engine.game import SUBSTITUTE, Game, Outcome, Position, Seat
from service.engine.record_formats import Entry, Format, Order, Record, complete
from service.games.pillars.position import PillarsPosition, first_position, replayed
from service.games.pillars.state import START

_WIDTH = 79
"""PGN 4.3: lines have at most 80 columns, including the line end."""
_RESULTS = {"1-0": Fraction(1), "0-1": Fraction(0), "1/2-1/2": Fraction(1, 2)}
_HEADER = re.compile(r'^[ \t]*+\[(\w+)[ \t]+"((?:[^"\\]|\\.)*+)"\][ \t]*+$', re.MULTILINE)
_TOKEN = re.compile(r"\{([^}]*+)(?:\}|\Z)|;[^\n]*|\$[0-9]+|[0-9]+\.+|([^\s{};$]+)")
_OFFER = re.compile(r"\s*(White|Black) (offers|declines) a draw\.?\s*")
_LOOKS = re.compile(r"\s*+(\[[A-Z]\w*+\s*+\"|1\s*+\.)")


class ScoreSheet(Format):
    """The sheets of this game."""

    suffix = "pgn"
    media_type = "application/vnd.chess-pgn"
    title = "score sheet (PGN)"

    def __init__(self, game: Game) -> None:
        self.game = game

    def recognises(self, text: str) -> bool:
        return _LOOKS.match(text) is not None

    def write(self, record: Record) -> str:
        start = first_position(record.options["setup"])
        said: list[str] = []
        last = start
        for entry in record.entries:
            after = last.play(entry.seat, entry.move)
            said += [*_said(last, entry.seat, entry.move, after), *_remark(entry.remark)]
            last = after if isinstance(after, PillarsPosition) else last
        result = _result(record.outcome)
        told = {"White": record.names[0] or "?", "Black": record.names[1] or "?", "Date": _day(record.entries)}
        told |= {"Result": result, "Variant": "Pillars of Medusa"}
        if record.outcome:
            told["Termination"] = record.outcome.reason
        if start.setup != START:
            told |= {"SetUp": "1", "FEN": start.setup}
        top = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in told.items())
        return f"{top}\n{_wrapped([*said, result])}\n"

    def read(self, text: str) -> Record:
        """Also reads sheets written by hand. A comment that isn't an offer is the remark of the move before it.

        If the moves don't lead to the result, `resign`, `timeout` or two `draw` are added.
        """
        headers = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _HEADER.findall(text)}
        options = {"setup": headers["FEN"]} if "FEN" in headers else {}
        names = [headers.get("White", ""), headers.get("Black", "")]
        line = next((found.count("\n") + 1 for found in text.split("[FEN", 1)[:-1]), 1)
        record = complete(self.game, options, names, _orders(text), line=line)
        return _closed(record, headers, _claim(text, headers))


# ---- writing


def _said(before: PillarsPosition, seat: Seat, move: str, after: Position) -> Iterator[str]:
    """The text of one order; empty for an accepted draw or a resignation, which the result shows, and for a
    substitute, which is no move. An offer that lapses with its player is declined in a sheet, which has no substitutes,
    or a later offer by the other side would accept it."""
    if move == SUBSTITUTE and before.offer == seat:
        seat, move = 1 - seat, "decline"
    if move in ("draw", "decline") and after.outcome is None:
        deed = "offers" if move == "draw" else "declines"
        yield f"{{{before.sides[seat].capitalize()} {deed} a draw.}}"
    elif isinstance(after, PillarsPosition) and move != SUBSTITUTE:
        number = f"{before.state.number}. " if seat == 0 else ""
        if seat == 1 and before.history.last is None:
            number = f"{before.state.number}... "
        yield f"{number}{move}{after.sign}"


def _remark(remark: str) -> Sequence[str]:
    """The words of a comment, between which lines may break. The quotation marks show that it isn't a draw offer, and
    no line begins with a bracket, as headers do."""
    words = " ".join(remark.replace("{", "(").replace("}", ")").split())
    return re.split(r" (?!\[)", f'{{"{words}"}}') if words else ()


def _day(entries: Sequence[Entry]) -> str:
    """The day of the first dated move, as PGN writes it."""
    return next((f"{entry.played:%Y.%m.%d}" for entry in entries if entry.played), "????.??.??")


def _wrapped(words: list[str]) -> str:
    """The words in lines; an offer isn't broken, and a number stays with its move."""
    glued = " ".join(word.replace(" ", "\N{NO-BREAK SPACE}") for word in words)
    lines = textwrap.fill(glued, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _result(outcome: Outcome | None) -> str:
    white = outcome.scores[0] if outcome else None
    return next((text for text, score in _RESULTS.items() if score == white), "*")


def _quoted(value: str) -> str:
    return " ".join(value.replace("\\", "\\\\").replace('"', '\\"').split())


# ---- reading


def _tokens(text: str) -> Iterator[tuple[int, str, str]]:
    """All text below the headers: line number, and either a comment or a word of the moves."""
    moves = _HEADER.sub(lambda header: "\n" * header[0].count("\n"), text)
    line, seen = 1, 0
    for token in _TOKEN.finditer(moves):
        line, seen = line + moves.count("\n", seen, token.start()), token.start()
        if token[1] or token[2]:
            yield line, token[1] or "", token[2] or ""


def _orders(text: str) -> Iterator[Order]:
    """Each move and offer, with the comments after it."""
    order: Order | None = None
    for line, comment, word in _tokens(text):
        offer = _OFFER.fullmatch(comment)
        if comment and not offer:
            words = " ".join(comment.split()).removeprefix('"').removesuffix('"')
            order = order and order._replace(remark=" ".join(filter(None, (order.remark, words))))
        elif word not in _RESULTS and word != "*":
            if order:
                yield order
            deed = "draw" if offer and offer[2] == "offers" else "decline"
            order = Order(line, f"{offer[1]}: {deed}" if offer else word)
    if order:
        yield order


def _claim(text: str, headers: Mapping[str, str]) -> str:
    """The result after the moves or, if there is none, in the header."""
    ends = [word for _, _, word in _tokens(text) if word in _RESULTS or word == "*"]
    return ends[-1] if ends else headers.get("Result", "*")


def _closed(record: Record, headers: Mapping[str, str], result: str) -> Record:
    """The record with the orders that lead to this result added, unless the moves already led to one."""
    if record.outcome is not None or result not in _RESULTS:
        return record
    position = replayed(first_position(record.options["setup"]), record.log)
    if result == "1/2-1/2":
        closing = [(seat, "draw") for seat in (0, 1) if seat != position.offer]
    else:
        late = headers.get("Termination") == "time"
        closing = [(int(result == "1-0"), "timeout" if late else "resign")]
    entries = [Entry(seat, move, position.round + number) for number, (seat, move) in enumerate(closing)]
    last = replayed(position, closing)
    return record._replace(entries=(*record.entries, *entries), outcome=last.outcome)
