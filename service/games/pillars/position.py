"""A moment of a match: the contract of a game, on top of the chess state, its history and an offered draw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from service.engine.game import Draft, Illegal, Log, Outcome, Position, Seat
from service.engine.scene import Scene
from service.games.pillars.attacks import stones
from service.games.pillars.board import SIZE, SQUARE_NAMES, SQUARE_NUMBERS
from service.games.pillars.choices import choices, choices_from, transformations
from service.games.pillars.moves import in_check, legal_moves
from service.games.pillars.notation import find, trusted, write_moves
from service.games.pillars.picture import picture
from service.games.pillars.pieces import ADVISOR, HORSE, KIND, KING, SIDES, fen_letter
from service.games.pillars.refusal import is_readable, refusal, why_stuck
from service.games.pillars.state import START, Move, State, read_fen, write_fen

_Moment: TypeAlias = tuple[bytes, int, int]
"""Pieces, side to move and castling rights: all are the same in a repetition."""
_QUIET_LIMIT = 100
"""Half-moves without a capture or a Sword move: fifty moves by each side."""


class Played(NamedTuple):
    """The last move, and the board before it."""

    text: str
    move: Move
    board: bytes


_ANSWERS = {"accept": "draw", "accept draw": "draw", "decline": "decline", "decline draw": "decline"}
"""Answers that people write to an offer of a draw, with their canonical moves."""
_ARTICLE = re.compile(r"\b(?:an?|the) (?=draw$)")


class History(NamedTuple):
    """What the log has led to; the rest of a position is derived from it.

    `earlier` has the moments since the last capture or Sword move; earlier ones can't recur.
    """

    state: State
    earlier: tuple[_Moment, ...] = ()
    last: Played | None = None

    @property
    def seat(self) -> Seat:
        """The seat to move, also when the match is over."""
        return SIDES.index(self.state.side)

    def after(self, text: str, move: Move) -> History:
        """The history after a legal move."""
        state = self.state.after(move)
        earlier = (*self.earlier, _moment(self.state)) if state.quiet else ()
        return History(state, earlier, Played(text, move, self.state.board))


class PillarsPosition(Position):
    """One immutable moment of Pillars of Medusa; seat 0 is White."""

    sides = ("white", "black")
    draws = True

    def __init__(self, history: History, round_: int = 1, offer: Seat | None = None) -> None:
        self.history = history
        self.state = history.state
        self.round = round_
        self.numbered = self.state.number
        self.seat = history.seat
        self._legal = legal_moves(self.state)
        self.outcome = self._ending()
        self.offer = offer if self.outcome is None else None
        self.phase = "play" if self.outcome is None else "over"
        self.turns = (self.seat,) if self.outcome is None else ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PillarsPosition) and self._identity == other._identity

    @property
    def _identity(self) -> tuple[History, int, Seat | None]:
        return self.history, self.round, self.offer

    @cached_property
    def check(self) -> bool:
        """Whether the King of the side to move is attacked."""
        return in_check(self.state)

    @cached_property
    def written(self) -> Mapping[str, Move]:
        """The legal moves by their canonical text, even if the rules have ended the match in a draw."""
        return write_moves(self.state.board, self._legal)

    def _ending(self) -> Outcome | None:
        """How the rules end the match here, if they do; mate has precedence."""
        if not self._legal:
            if self.check:
                return Outcome.shared(2, [1 - self.seat], "checkmate")
            return Outcome.shared(2, [0, 1], "stalemate")
        if _is_dead(self.state.board):
            return Outcome.shared(2, [0, 1], "dead position")
        if self.history.earlier.count(_moment(self.state)) >= 2:
            return Outcome.shared(2, [0, 1], "threefold repetition")
        if self.state.quiet >= _QUIET_LIMIT:
            return Outcome.shared(2, [0, 1], "fifty-move rule")
        return None

    def moves(self, seat: Seat) -> Iterable[str]:
        return tuple(self.written) if seat in self.turns else ()

    def advance(self, seat: Seat, move: str) -> PillarsPosition:
        if move in self.written:
            return PillarsPosition(self.history.after(move, self.written[move]), self.round + 1)
        raise Illegal(f"{move!r} isn't written as a move here; {self.read(seat, move)} is.")

    def read(self, seat: Seat, text: str) -> str:
        word = " ".join(text.split())
        said = _ARTICLE.sub("", word.rstrip(".,;!?").lower())
        if said in ("resign", "draw", "offer draw"):
            return said.removeprefix("offer ")
        if said in _ANSWERS and self.offer == 1 - seat:
            return _ANSWERS[said]
        if said == "accept draw" and self.offer is None:
            raise Illegal("No draw is offered, so there's none to accept. To offer one, write draw.")
        if said in ("accept draw", "decline draw"):
            return _ANSWERS[said]  # `play` says why it can't be.
        if seat not in self.turns and is_readable(text):
            # `play` judges whose turn it is.
            return word
        if text in self.written:
            return text
        found = find(self.state.board, self.written, text)
        if found is None:
            raise refusal(self.state, self.written, text)
        return found

    def draft(self, seat: Seat, text: str) -> Draft:
        """From empty text, the square of an own piece, or a move, with the transformations that it allows."""
        board, written = self.state.board, self.written if seat in self.turns else {}
        start = SQUARE_NUMBERS.get(text.strip().lower(), -1)
        if not text.strip():
            return Draft("", self.view(seat), False, choices(board, written))
        if written and start >= 0 and board[start] & self.state.side:
            found = choices_from(board, written, start)
            scene = self.view(seat)
            if not found:
                scene = scene._replace(notes=(*scene.notes, why_stuck(self.state, start)))
            return Draft(SQUARE_NAMES[start], scene, False, found)
        move = self.read(seat, text)
        return Draft(move, self.play(seat, move).view(seat), True, transformations(board, written, move))

    def view(self, seat: Seat | None) -> Scene:
        last = self.history.last
        if last:
            last = last._replace(text=last.text + self.sign)
        return picture(self.state, last, self.check, tuple(self._notes(seat)))

    @property
    def sign(self) -> str:
        """What people write after the move that led here: `+` for check, `#` for checkmate."""
        if not self.check:
            return ""
        return "+" if self._legal else "#"

    def _notes(self, viewer: Seat | None) -> Iterator[str]:
        mover = self.sides[self.seat].capitalize()
        if self.check:
            yield f"{mover} is in check." if self._legal else f"{mover} is checkmated."
        if self.offer is not None:
            names = [self.sides[seat].capitalize() for seat in (self.offer, 1 - self.offer)]
            if viewer == self.offer:
                yield f"You've offered a draw: {names[1]} accepts it with draw, or declines it by moving."
            elif viewer is not None:
                yield f"{names[0]} offers a draw: you accept it with draw, or decline it by moving."
            else:
                yield f"{names[0]} offers a draw: {names[1]} accepts it with draw, or declines it by moving."

    @property
    def occupants(self) -> Mapping[str, str]:
        return {SQUARE_NAMES[square]: fen_letter(piece) for square, piece in enumerate(self.state.board) if piece}

    @property
    def stone(self) -> list[str]:
        """The squares of all petrified pieces, by file and rank."""
        by_file = sorted(stones(self.state.board), key=lambda square: (square % SIZE, square))
        return [SQUARE_NAMES[square] for square in by_file]

    @property
    def facts(self) -> Mapping[str, object]:
        return {"check": self.check, "stone": self.stone, "fen": self.setup}

    @property
    def setup(self) -> str:
        return write_fen(self.state)


def _moment(state: State) -> _Moment:
    return state.board, state.side, state.rights


def _is_dead(board: bytes) -> bool:
    """Whether nobody can be mated: King against King, or against King and one Advisor or Horse, Morph or not."""
    if board.count(0) < len(board) - 3:
        return False
    others = [piece & KIND for piece in board if piece and piece & KIND != KING]
    return not others or others[0] in (ADVISOR, HORSE)


def first_position(fen: str = "") -> PillarsPosition:
    """The first position of a match, from a canonical FEN, or the inventor's own setup."""
    return PillarsPosition(History(read_fen(fen or START)))


