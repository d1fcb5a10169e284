"""Turns a tree of privately tried moves into a move and conditional moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.engine.game import Illegal, MoveError
from service.mail.grammar import conditional
from service.play.orders import conditional as ahead
from service.play.orders.submit import check_length


@dataclass(frozen=True, slots=True)
class Branch:
    """A move tried, the side that made it, and what was tried after it."""

    id: int
    side: str
    move: str
    after: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A tree as one order for the match: `now` is the move it plays at once, if any, and `text` all of it.

    Where it cannot be ordered, `text` is "" and `unclear` the sentence why.
    """

    text: str
    now: str = ""
    unclear: str = ""


NO_PLAN = Plan("")


def plan(tree: Sequence[Branch], side: str, to_move: bool, path: Sequence[Branch]) -> Plan:
    """The moves that `side` would order, from the variations it tried where two play in turn; NO_PLAN if it tried no
    reply.

    The player to move begins with the move that `path` begins with, or the only one that was tried.
    """
    if not to_move:
        return _written("", tuple(_replies(tree, side)))
    roots = list(path[:1] or tree)
    replies = [(root.move, tuple(_replies(_whole(root, tree).after, side))) for root in roots if root.side == side]
    return _written(*replies[0]) if len(replies) == 1 else NO_PLAN


def _whole(root: Branch, tree: Sequence[Branch]) -> Branch:
    """The branch with all that was tried after it."""
    return next(one for one in tree if one.id == root.id)


def _replies(tree: Sequence[Branch], side: str) -> Iterator[conditional.Branch]:
    """Each sequence of others' moves and replies of `side`, as far as they take turns."""
    for theirs in tree:
        for reply in theirs.after:
            if theirs.side != side and reply.side == side:
                further = tuple(_replies(reply.after, side)) or ((),)
                yield from (((theirs.move, reply.move), *row) for row in further)


def _written(now: str, branches: tuple[conditional.Branch, ...]) -> Plan:
    if not branches:
        return NO_PLAN
    planned = ahead.write(branches)
    text = f"{now}; {planned}" if now else planned
    try:
        check_length(text, "")
        if ahead.read(planned) != branches:
            raise Illegal("These moves can't be written as conditional moves.")
    except MoveError as error:
        return Plan("", now, str(error))
    return Plan(text, now)
