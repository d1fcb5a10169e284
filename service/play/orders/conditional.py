"""Conditional moves: `if c7 then d8 if e5 then f6; if pass then pass`. The tree is stored as branches from the root,
each a row of conditions and replies. A condition is what the others may type for their next move; a reply is submitted
like any order, and judged when its condition is met. Nobody but their owner ever sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import exists, select

from service.engine.excerpt import told
from service.engine.game import Illegal, OutOfTurn, Position, Unreadable
from service.mail.grammar.conditional import Branch, UnclearBranch
from service.mail.grammar.conditional import branches as read_branches
from service.mail.grammar.orders import is_unsure, parse
from service.play.links import mark
from service.play.orders import alternatives
from service.play.orders.alternatives import unnumbered
from service.play.orders.preview import example
from service.play.orders.submit import Incoming, submit
from service.play.site import Transaction
from service.play.table import teams
from service.store.models import Match, Seat, Submission

MOST = 50


def read(text: str, like: str = "if c7 then d8; if pass then pass") -> tuple[Branch, ...]:
    """The branches of a tree as typed, without the numbers of moves; none for `forget`. Raises Unreadable, with an
    example, or Illegal."""
    if is_unsure(text):
        raise _unclear(text, like)
    try:
        branches = _branches(text)
    except UnclearBranch as error:
        raise _unclear(str(error), like) from error
    if len(branches) > MOST:
        raise Illegal(f"Conditional moves can have up to {MOST} branches; these have {len(branches)}.")
    _check(branches)
    return branches


def _branches(text: str) -> tuple[Branch, ...]:
    """The branches without the numbers of moves. Once a move is played that they name in two ways, they may contradict
    each other: the first counts."""
    found = read_branches(text)
    return tuple(tuple((unnumbered(when), unnumbered(reply)) for when, reply in branch) for branch in found)


def _unclear(text: str, like: str) -> Unreadable:
    return Unreadable(f"{told(text)} isn't clear. Write conditional moves like this: {like}.")


def write(branches: tuple[Branch, ...]) -> str:
    """What `read` reads back."""
    return "; ".join(" ".join(f"if {when} then {reply}" for when, reply in branch) for branch in branches)


def after(branches: tuple[Branch, ...], fits: Callable[[str], bool]) -> tuple[str, tuple[Branch, ...]] | None:
    """The reply to a move that `fits` recognises, and what is left of the tree then; None if no branch has it."""
    followed = [branch for branch in branches if fits(branch[0][0])]
    if not followed:
        return None
    reply = followed[0][0][1]
    return reply, tuple(branch[1:] for branch in followed if branch[0][1] == reply and branch[1:])


def order(match: Match, seat: Seat, position: Position, plan: str) -> None:
    """Saves a seat's conditional moves, replacing earlier ones; raises MoveError."""
    seat.ahead = write(check(match, seat, position, plan))


def check(match: Match, seat: Seat, position: Position, plan: str) -> tuple[Branch, ...]:
    """A seat's conditional moves, checked but not saved; raises MoveError."""
    if match.state == "over":
        raise OutOfTurn("The match is over.")
    found = example(position, seat.number)
    like = f"if {found[0]} then {found[1]}" if found else "if c7 then d8; if pass then pass"
    branches = read(plan, like)
    teams.check_ahead(match, seat, branches)
    for when, reply in (step for branch in branches for step in branch):
        others = [one for one in range(len(position.sides)) if one != seat.number]
        mover = next((one for one in others if alternatives.is_readable(position, one, when)), None)
        if mover is None or not alternatives.is_readable(position, seat.number, reply):
            raise _unclear(f"if {when} then {reply}", like)
        alternatives.check_cells(position, mover, when)
        alternatives.check_cells(position, seat.number, reply)
    if branches and len(position.public_turns) > 1 and position.phase == "play":
        raise Illegal("In this game everybody moves at the same time, so there's no opponent's move to wait for.")
    return branches


def fire(
    tx: Transaction,
    match: Match,
    before: Position,
    now_at: Position,
    played: Submission,
    move: str,
) -> dict[int, str]:
    """Submits the conditional replies to a move that was just `played`. Returns the seats that had some: "" if the
    reply is submitted, else the tree that did not fit and is dropped."""
    told: dict[int, str] = {}
    for seat in match.seats:
        if not seat.ahead or seat.number == played.seat or seat.number not in now_at.turns:
            continue
        planned, seat.ahead = seat.ahead, ""
        found = after(_branches(planned), lambda typed: alternatives.reads_as(before, played.seat, typed, move))
        told[seat.number] = planned
        if found is not None:
            told[seat.number], seat.ahead = "", write(found[1])
            _send(tx, seat, now_at.round, found[0], played)
    return told


def answer(
    tx: Transaction,
    match: Match,
    before: Position,
    now_at: Position,
    played: Submission,
    move: str,
) -> set[int]:
    """Submits the conditional answers to a draw offer, or to its refusal: `if draw then draw`. Returns the seats that
    had one. An offer isn't a move: conditional moves still wait for one."""
    answering: set[int] = set()
    for seat in match.seats:
        if not seat.ahead or seat.number == played.seat:
            continue
        found = after(_branches(seat.ahead), lambda typed: alternatives.reads_as(before, played.seat, typed, move))
        if found is not None:
            _send(tx, seat, now_at.round, found[0], played)
            answering.add(seat.number)
    return answering


def have_answered(tx: Transaction, planned: Sequence[Seat], played: Submission) -> bool:
    """Whether one of these seats, which had conditional moves, has just replied to an order."""
    keys = [_key(seat, played) for seat in planned]
    return bool(tx.session.scalar(select(exists().where(Submission.key.in_(keys)))))


def _key(seat: Seat, played: Submission) -> str:
    return f"ahead:{mark(played)}:{seat.number}"


def _send(tx: Transaction, seat: Seat, round_: int, reply: str, played: Submission) -> None:
    """Submits a reply like any order, once for each order that it answers."""
    assert seat.player_id is not None, "Only its players send conditional moves for a seat."
    order = parse(reply)
    submit(tx, Incoming(_key(seat, played), seat.match_id, seat.number, seat.player_id, round_, order, "ahead"))


def _check(branches: tuple[Branch, ...]) -> None:
    """Checks that branches don't contradict each other; raises Illegal if two answer the same moves differently."""
    replies: dict[tuple[object, ...], str] = {}
    for branch in branches:
        for depth, (when, reply) in enumerate(branch):
            path = (branch[:depth], when.lower())
            if replies.setdefault(path, reply) != reply:
                raise Illegal(f"There are two replies to {when}: {replies[path]} and {reply}. Choose one of them.")