def played(position: Position, seat: Seat, order: str) -> PillarsPosition:
    """`position.play`, for callers that need a PillarsPosition; the match must not end by leaving or agreement."""
    after = position.play(seat, order)
    assert isinstance(after, PillarsPosition)
    return after


def replayed(first: Position, log: Log) -> Position:
    """The position after canonical moves that were accepted before.

    Looks only at pieces that could be meant, and judges only the last moment.
    """
    assert isinstance(first, PillarsPosition)
    here: PillarsPosition | None = first
    history, number, offer = first.history, first.round, first.offer
    for seat, order in log:
        if move := trusted(history.state, order):
            here, history, number = None, history.after(order, move), number + 1
            offer = offer if offer == seat else None
            continue
        after = (here or PillarsPosition(history, number, offer)).play(seat, order)
        if not isinstance(after, PillarsPosition):
            return after
        here, history, number, offer = after, after.history, after.round, after.offer
    return here or PillarsPosition(history, number, offer)


def perft(history: History, depth: int) -> int:
    """The number of ways to play `depth` moves, without writing any of them as text."""
    position = PillarsPosition(history)
    if depth == 0 or position.outcome is not None:
        return int(depth == 0)
    legal = position._legal
    return len(legal) if depth == 1 else sum(perft(history.after("", move), depth - 1) for move in legal)
