"""Orders given ahead: `if c7 then d8 if e5 then f6; if pass then pass`.

What is kept is the tree as its branches from the root, each a row of conditions and replies. A condition is what
the others may type for their next move; a reply goes through the door that all orders go through, and is judged when
its moment has come. Nobody but their owner ever sees them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from sqlalchemy.orm import Session

from service.engine.game import Illegal, Position, Unreadable
from service.play import ranked
from service.play.foresee import example
from service.play.submit import Order, keep, mark
from service.store.models import Match, Seat, Submission

Branch: TypeAlias = tuple[tuple[str, str], ...]
"""Condition and reply, again and again."""

MOST = 50

_WITH_ORDER = re.compile(r"(?is)(.*?)[\s;,.]*\b(if\b.*|forget\W*)")
_STEP = re.compile(r"(?is)\s*,?\s*if\b\s*(.+?)[\s,]*\bthen\b\s*(.+?)(?=\s*,?\s*\bif\b|$)")


def split(text: str) -> tuple[str, str | None]:
    """An order as the move for now ("" if there is none) and what is ordered ahead (None if nothing is)."""
    found = _WITH_ORDER.fullmatch(text)
    return (found[1].strip(), found[2]) if found else (text, None)


def read(text: str, like: str = "if c7 then d8; if pass then pass") -> tuple[Branch, ...]:
    """The branches of a tree as typed; none for `forget`. Raises Unreadable, with an example, or Illegal."""
    if text.lower().startswith("forget"):
        return ()
    parts = [part for part in text.rstrip(" .;").split(";") if part.strip()]
    branches = tuple(_branch(part, like) for part in (*parts[:1], *map(_begun, parts[1:])))
    if len(branches) > MOST:
        raise Illegal(f"Up to {MOST} branches can be ordered ahead, not {len(branches)}.")
    _check(branches)
    return branches


def _begun(part: str) -> str:
    """A branch behind a semicolon, where many do not say `if` once more."""
    return part if re.match(r"\W*if\b", part, re.IGNORECASE) else f"if {part.strip()}"


def write(branches: tuple[Branch, ...]) -> str:
    """What `read` reads back."""
    return "; ".join(" ".join(f"if {when} then {reply}" for when, reply in branch) for branch in branches)


def after(branches: tuple[Branch, ...], fits: Callable[[str], bool]) -> tuple[str, tuple[Branch, ...]] | None:
    """The reply to a move that `fits` recognises, and what is left of the tree then; None where no branch has it."""
    followed = [branch for branch in branches if fits(branch[0][0])]
    if not followed:
        return None
    reply = followed[0][0][1]
    return reply, tuple(branch[1:] for branch in followed if branch[0][1] == reply and branch[1:])


def order(seat: Seat, position: Position, text: str) -> None:
    """Keeps what a seat orders ahead in place of what it had ordered; raises MoveError."""
    found = example(position, seat.number)
    branches = read(text, f"if {found[0]} then {found[1]}") if found else read(text)
    if branches and len(position.public_turns) > 1 and position.phase == "play":
        raise Illegal("Here all choose at the same time, so there is no move of others to wait for.")
    seat.ahead = write(branches)


def fire(
    session: Session,
    now: datetime,
    match: Match,
    before: Position,
    now_at: Position,
    played: Submission,
    move: str,
) -> dict[int, str]:
    """Sends the replies ordered ahead to a move that was just `played`.

    Returns the seats that had ordered something: "" where the reply is on its way, else the tree that did not fit
    and is dropped.
    """
    told: dict[int, str] = {}
    for seat in match.seats:
        if not seat.ahead or seat.number == played.seat or seat.number not in now_at.turns:
            continue
        planned, seat.ahead = seat.ahead, ""
        found = after(read(planned), lambda typed: ranked.reads_as(before, played.seat, typed, move))
        told[seat.number] = planned
        if found is not None:
            told[seat.number], seat.ahead = "", write(found[1])
            _send(session, now, seat, now_at.round, found[0], played)
    return told


def answer(
    session: Session,
    now: datetime,
    match: Match,
    before: Position,
    now_at: Position,
    played: Submission,
    move: str,
) -> set[int]:
    """Sends what was ordered ahead in answer to an offer of a draw, or to its refusal: `if draw then draw`.

    Returns the seats that had ordered an answer. An offer is no move: what is ordered ahead goes on waiting for one.
    """
    answering: set[int] = set()
    for seat in match.seats:
        if not seat.ahead or seat.number == played.seat:
            continue
        found = after(read(seat.ahead), lambda typed: ranked.reads_as(before, played.seat, typed, move))
        if found is not None:
            _send(session, now, seat, now_at.round, found[0], played)
            answering.add(seat.number)
    return answering


def _send(session: Session, now: datetime, seat: Seat, round_: int, reply: str, played: Submission) -> None:
    """Sends a reply through the door that all orders go through, once for each order that it answers."""
    assert seat.player_id is not None, "Only those who sit there order ahead."
    key = f"ahead:{mark(played)}:{seat.number}"
    keep(session, Order(key, seat.match_id, seat.number, seat.player_id, round_, reply, "ahead"), now)


def _branch(text: str, like: str) -> Branch:
    steps, at = [], 0
    while at < len(text.rstrip()):
        found = _STEP.match(text, at)
        if not found:
            raise Unreadable(f"{text.strip()[:60]!r} is not clear. Orders ahead are written like {like}.")
        steps.append((" ".join(found[1].split()), " ".join(found[2].split()).rstrip(" .,")))
        at = found.end()
    return tuple(steps)


def _check(branches: tuple[Branch, ...]) -> None:
    """One answer to everything; raises Illegal where two branches answer the same with something else."""
    replies: dict[tuple[object, ...], str] = {}
    for branch in branches:
        for depth, (when, reply) in enumerate(branch):
            path = (branch[:depth], when.lower())
            if replies.setdefault(path, reply) != reply:
                raise Illegal(f"After {when} there are two answers, {replies[path]} and {reply}. Order one of them.")
