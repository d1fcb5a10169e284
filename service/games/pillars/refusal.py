"""Why a text isn't a legal move here, in a sentence that says what is wrong and what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from service.engine.game import Illegal, MoveError, Unreadable
from service.games.pillars.attacks import attackers, is_attacked, is_stone
from service.games.pillars.board import AROUND, SIZE, SQUARE_NAMES, SQUARE_NUMBERS, SQUARES, Square
from service.games.pillars.moves import in_check, pseudo_targets
from service.games.pillars.notation import plain
from service.games.pillars.pieces import BLACK, KIND, KING, LETTERS, MEDUSA, NAMES, WHITE, letters, name
from service.games.pillars.state import CASTLES, Castle, Move, State

_SHAPE = (
    r"(?P<mover>\((?:MA|ME|[WTHAPSQK])\)|MA|ME|[WTHAPSQK])?(?P<origin>[A-Z][0-9]{1,3}|[A-K])?X?"
    r"(?P<end>[A-Z][0-9]{1,3})(?P<turned>=(?:\([A-Z]{1,2}\)|[A-Z]{1,2}~?))?"
)
_CASTLING = "(?:OO|00)([AK])"
_OWNERS = {WHITE: "White", BLACK: "Black"}
_LEGEND = ", ".join(f"{letter} {called}" for letter, called in zip(LETTERS[2:], NAMES[2:], strict=True))
_FEW = 12
"""The most moves listed in an error."""


class _Order(NamedTuple):
    """The parts of a typed move: letters such as `MA` or `(A)`, a file or square to start from, a square to go to."""

    shown: str
    mover: str
    origin: str
    end: str
    turned: str


def is_readable(text: str) -> bool:
    """Whether `text` has the form of a move, legal or not."""
    return bool(re.fullmatch(_CASTLING, plain(text)) or re.fullmatch(_SHAPE, plain(text)))


def refusal(state: State, written: Mapping[str, Move], text: str) -> MoveError:
    """The error for a text that fits none of `written`, the legal moves."""
    shown = " ".join(text.split())[:40]
    castling = re.fullmatch(_CASTLING, plain(text))
    if castling:
        return Illegal(_why_no_castling(state, castling[1]))
    if plain(text) in ("OO", "OOO", "00", "000"):
        return Unreadable(f"{shown!r} does not say which side: castle with O-O-A or O-O-K.")
    shape = re.fullmatch(_SHAPE, plain(text))
    if not shape:
        return Unreadable(
            f"{shown!r} is not a move. Write one like {next(iter(written), 'D2-D4')}, or two squares like e3e5. "
            f"The pieces are {_LEGEND}; a Sword needs no letter."
        )
    parts = [shape[part] or "" for part in ("mover", "origin", "end", "turned")]
    return Illegal(_why_not(state, written, _Order(shown, *parts)))


def _why_not(state: State, written: Mapping[str, Move], order: _Order) -> str:
    for place in (order.origin, order.end):
        if len(place) > 1 and place.lower() not in SQUARE_NUMBERS:
            return f"{place} is not on the board: its files are A to K and its ranks 1 to {SIZE}."
    starts = _starts(state, order)
    if not starts:
        return _why_no_start(state, written, order)
    end = SQUARE_NUMBERS[order.end.lower()]
    near = [start for start in starts if end in pseudo_targets(state.board, start)]
    if near or len(starts) == 1:
        return _why_not_there(state, written, order, (near or starts)[0], end)
    places = " ".join(_square(start) for start in starts)
    return f"{_OWNERS[state.side]}'s {name(state.board[starts[0]])}s ({places}) cannot go to {order.end}."


def _starts(state: State, order: _Order) -> list[Square]:
    """The squares of the pieces that the order may mean."""
    mover = order.mover or ("" if len(order.origin) > 1 else "W")
    return [
        start
        for start in SQUARES
        if state.board[start] & state.side
        and mover in ("", letters(state.board[start]))
        and order.origin in ("", _square(start), _square(start)[0])
    ]


def _why_no_start(state: State, written: Mapping[str, Move], order: _Order) -> str:
    owner = _OWNERS[state.side]
    if len(order.origin) < 2:
        kind = f"piece {order.mover}" if order.mover else "Sword"
        none = f"{owner} has no {kind}{' on the file ' + order.origin if order.origin else ''}."
        return f"{none} {_morphs_instead(written, order)}".strip()
    piece = state.board[SQUARE_NUMBERS[order.origin.lower()]]
    if not piece:
        return f"{order.origin} is empty."
    if not piece & state.side:
        return f"{order.origin} holds {_OWNERS[state.other]}'s {name(piece)}; it is {owner}'s turn."
    return f"{order.origin} holds the {name(piece)}, written {letters(piece)}, not {order.mover}."


def _morphs_instead(written: Mapping[str, Move], order: _Order) -> str:
    """The legal moves of a Morph Sword, which needs its letter, that an order without a letter may have meant."""
    there = SQUARE_NUMBERS[order.end.lower()]
    meant = [text for text, move in written.items() if text.startswith("(W)") and move[1] == there]
    return f"A Morph Sword is written (W): {_listed(meant)}." if meant and not order.mover else ""


def _why_not_there(state: State, written: Mapping[str, Move], order: _Order, start: Square, end: Square) -> str:
    board, piece = state.board, state.board[start]
    mover = f"The {name(piece)} on {_square(start)}"
    if is_stone(board, start):
        return why_stuck(state, start)
    same = [text for text, move in written.items() if move[:2] == (start, end)]
    if same and not order.turned and not board[end] & state.other:
        return f"{mover} can go to {order.end}, but there is nothing to take: write {same[0]}."
    if same and order.turned:
        return f"{mover} cannot become {order.turned[1:]} there. It can play {', '.join(same)}."
    for way in CASTLES[state.side]:
        if (start, end) == (way.king, way.tower) and start == state.king:
            return _why_no_castling(state, way.letter.upper())
        if state.rights & way.right and _looks_like_castling(way, start, end):
            return f"{mover} cannot go to {order.end}. {_how_to_castle(written, state, way)}"
    if end in pseudo_targets(board, start):
        return _why_exposed(state, written, order, (start, end, piece))
    own = [text for text, move in written.items() if move[0] == start]
    return f"{mover} cannot go to {order.end}; {f'it can play {_listed(own)}' if own else 'it has no legal move'}."


def why_stuck(state: State, start: Square) -> str:
    """Why the piece on `start`, which has no legal move, cannot move."""
    board = state.board
    mover = f"The {name(board[start])} on {_square(start)}"
    if not is_stone(board, start):
        return f"{mover} has no legal move."
    gazer = next(near for near in AROUND[start] if board[near] & KIND == MEDUSA and board[near] & state.other)
    return f"{mover} is stone: it cannot move while the Medusa on {_square(gazer)} is next to it."


def _why_exposed(state: State, written: Mapping[str, Move], order: _Order, move: Move) -> str:
    after = state.after(move)
    attacker = next(attackers(after.board, after.board.index(state.side | KING), state.other))
    by = f"the {name(after.board[attacker])} on {_square(attacker)}"
    if in_check(state):
        return f"{order.shown} leaves your King in check from {by}. Moves that end it: {_listed(list(written))}."
    return f"{order.shown} would let {by} attack your King."


def _looks_like_castling(way: Castle, start: Square, end: Square) -> bool:
    """Whether these two squares may be meant as castling by somebody who knows it from chess."""
    return (start == way.king and end in way.path[1:]) or (start, end) == (way.tower, way.king)


def _how_to_castle(written: Mapping[str, Move], state: State, way: Castle) -> str:
    trade = f"When castling, the King goes to {_square(way.tower)} and the Tower to {_square(way.king)}"
    castling = next((text for text, move in written.items() if move[:2] == (way.king, way.tower)), None)
    return f"{trade}: {castling}." if castling else f"{trade}. {_why_no_castling(state, way.letter.upper())}"


def _why_no_castling(state: State, letter: str) -> str:
    way = next(way for way in CASTLES[state.side] if way.letter.upper() == letter)
    if not state.rights & way.right:
        return f"You can no longer castle on the {letter}-side: the King or that Tower has moved or gone."
    if in_check(state):
        return "You cannot castle while your King is in check."
    between = [square for square in way.path[:-1] if state.board[square]]
    if between:
        return f"You cannot castle on the {letter}-side while {_square(between[0])} is occupied."
    attacked = next(square for square in way.path if is_attacked(state.board, square, state.other))
    return f"You cannot castle on the {letter}-side while {_square(attacked)} is attacked."


def _listed(texts: list[str]) -> str:
    return ", ".join(texts[:_FEW]) + (" …" if len(texts) > _FEW else "")


def _square(square: Square) -> str:
    return SQUARE_NAMES[square].upper()
