"""After play: the players agree which stones are dead, or play on (engine/README.md, "Words").

Works for two players and for many, and for simultaneous games alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.engine.game import Choice, Draft, Illegal, Outcome, Position, Seat, Unreadable
from service.engine.scene import Scene
from service.engine.stone_games.stone_orders import refusal
from service.engine.stone_games.stone_position import StonePosition, counted, listed
from service.engine.stone_games.stones import chain

SAID = {"accept": "Accept this count", "resume": "Play on"}
"""The labels of the buttons that answer the proposal."""
MOST_PROPOSALS = 10
"""How often one seat may name the dead stones, so that a dispute ends in playing on or in the count."""


def end_of_play(ended: StonePosition, again: bool) -> Position:
    """What follows the end of play in `ended`: the agreement, or immediately the count if play ends `again`."""
    if again:
        return ended.settled(frozenset(), ended.round - 1)
    return Scoring(ended, ended.round)


class Scoring(Position):
    """A proposal on the table: these stones are dead. All active seats must accept it."""

    phase = "scoring"
    outcome: Outcome | None = None

    def __init__(
        self,
        ended: StonePosition,
        round_: int,
        dead: frozenset[int] = frozenset(),
        accepted: frozenset[Seat] = frozenset(),
        proposers: tuple[Seat, ...] = (),
        since: int = 0,
    ) -> None:
        self.ended = ended
        self.sides = ended.sides
        self.round = round_
        self.dead = dead
        self.accepted = accepted
        self.proposers = proposers
        self.since = since or round_
        self.turns = tuple(seat for seat in ended.active if seat not in accepted)

    @property
    def active(self) -> tuple[Seat, ...]:
        return self.ended.active

    @property
    def asked_since(self) -> int:
        """The proposal's round: a player may accept it without having seen who else has accepted."""
        return self.since

    def moves(self, seat: Seat) -> Iterable[str]:
        """`accept` and `resume`; any `dead …` is legal too."""
        return ("accept", "resume") if seat in self.turns else ()

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """A player who has accepted may still make another proposal or resume play."""
        return move == "resume" or move.startswith("dead ") or self.ended.may_interrupt(seat, move)

    def is_private(self, move: str) -> bool:
        return self.ended.is_private(move)

    def advance(self, seat: Seat, move: str) -> Position:
        if move == "resume":
            return self.ended.resumed(self.round)
        if move == "accept":
            return self._next(self.dead, self.accepted | {seat}, self.proposers, self.since)
        if move.startswith("dead "):
            if not self._may_propose(seat):
                raise Illegal(
                    f"You've named the dead stones {MOST_PROPOSALS} times. Accept the proposal, or resume: "
                    "when play ends again, every stone counts as alive."
                )
            return self._next(self._proposed(move), frozenset({seat}), (*self.proposers, seat))
        if self.ended.may_interrupt(seat, move):
            ended = self.ended.advance(seat, move)
            assert isinstance(ended, StonePosition), "An aside does not end the match."
            return Scoring(ended, self.round, self.dead, self.accepted, self.proposers, self.since)
        if move == "pass" or move in self.ended.board.index:
            raise Illegal(f"Play has ended: accept the proposal, name the dead stones ({self._example}), or resume.")
        error = refusal(self.ended.board, move)
        raise error if isinstance(error, Illegal) else self._unreadable(move)

    def succeeded(self, seat: Seat) -> Position:
        """The public proposal and its acceptances remain."""
        ended = self.ended.succeeded(seat)
        assert isinstance(ended, StonePosition), "Nobody has left."
        return Scoring(ended, self.round, self.dead, self.accepted, since=self.since)

    def forfeit(self, seat: Seat, reason: str) -> Position:
        ended = self.ended.departed(seat, reason, self.round)
        if not isinstance(ended, StonePosition):
            return ended
        return Scoring(ended, self.round)._next(self.dead, self.accepted - {seat}, self.proposers, self.since)

    def _may_propose(self, seat: Seat) -> bool:
        return self.proposers.count(seat) < MOST_PROPOSALS

    def _next(
        self, dead: frozenset[int], accepted: frozenset[Seat], proposers: tuple[Seat, ...], since: int = 0
    ) -> Position:
        if accepted.issuperset(self.ended.active):
            return self.ended.settled(dead, self.round)
        return Scoring(self.ended, self.round + 1, dead, accepted, proposers, since)

    def _proposed(self, move: str) -> frozenset[int]:
        """The stones of all chains named in `dead …`; raises Illegal for stones that can't be dead."""
        dead: set[int] = set()
        names = move.split()[1:]
        for name in names if names != ["none"] else ():
            dead.update(self._chain(name))
        return frozenset(dead)

    def _chain(self, name: str) -> list[int]:
        board, cells = self.ended.board, self.ended.cells
        point = board.index.get(name)
        if point is None:
            raise refusal(board, name)
        if not cells[point]:
            raise Illegal(f"{name} is empty: name a stone of each dead chain, or say dead none.")
        points = chain(cells, board.neighbours, point)
        if not self.ended.mortal(points):
            raise Illegal(f"The chain at {name} cannot be captured, so it is not dead.")
        return points

    def read(self, seat: Seat, text: str) -> str:
        """Words and points as in play; `dead …` names the first stone of each chain, in the order of the board.

        A player who names the very stones of a proposal that somebody has accepted accepts it: no acceptance is lost.
        """
        move = self._said(seat, text)
        if not self.accepted or move != self._dead_order(self.dead):
            return move
        if seat in self.accepted:
            raise Illegal("You've already accepted exactly this proposal.")
        return "accept"

    def _said(self, seat: Seat, text: str) -> str:
        """`read`, for an order that is still being built."""
        try:
            move = self.ended.read(seat, text)
        except Unreadable:
            raise self._unreadable(text) from None
        if not move.startswith("dead ") or move == "dead none":
            return move
        return self._dead_order(self._proposed(move))

    def _dead_order(self, dead: frozenset[int]) -> str:
        cells, board = self.ended.cells, self.ended.board
        firsts = {min(chain(cells, board.neighbours, point)) for point in dead}
        return f"dead {' '.join(board.names[point] for point in sorted(firsts)) or 'none'}"

    def draft(self, seat: Seat, text: str) -> Draft:
        """Click a chain to mark it dead or alive again; or, before any click, accept or resume."""
        if not text.strip():
            buttons = tuple(Choice(move, move, (), SAID[move]) for move in self.moves(seat))
            toggles = self._toggles(self.dead) if self._may_propose(seat) else ()
            return Draft("", self.view(seat), False, (*buttons, *toggles))
        move = self._said(seat, text)
        after = self._known_to(seat).play(seat, move)
        if not move.startswith("dead "):
            return Draft(move, after.view(seat), True, ())
        dead = self._proposed(move)
        proposed = Scoring(self.ended, self.round, dead, frozenset({seat}), (seat,))
        return Draft(move, proposed.view(seat), True, tuple(self._toggles(dead)))

    def _known_to(self, seat: Seat) -> Scoring:
        """This proposal without the others' preferences, so that nobody can find them out by trying to accept last."""
        ended: Position = self.ended
        for other in range(len(self.sides)):
            ended = ended if other == seat else ended.succeeded(other)
        assert isinstance(ended, StonePosition), "Nobody has left."
        return Scoring(ended, self.round, self.dead, self.accepted, self.proposers, self.since)

    def _toggles(self, dead: frozenset[int]) -> Iterable[Choice]:
        board, cells = self.ended.board, self.ended.cells
        seen: set[int] = set()
        for start, stone in enumerate(cells):
            if not stone or start in seen:
                continue
            points = chain(cells, board.neighbours, start)
            seen.update(points)
            if self.ended.mortal(points):
                order = self._dead_order(dead ^ frozenset(points))
                yield from (Choice(order, board.names[point], (board.names[point],), order) for point in points)

    @property
    def occupants(self) -> Mapping[str, str]:
        return self.ended.occupants

    @property
    def facts(self) -> Mapping[str, object]:
        return {**self.ended.facts, **self.ended.lifted(self.dead).survey().facts(self.sides)}

    @property
    def setup(self) -> str:
        return self.ended.setup

    def view(self, seat: Seat | None) -> Scene:
        """The stones on the board, those proposed as dead marked, and the territory that the proposal would give."""
        scene = self.ended.view(seat)
        marks = {point: (*scene.marks.get(point, ()), "dead") for point in self.dead}
        # The notes on how play ended are shown until somebody has answered the proposal.
        told = scene.notes if self.round == self.ended.round else ()
        lifted = self.ended.lifted(self.dead)
        survey = lifted.survey()
        notes = (*told, *self._notes(), lifted.foretold(survey))
        return counted(scene._replace(marks={**scene.marks, **marks}, notes=notes), survey)

    def _notes(self) -> Iterable[str]:
        yield "Play has ended."
        yield self._proposal(self._dead_order(self.dead).removeprefix("dead "))
        if self.accepted:
            yield f"Accepted by {self._named(self.accepted)}. Still to accept: {self._named(self.turns)}."

    def _proposal(self, chains: str) -> str:
        """What is proposed, and who proposed it if anyone has named dead stones."""
        if not self.proposers:
            dead = "no stones are dead" if chains == "none" else f"the chains at {chains} are dead"
            return f"The proposal: {dead}."
        who = self.sides[self.proposers[-1]].capitalize()
        if chains == "none":
            return f"{who} proposes that no stones are dead."
        if len(self.dead) == len(chains.split()):
            return f"{who} proposes as dead: {chains}."
        each = "chains" if " " in chains else "chain"
        return f"{who} proposes as dead: the {each} at {chains}, {len(self.dead)} stones in all."

    def _named(self, seats: Iterable[Seat]) -> str:
        return listed([self.sides[seat].capitalize() for seat in sorted(seats)])

    @property
    def _example(self) -> str:
        """An order that names dead stones and can be sent as it is."""
        return next(iter(choice.text for choice in self._toggles(frozenset())), "dead none")

    def _unreadable(self, text: str) -> Unreadable:
        said = " ".join(text.split())[:60]
        return Unreadable(f"{said!r} isn't clear. Say accept, resume, or the dead stones: {self._example}.")
