"""SGF, the Smart Game Format FF[4] (https://www.red-bean.com/sgf/): a match of two players on a rectangular Go board.

SGF has black and white stones, passes, and names. What it lacks (the agreement on dead stones, options other than
size and komi) is in our own properties, `ORDER` and `SET`, which other programs ignore.

This is our own reader, because sgfmill, with which the tests compare it, doesn't say which line of a file is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, takewhile
from operator import attrgetter
from string import ascii_lowercase
from typing import NamedTuple

from service.engine.board import Board
from service.engine.game import Game, Outcome, Position
from service.engine.grid import COLUMNS, read_size, sized
from service.engine.options import OptionError
from service.engine.record_formats import Entry, Format, Order, Record, complete, wrong
from service.engine.stone_games.stone_position import decimal
from service.games.surround import read_komi

SIDES = {"B": "black", "W": "white"}
COLOURS = "BW"
DEFAULT_SIZE = "19"
_LETTERS = ascii_lowercase[: len(COLUMNS)]
"""SGF's own letters for columns and rows, from the top left corner; they include i (FF[4], "Go")."""
_TOKEN = re.compile(r"\s*+(?:([();])|([A-Za-z]++)((?:\s*+\[(?:[^\]\\]|\\.)*+\])++))", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*+)\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_HOW = {"resignation": "R", "time": "T"}
_LEAVES = {"R": "resign", "T": "timeout"}
_RESULT = re.compile(r"([BW])\+(.*)", re.DOTALL | re.IGNORECASE)


class Property(NamedTuple):
    """A property such as `B[dd]`, with its line number and its node's number."""

    line: int
    name: str
    values: tuple[str, ...]
    node: int


class Sgf(Format):
    """SGF for one game. `rules` is its name in the property RU; a `fallback` also reads files with other rules."""

    suffix = "sgf"
    media_type = "application/x-go-sgf"
    title = "SGF"

    def __init__(self, game: Game, rules: str, fallback: bool = False) -> None:
        self.game = game
        self.rules = rules
        self.fallback = fallback

    def recognises(self, text: str) -> bool:
        return text.lstrip("\ufeff \t\r\n").startswith("(") and (self.fallback or f"RU[{self.rules}]" in text)

    def write(self, record: Record) -> str:
        start = self.game.begin(2, 0, record.options)
        last = self.game.replay(start, record.log)
        board = start.view(None).board
        nodes = [_root(record, start, last, self.rules), *(_node(entry, board) for entry in record.entries)]
        nodes[-1] += _territory(last)
        return "(" + "\n".join(f";{node}" for node in nodes) + ")\n"

    def read(self, text: str) -> Record:
        found = [*_properties(text)]
        told = {each.name: each for each in reversed(found)}
        if _value(told, "GM") not in ("", "1"):
            raise wrong(told["GM"].line, f"This SGF is of another game, GM[{_value(told, 'GM')[:9]}]; Go is GM[1].")
        options = self._options(told, found)
        board = sized(options["size"])
        line = told["SZ"].line if "SZ" in told else 1
        names = [_value(told, "PB"), _value(told, "PW")]
        return _ended(self.game, complete(self.game, options, names, _played(found, board), line=line), told)

    def _options(self, told: Mapping[str, Property], found: Sequence[Property]) -> dict[str, str]:
        """The options from SZ, KM, AB, AW and AE; SET has precedence, except for the size."""
        options = {"size": _size(told)}
        if _value(told, "KM") and any(option.name == "komi" for option in self.game.options):
            options["komi"] = _komi(told)
        if "AB" in told or "AW" in told:
            options["setup"] = _stones(told, found, sized(options["size"]))
        settings = told["SET"].values if "SET" in told else ()
        split = (setting.partition("=") for setting in settings)
        # Our own files have the stones twice; the setup in SET has more than their points.
        return options | {name: value for name, _, value in split if name != "size"}


# ---- writing


def _root(record: Record, start: Position, last: Position, rules: str) -> str:
    rows, _, columns = record.options["size"].partition("x")
    told = {
        "FF": "4",
        "GM": "1",
        "CA": "UTF-8",
        "AP": "Stonepost",
        "SZ": f"{columns}:{rows}" if columns else rows,
        "KM": record.options.get("komi", ""),
        "RU": rules,
        "PB": record.names[0],
        "PW": record.names[1],
        "DT": next((f"{entry.played:%Y-%m-%d}" for entry in record.entries if entry.played), ""),
        "RE": _result(last, record.outcome),
    }
    settings = [f"{name}={value}" for name, value in record.options.items() if name not in ("size", "komi") and value]
    set_up = _listed("AB", start, "black") + _listed("AW", start, "white")
    turn = f"PL[{COLOURS[start.turns[0]]}]" if set_up else ""
    texts = "".join(f"{name}[{_escaped(value)}]" for name, value in told.items() if value)
    return texts + ("SET" + "".join(f"[{_escaped(each)}]" for each in settings) if settings else "") + set_up + turn


