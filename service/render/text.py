"""The board as plain text, for emails and terminals, and the reading of such text.

Every cell is one character: a piece's symbol, `.` if empty, or a small letter for territory. The character to its left
is a sign, such as `[` for the last move; signs that don't fit there are described below the board.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from service.engine.board import Board
from service.engine.scene import STONES, Scene
from service.render.art.cell_look import MARK_WORDS, Look, look

WIDTH = 72
"""The most columns of a text board, so that emails quoted once or twice stay below 78 (RFC 5322)."""

SIGNS = {
    "last": "[",
    "ghost": "(",
    "check": "+",
    "dead": "_",
    "reversed": "%",
    "captured": "*",
    "origin": "<",
    "petrified": "#",
    "morph": "~",
}
"""The sign to the left of a cell; if several fit, the first of these."""
CLOSING = {"[": "]", "(": ")"}
WORDS = MARK_WORDS | {"petrified": "stone", "morph": "Morph"}


class Seen(NamedTuple):
    """One cell read from text: its symbol or ".", its marks (with `petrified` and `morph`), and its owner."""

    symbol: str = "."
    marks: frozenset[str] = frozenset()
    owner: str = ""


@lru_cache(maxsize=64)
def _page(board: Board) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The empty board as a list of characters, including line ends, and the index of each cell in it."""
    left = min(0, min(column for _, column in board.text_at) - 1)
    words = [(row, column - left, ".") for row, column in board.text_at]
    words += [(row, column - left, label) for row, column, label in board.text_labels]
    width = max(column + len(word) for _, column, word in words) + 1
    height = max(row for row, _, _ in words) + 1
    page = ([" "] * width + ["\n"]) * height
    for row, column, word in words:
        start = row * (width + 1) + column
        page[start : start + len(word)] = word
    return tuple(page), tuple(row * (width + 1) + column - left for row, column in board.text_at)


@dataclass(slots=True)
class _Key:
    """What the lines below the board must explain: signs in use, owners of territory, and crowded cells."""

    signs: set[str] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)
    also: list[tuple[int, str]] = field(default_factory=list)


def text(scene: Scene) -> str:
    """The board with coordinates and marks, then a legend; at most 72 columns, without a line end at the end."""
    blank, places = _page(scene.board)
    page, key = list(blank), _Key()
    special = {*scene.marks, *scene.owners}
    for cell, piece in scene.pieces.items():
        page[places[cell]] = piece.symbol
        if piece.petrified or piece.morph:
            special.add(cell)
    # A bracket needs the places on both sides of its cell, so brackets come first.
    for cell in sorted(special, key=lambda cell: ({*scene.marks.get(cell, ())}.isdisjoint(("last", "ghost")), cell)):
        rest = _sign(page, places[cell], look(scene, cell), key)
        if rest:
            key.also.append((cell, f"{scene.board.names[cell]} {', '.join(rest)}"))
        if page[places[cell] + 1] == " ":
            page[places[cell] + 1] = CLOSING.get(page[places[cell] - 1], " ")
    lines = [line.rstrip() for line in "".join(page).rstrip("\n").split("\n")]
    return "\n".join([*lines, "", *_legend(scene, key)])


def _sign(page: list[str], place: int, shown: Look, key: _Key) -> list[str]:
    """Write one cell's sign, and return the words for those that don't fit."""
    worn = {*shown.marks, *["petrified"] * shown.petrified, *["morph"] * shown.morph}
    marks = [mark for mark in SIGNS if mark in worn]
    words = [WORDS[mark] for mark in marks]
    room = page[place - 1] not in CLOSING.values()
    if shown.owner:
        key.owners.add(shown.owner)
        letter = STONES[shown.owner].lower()
        if not shown.colour:
            page[place] = letter
        elif marks == ["dead"] and room:
            page[place - 1] = letter
            key.signs.add(f"{letter}{page[place]} dead there")
            return []
        else:
            words.append(f"{shown.owner.capitalize()}'s territory")
    if not marks or not (room or SIGNS[marks[0]] in CLOSING):
        return words
    page[place - 1] = SIGNS[marks[0]]
    key.signs.add(marks[0])
    return words[1:]


def _legend(scene: Scene, key: _Key) -> list[str]:
    present = {(piece.side, piece.symbol) for piece in scene.pieces.values()} if not scene.legend else set()
    symbols = scene.legend or [(symbol, scene.colours[side].capitalize()) for side, symbol in sorted(present)]
    entries = [f"{symbol} {words}" for symbol, words in symbols]
    entries += [f"{STONES[owner].lower()} {owner.capitalize()}'s territory" for owner in sorted(key.owners)]
    pairs = {mark: " ".join([sign, *CLOSING.get(sign, "")]) for mark, sign in SIGNS.items()}
    marks = [f"{pairs[mark]} {WORDS[mark]}" for mark in SIGNS if mark in key.signs]
    # One example of a dead stone inside territory explains all others.
    marks += sorted(sign for sign in key.signs if sign not in SIGNS)[:1]
    lines = _wrap(entries) + _wrap(marks)
    also = f"Also: {'; '.join(words for _, words in sorted(key.also))}"
    return lines + (textwrap.wrap(also, WIDTH, break_on_hyphens=False) if key.also else [])


def _wrap(entries: list[str]) -> list[str]:
    """Lines of entries side by side; no entry is broken."""
    if len(line := "   ".join(entries)) <= WIDTH:
        return [line] * bool(line)
    glued = "   ".join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    lines = textwrap.wrap(glued, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def read(text: str, board: Board) -> dict[str, Seen]:
    """What `text` shows on each cell, by name. Raises ValueError if `text` isn't a text board of `board`."""
    blank, places = _page(board)
    width = blank.index("\n")
    rows = text.split("\n")
    height = len(blank) // (width + 1)
    if len(rows) < height:
        raise ValueError(f"A text board of {board.name} has {height} lines, not {len(rows)}.")
    page = "\n".join(row.ljust(width)[:width] for row in rows[:height]) + "\n"
    below = "\n".join(rows[height:])
    owners = {
        letter: owner.lower() for letter, owner in re.findall(r"(?:^|   )(\w) (\w+)'s territory", below, re.MULTILINE)
    }
    also = _also(below)
    return {
        name: _seen(page[place], page[place - 1], also.get(name, []), owners)
        for name, place in zip(board.names, places, strict=True)
    }


def _also(below: str) -> dict[str, list[str]]:
    """The words for each cell in the line `Also: …` below the board."""
    told = re.search(r"^Also: (.*)\Z", below, re.MULTILINE | re.DOTALL)
    entries = " ".join(told[1].split()).split("; ") if told else []
    return {name: words.split(", ") for name, _, words in (entry.partition(" ") for entry in entries)}


def _seen(symbol: str, sign: str, also: list[str], owners: dict[str, str]) -> Seen:
    """One cell, from its character, the one before it, and the words below the board."""
    marks = {mark for mark, known in SIGNS.items() if known == sign}
    marks |= {mark for mark, words in WORDS.items() if words in also}
    owner = next((words.removesuffix("'s territory").lower() for words in also if words.endswith("'s territory")), "")
    if sign in owners:
        return Seen(symbol, frozenset(marks | {"dead"}), owners[sign])
    if symbol in owners:
        return Seen(".", frozenset(marks), owners[symbol])
    return Seen(symbol, frozenset(marks), owner)
