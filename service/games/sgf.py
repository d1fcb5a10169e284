"""Go as SGF (Smart Game Format, FF[4], red-bean.com/sgf), which every Go program reads.

`(;FF[4]GM[1]SZ[9]KM[7.5]PB[Ada]RE[B+R];B[ee];W[cc]…)`. What SGF has no word for, the agreement about dead stones,
is told in comments of our own words, `C[White: dead c3]`, and read back from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from service.engine.board import Board
from service.engine.game import Log, MoveError, OptionError, Outcome, Position, Seat, Sheet, Unreadable
from service.engine.grid import COLUMNS, read_size, sized
from service.engine.record import RecordError
from service.engine.setup import read_setup
from service.engine.stone_position import decimal
from service.games.surround import SIDES, SurroundPosition, read_komi

COLOURS = ("B", "W")
HEADERS = {"Black": "PB", "White": "PW", "Event": "EV", "Round": "RO", "Site": "PC", "Date": "DT"}
"""What other score sheets call it, and SGF's property."""

_TOKEN = re.compile(r"([();])|([A-Za-z]+)((?:\s*\[(?:\\.|[^\]\\])*\])+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_ORDER = re.compile(r"(Black|White): ([a-z0-9 ]+)")

Node = dict[str, list[str]]


def write_sgf(start: Position, log: Log, headers: Mapping[str, str], outcome: Outcome | None = None) -> str:
    """The match as one game tree without variations; `outcome` is for an end no move made, such as time."""
    assert isinstance(start, SurroundPosition)
    board = start.board
    nodes = [*_root(start, headers)]
    position: Position = start
    for seat, move in log:
        position = position.play(seat, move)
        if move in board.index or (move == "pass"):
            nodes.append(f"\n;{COLOURS[seat]}[{_letters(board, move)}]")
        elif move != "resign":
            nodes.append(f"\n;C[{SIDES[seat].capitalize()}: {move}]")
    result = _result(position, outcome or position.outcome)
    return f"({''.join(nodes).replace('RE[]', f'RE[{result}]')})\n"


def _root(start: SurroundPosition, headers: Mapping[str, str]) -> Iterator[str]:
    board, komi = start.board, decimal(start.rules.komi)
    columns, rows = _shape(board)
    yield f";FF[4]GM[1]CA[UTF-8]AP[Stonepost]SZ[{columns if columns == rows else f'{columns}:{rows}'}]KM[{komi}]RE[]"
    for name, key in HEADERS.items():
        if headers.get(name):
            yield f"{key}[{_escaped(headers[name])}]"
    for side, key in zip(SIDES, ("AB", "AW"), strict=True):
        stones = [name for name, occupant in start.occupants.items() if occupant == side]
        if stones:
            yield key + "".join(f"[{_letters(board, name)}]" for name in stones)
    if start.occupants or start.turns != (0,):
        yield f"PL[{COLOURS[start.turns[0]]}]"


def _result(position: Position, outcome: Outcome | None) -> str:
    """`B+3.5`, `W+R`, `B+T`, `Draw`; empty while the match goes on."""
    if outcome is None:
        return ""
    if outcome.scores[0] == outcome.scores[1]:
        return "Draw"
    points = position.facts.get("points")
    margin = "T" if outcome.reason == "time" else "R"
    if outcome.reason == "points" and isinstance(points, dict):
        margin = f"{abs(float(Fraction(points['black']) - Fraction(points['white']))):g}"
    return f"{COLOURS[outcome.scores[1] > outcome.scores[0]]}+{margin}"


def _shape(board: Board) -> tuple[int, int]:
    """Columns and rows."""
    last = board.names[-1]
    return COLUMNS.index(last[0]) + 1, int(last[1:])


def _letters(board: Board, move: str) -> str:
    """A point as column and row from the upper left; a pass is empty."""
    if move == "pass":
        return ""
    return move[0] + COLUMNS[_shape(board)[1] - int(move[1:])]


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)