def _listed(name: str, position: Position, side: str) -> str:
    """The property with the stones of one colour, or "" if there are none."""
    board = position.view(None).board
    cells = [_letters(cell, board) for cell, stone in position.occupants.items() if stone == side]
    return name + "".join(f"[{cell}]" for cell in cells) if cells else ""


def _node(entry: Entry, board: Board) -> str:
    remark = f"C[{_escaped(entry.remark)}]" if entry.remark else ""
    if entry.move == "pass" or entry.move in board.index:
        where = "" if entry.move == "pass" else _letters(entry.move, board)
        return f"{COLOURS[entry.seat]}[{where}]{remark}"
    return f"ORDER[{SIDES[COLOURS[entry.seat]]}: {_escaped(entry.move)}]{remark}"


def _territory(last: Position) -> str:
    """The properties with the territory of each side, if the match is over and was counted."""
    scene = last.view(None)
    counted = [(cell, scene.owners[cell]) for cell in sorted(scene.owners)] if last.outcome is not None else []
    names = scene.board.names
    groups = (
        "".join(f"[{_letters(names[cell], scene.board)}]" for cell, owner in counted if owner == s) for s in (0, 1)
    )
    return "".join(f"T{colour}{cells}" for colour, cells in zip(COLOURS, groups, strict=True) if cells)


def _result(last: Position, ended: Outcome | None) -> str:
    """`B+3.5`, `W+R`, `B+T`, `0` for a draw, "" for a match that isn't over."""
    if ended is None or len({*ended.scores}) == 1:
        return "" if ended is None else "0"
    winner = COLOURS[ended.scores.index(max(ended.scores))]
    return f"{winner}+{_HOW.get(ended.reason) or _margin(last)}"


def _margin(position: Position) -> str:
    points = position.facts.get("points")
    if position.outcome is None or not isinstance(points, Mapping):  # Only the file says who won.
        return ""
    black, white = (Fraction(points[side]) for side in position.sides)
    return decimal(abs(black - white))


def _letters(name: str, board: Board) -> str:
    """A point as SGF writes it: column, then row from the top, both as letters."""
    rows = int(board.names[-1][1:])
    return _LETTERS[COLUMNS.index(name[0])] + _LETTERS[rows - int(name[1:])]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


# ---- reading


def _properties(text: str) -> Iterator[Property]:
    """The properties of the main line, which ends at the first closing bracket; raises RecordError."""
    place, line, node = 0, 1, 0
    while token := _TOKEN.match(text, place):
        line += text.count("\n", place, token.start(1) if token[1] else token.start(2))
        if token[1] == ")":
            return
        if token[2] and node:
            name = "".join(letter for letter in token[2] if letter.isupper())
            yield Property(line, name, tuple(map(_unescaped, _VALUE.findall(token[3]))), node)
        line += text.count("\n", token.start(2), token.end()) if token[2] else 0
        place, node = token.end(), node + (token[1] == ";")
    place += len(text[place:]) - len(text[place:].lstrip())
    said = text[place : place + 40].split(maxsplit=1)
    found = f"found {said[0][:20]!r}" if said else "the file ends too soon"
    raise wrong(text.count("\n", 0, place) + 1, f"Expected a property such as B[dd], or a closing bracket; {found}.")


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], value)


def _value(told: Mapping[str, Property], name: str) -> str:
    return told[name].values[0].strip() if name in told else ""


def _size(told: Mapping[str, Property]) -> str:
    """The value of the option `size`; raises RecordError."""
    columns, _, rows = (_value(told, "SZ") or DEFAULT_SIZE).partition(":")
    try:
        return read_size(f"{rows or columns}x{columns}")
    except OptionError as error:
        raise wrong(told["SZ"].line, str(error)) from None


def _komi(told: Mapping[str, Property]) -> str:
    """The value of the option `komi`; raises RecordError."""
    try:
        return read_komi(_value(told, "KM"))
    except OptionError as error:
        raise wrong(told["KM"].line, str(error)) from None


