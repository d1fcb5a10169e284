"""What the last move or turn did, in sentences that players can check: every capture with its shares and picks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from service.engine.board import Board
from service.engine.game import Seat
from service.engine.scene import passed
from service.games.multiplayer_go.prisoners import Capture, Haul, Sharing
from service.games.multiplayer_go.words import whose


class Report(NamedTuple):
    """One move, or one turn of a simultaneous game. Points are indices of the board."""

    placed: Mapping[Seat, int] = MappingProxyType({})
    passed: tuple[Seat, ...] = ()
    collided: Mapping[int, tuple[Seat, ...]] = MappingProxyType({})
    """Each point that several seats chose, with these seats."""
    void: bool = False
    """Whether `placed` would have repeated a position, so that no stone was placed."""
    captures: tuple[Capture, ...] = ()
    agreed: bool = False
    """Whether the players agreed that the stones in `captures` were dead; otherwise a move or turn took them."""
    left: tuple[tuple[Seat, str], ...] = ()
    """Seats that have left since the previous move or turn, with the reason."""
    skipped: tuple[Seat, ...] = ()
    """Seats whose next turn is skipped, to compensate for moving first."""
    late: tuple[Seat, ...] = ()
    """Seats that sent no move before the turn's time was up."""

    @property
    def fallen(self) -> Counter[Seat]:
        """How many stones of each colour left the board."""
        return Counter(colour for capture in self.captures for colour in capture.haul.colours)

    @property
    def marks(self) -> dict[int, tuple[str, ...]]:
        """The points where stones were placed and captured, with their marks."""
        marks: dict[int, tuple[str, ...]] = {}
        if not self.void:
            marks.update(dict.fromkeys(self.placed.values(), ("last",)))
        for capture in self.captures:
            for point in capture.haul.points:
                marks[point] = (*marks.get(point, ()), "captured")
        return marks

    def notes(self, board: Board, sides: tuple[str, ...]) -> Iterator[str]:
        """Whole sentences, one for each thing that happened."""
        yield from departures(self.left, sides)
        for point, seats in self.collided.items():
            yield (
                f"{whose(seats, sides)} all chose {board.names[point]}, so none of these stones was placed."
                if len(seats) > 2
                else f"{whose(seats, sides)} both chose {board.names[point]}, so neither stone was placed."
            )
        yield from self._placements(board, sides)
        yield from self.divisions(board, sides)
        if self.skipped:
            verb = "is" if len(self.skipped) == 1 else "are"
            yield f"{whose(self.skipped, sides)} {verb} skipped in this round, to make up for moving first."

    def divisions(self, board: Board, sides: tuple[str, ...]) -> Iterator[str]:
        """A sentence or more for each capture: who got which of its stones."""
        why = "live around {}" if self.agreed else "took the liberties"
        for capture in self.captures:
            yield told(capture, board, sides, why.format("it" if len(capture.haul.points) == 1 else "them"))

    def _placements(self, board: Board, sides: tuple[str, ...]) -> Iterator[str]:
        played = [f"{whose([seat], sides)} {board.names[point]}" for seat, point in self.placed.items()]
        if self.void:
            yield f"The turn is void, because it would repeat an earlier position: {', '.join(played)} had no effect."
        elif len(played) == 1:
            seat, point = next(iter(self.placed.items()))
            yield f"{whose([seat], sides)} played {board.names[point]}."
        elif played:
            yield f"Placed at the same time: {', '.join(played)}."
        if self.passed:
            yield passed(whose(self.passed, sides))
        if self.late:
            yield f"{whose(self.late, sides)} sent no move in time."


def departures(left: Iterable[tuple[Seat, str]], sides: tuple[str, ...]) -> Iterator[str]:
    """A sentence for each seat that has left, with the reason."""
    for seat, reason in left:
        how = "resigned" if reason == "resignation" else "ran out of time"
        yield f"{whose([seat], sides)} {how}; the stones stay on the board."


def told(capture: Capture, board: Board, sides: tuple[str, ...], why: str) -> str:
    """A capture in one line: its stones, captors, droppers, shares, picks in order, and eliminated stones. `why` says
    what several captors did."""
    haul = capture.haul
    number = len(haul.captors)
    names = " ".join(board.names[point] for point in haul.points)
    stones = f"{names} left the board ({counted(haul.colours, sides)})"
    if capture.sharing is Sharing.NOBODY:
        return f"{stones}; each counts against its owner."
    gone = "it's eliminated" if len(haul.points) == 1 else "all of them are eliminated"
    if not number:
        return f"{stones}; no other stones are left, so {gone}."
    captors = whose(haul.captors, sides)
    if capture.sharing is Sharing.SOLE and number > 1:
        return f"{stones}; {captors} {why} together, so {gone}."
    rest = f" Eliminated: {counted(spread(capture.eliminated), sides)}." if capture.eliminated else ""
    if number == 1:
        taken = [colour for _, colours in capture.picks for colour in colours]
        if not taken:
            return f"{stones}; nobody can take stones of their own colour, so {gone}."
        return f"{stones}; {captors} alone took {counted(taken, sides)}.{rest}"
    picks = "; ".join(f"{whose([seat], sides)} chose {counted(colours, sides)}" for seat, colours in capture.picks)
    return f"{stones}. {_shares(haul, sides)}. {picks or 'Nobody got any'}.{rest}"


def _shares(haul: Haul, sides: tuple[str, ...]) -> str:
    """`5 stones for 2 captors, Black and White: 2 each, and rest 1, which …`."""
    size, number = len(haul.points), len(haul.captors)
    each, rest = divmod(size, number)
    stones = "1 stone" if size == 1 else f"{size} stones"
    shares = f"{stones} for {number} captors, {whose(haul.captors, sides)}: {each} each"
    if not rest:
        return shares
    if not haul.droppers:
        return f"{shares}, rest {rest} for nobody"
    extra = rest // len(haul.droppers)
    them = "it" if size == 1 else "them"
    droppers = f"{whose(haul.droppers, sides)}, who placed a stone beside {them}"
    if not extra:
        return f"{shares}, rest {rest}, too few for {droppers}"
    return f"{shares}, rest {rest}, {extra} {'each ' if len(haul.droppers) > 1 else ''}for {droppers}"


def spread(counts: Mapping[Seat, int]) -> Iterator[Seat]:
    """Each colour, repeated as often as its count says."""
    return (colour for colour, number in counts.items() for _ in range(number))


def counted(colours: Iterable[Seat], sides: tuple[str, ...]) -> str:
    """`white 2, blue 1`, in turn order."""
    return ", ".join(f"{sides[colour]} {number}" for colour, number in sorted(Counter(colours).items()))