def read_sgf(text: str, begin: Callable[[dict[str, str]], Position]) -> Sheet:
    """The first line of play of the first game. A result by resignation adds the `resign`.

    `begin` starts a match with some options. Raises OptionError on what is no game of Go and on a bad setup,
    RecordError on a bad move.
    """
    nodes = list(_main_line(text))
    if not nodes or nodes[0][1].get("GM", ["1"]) != ["1"]:
        raise OptionError("This is no game of Go in SGF.")
    root = nodes[0][1]
    options = _options(root)
    board = sized(options["size"])
    said = [(line, key, value) for line, node in nodes for key in (*COLOURS, "C") for value in node.get(key, [])]
    setup = _setup(board, root, next((COLOURS.index(key) for _, key, _ in said if key in COLOURS), 0))
    position = begin(options | ({"setup": setup} if setup else {}))
    log: list[tuple[Seat, str]] = []
    for line, key, value in said:
        order = _ORDER.fullmatch(value) if key == "C" else None
        if key == "C" and order is None:
            continue
        seat = SIDES.index(order[1].lower()) if order else COLOURS.index(key)
        try:
            move = position.read(seat, order[2] if order else _name(board, value))
            position = position.play(seat, move)
        except MoveError as error:
            raise RecordError(len(log) + 1, line, error) from None
        log.append((seat, move))
    resigned = re.match(r"([BW])\+R", root.get("RE", [""])[0])
    if resigned and position.outcome is None:
        log.append((1 - COLOURS.index(resigned[1]), "resign"))
    headers = {name: root[key][0] for name, key in HEADERS.items() if key in root}
    return Sheet(headers, options | ({"setup": setup} if setup else {}), tuple(log))


def _options(root: Node) -> dict[str, str]:
    """The size, and the komi if it is told; raises OptionError."""
    columns, _, rows = root.get("SZ", ["19"])[0].partition(":")
    size = {"size": read_size(f"{rows or columns}x{columns}")}
    return size | ({"komi": read_komi(root["KM"][0])} if "KM" in root else {})


def _main_line(text: str) -> Iterator[tuple[int, Node]]:
    """The nodes up to the end of the first line of play, each with its line number; values without escapes."""
    node: Node | None = None
    line = 1
    for token in _TOKEN.finditer(text):
        if token[1] == ")" and node is not None:
            break
        if token[1] == ";":
            if node is not None:
                yield line, node
            node, line = {}, text.count("\n", 0, token.start()) + 1
        elif token[2] and node is not None:
            key = "".join(filter(str.isupper, token[2]))
            node[key] = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(token[3])]
    if node is not None:
        yield line, node


def _name(board: Board, letters: str) -> str:
    """The inverse of `_letters`; `tt` on boards up to 19x19 is the pass of older files."""
    columns, rows = _shape(board)
    if letters == "" or (letters == "tt" and max(columns, rows) <= 19):
        return "pass"
    column, row = (COLUMNS.find(letter) for letter in letters.ljust(2)[:2])
    if len(letters) != 2 or not 0 <= column < columns or not 0 <= row < rows:
        raise Unreadable(f"{letters[:20]!r} is no point of this board in SGF.")
    return f"{COLUMNS[column]}{rows - row}"


def _setup(board: Board, root: Node, first: Seat) -> str:
    """The stones placed before the first move, and who makes it if that is not Black; raises OptionError."""
    turn = COLOURS.index(root["PL"][0]) if root.get("PL", [""])[0] in COLOURS else first
    parts = [f"turn: {SIDES[turn]}"]
    try:
        for side, key in zip(SIDES, ("AB", "AW"), strict=True):
            parts.append(f"{side}: {' '.join(_name(board, at) for at in root.get(key, []))}")
    except MoveError as error:
        raise OptionError(f"{error}") from None
    setup = read_setup("; ".join(parts), board, SIDES, ("turn",))
    return setup.text(board, SIDES) if turn or any(setup.cells) else ""