def _stones(told: Mapping[str, Property], found: Sequence[Property], board: Board) -> str:
    """The stones before the first move as a setup; without PL, the colour of the first move begins."""
    first = next((each.name for each in found if each.name in SIDES), "B")
    listed: dict[str, set[str]] = {"AB": set(), "AW": set(), "AE": set()}
    stones: dict[str, list[str]] = {side: [] for side in SIDES.values()}
    for each in takewhile(lambda each: each.name not in (*SIDES, "ORDER"), found):
        if each.name not in listed:
            continue
        points = [*_points(each, board, listed[each.name])]
        if each.name == "AE":
            stones = {side: [name for name in names if name not in points] for side, names in stones.items()}
        else:
            stones[SIDES[each.name[1]]] += points
    parts = [f"{side}: {' '.join(names)}" for side, names in stones.items() if names]
    return "; ".join([*parts, f"turn: {SIDES.get(_value(told, 'PL')[:1].upper(), SIDES[first])}"])


def _points(told: Property, board: Board, given: set[str]) -> Iterator[str]:
    """The points of a list, in which `aa:cc` is a rectangle; adds them to `given`, where the lists of this property
    before it have put theirs. Refuses repeats, or a short file could name millions."""
    for value in told.values:
        one, _, other = value.strip().partition(":")
        names = _point(told, one, board), _point(told, other or one, board)
        columns = sorted(COLUMNS.index(name[0]) for name in names)
        rows = sorted(int(name[1:]) for name in names)
        box = [
            f"{COLUMNS[column]}{row}"
            for row in range(rows[0], rows[1] + 1)
            for column in range(columns[0], columns[1] + 1)
        ]
        if twice := next((name for name in box if name in given), None):
            raise wrong(told.line, f"{told.name} has {twice} twice.")
        given.update(box)
        yield from box


def _point(told: Property, letters: str, board: Board) -> str:
    rows = int(board.names[-1][1:])
    name = ""
    if len(letters) == 2 and set(letters) <= {*_LETTERS}:
        column, row = map(_LETTERS.index, letters)
        name = f"{COLUMNS[column]}{rows - row}"
    if name not in board.index:
        raise wrong(told.line, f"{told.name}[{letters[:20]}] isn't a point of this board of {board.name[5:]}.")
    return name


def _played(found: Sequence[Property], board: Board) -> list[Order]:
    """The orders. Of passes at the end only two are kept, which end play: some programs write more, as under AGA
    rules. Nor do they say that play was resumed when a stone follows two passes."""
    orders = [*_orders(found, board)]
    while len(orders) > 2 and all(order.said.endswith(": pass") for order in orders[-3:]):
        del orders[-1]
    played: list[Order] = []
    for order in orders:
        side, _, move = order.said.partition(": ")
        if move in board.index and len(played) > 1 and all(one.said.endswith(": pass") for one in played[-2:]):
            played.append(Order(order.line, f"{side}: resume"))
        played.append(order)
    return played


def _orders(found: Sequence[Property], board: Board) -> Iterator[Order]:
    """Each move, pass and order; its remark are the comments in its node and in the nodes without a move after it."""
    order: Order | None = None
    for _, node in groupby(found, key=attrgetter("node")):
        remarks: list[str] = []
        for told in node:
            said = _said(told, board)
            if said and order:
                yield order
            if said:
                order = Order(told.line, said)
            elif told.name == "C":
                remarks.append(told.values[0])
            elif order and told.name in ("AB", "AW", "AE"):
                raise wrong(told.line, "This game has stones set up in the middle of play, which a match can't have.")
        if order:
            order = order._replace(remark="\n".join(filter(None, (order.remark, *remarks))))
    if order:
        yield order


def _said(told: Property, board: Board) -> str:
    if told.name == "ORDER":
        return told.values[0]
    if told.name not in SIDES:
        return ""
    letters = told.values[0].strip()
    passed = not letters or (letters == "tt" and len(board.names) <= 19 * 19)
    return f"{SIDES[told.name]}: {'pass' if passed else _point(told, letters, board)}"


def _ended(game: Game, record: Record, told: Mapping[str, Property]) -> Record:
    """The record with the result in RE, unless the moves led to one; resignation and timeout become moves."""
    result = _value(told, "RE")
    won = _RESULT.fullmatch(result)
    if record.outcome is not None or (won is None and result.lower() not in ("0", "draw", "jigo")):
        return record
    if won is None:
        return record._replace(outcome=Outcome.shared(2, (0, 1), "points"))
    winner = COLOURS.index(won[1].upper())
    leaves = _LEAVES.get(won[2][:1].upper())
    if leaves is None:
        return record._replace(outcome=Outcome.shared(2, (winner,), "points"))
    last = game.replay(game.begin(2, 0, record.options), record.log)
    gone = Entry(1 - winner, leaves, last.round)
    return record._replace(entries=(*record.entries, gone), outcome=last.play(1 - winner, leaves).outcome)
