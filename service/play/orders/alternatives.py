"""Choices in order of preference, `c7 or d8 or pass`: the first that can be played is played. They are for orders
judged later: conditional moves, and the standing order played for a late player. In simultaneous rounds the board
doesn't change before the round resolves, so the first choice counts; if two players choose the same point, both lose
it, and their second choices aren't used (rules, R2)."""

from __future__ import annotations

import re

from service.engine.excerpt import told
from service.engine.game import AGREEMENTS, Illegal, MoveError, OutOfTurn, Position, Unreadable
from service.mail.grammar import orders
from service.mail.grammar.orders import Standing
from service.store.models import Match, Place

MOST = 10
_NUMBERED = re.compile(r"\s*(\d{1,3})\s*[.)][.\s]*([^\W\d].*|\(.*)", re.DOTALL)
"""A move after its number, as in `12. e5`."""

_CELL = re.compile(r"[a-z]{1,2}\d{1,2}")


def choose(position: Position, seat: int, text: str) -> str:
    """The first choice that can be played, as a canonical move; raises MoveError. An unreadable choice is an error, so
    that a typo never plays the second choice instead of the first."""
    text = unnumbered(text)
    _check_sure(text)
    choices = orders.choices(text)
    if len(choices) == 1:
        return position.read(seat, text)
    refusals: list[MoveError] = []
    moves = [position.read(seat, choice) for choice in choices]
    for move in moves:
        try:
            position.play(seat, move)
        except (Illegal, OutOfTurn) as error:
            refusals.append(error)
        else:
            return move
    raise refusals[0]


def _check_sure(text: str) -> None:
    if orders.is_unsure(text):
        raise Unreadable(f"The question mark within {told(text)} leaves open which move you mean. Write it without.")


def reads_as(position: Position, seat: int, text: str, move: str) -> bool:
    """Whether what was typed is this move, had that seat sent it."""
    try:
        return position.read(seat, unnumbered(text)) == move
    except MoveError:
        return False


def unnumbered(text: str, position: Position | None = None) -> str:
    """A move without its number. With a `position`, raises OutOfTurn if the number isn't that of its next move, or of a
    round whose orders are still accepted."""
    found = _NUMBERED.fullmatch(text)
    if found is None or not isinstance(orders.parse(found[2]), orders.Move):
        return text
    known = (position.turn_number, *range(position.asked_since, position.round + 1)) if position is not None else ()
    if position is not None and int(found[1]) not in known:
        at_once = len(position.public_turns) > 1
        now = f"round {position.round}" if at_once else f"move {position.round}, in round {position.turn_number}"
        raise OutOfTurn(
            f"You wrote {int(found[1])} before your move, but this is {now}. Nothing was played. "
            "If you mean the move for this board, send it again without a number."
        )
    return found[2]


def is_readable(position: Position, seat: int, text: str) -> bool:
    """Whether every choice has the form of a move, legal here or not, or is an answer that may be legal later."""
    return all(_is_readable(position, seat, choice) for choice in orders.choices(unnumbered(text)))


def _is_readable(position: Position, seat: int, text: str) -> bool:
    if orders.answers_offer(orders.parse(text)):
        return True
    try:
        position.read(seat, text)
    except Unreadable:
        return False
    except MoveError:
        return True
    return True


def check_cells(position: Position, seat: int, text: str) -> None:
    """Raises Illegal if a choice names a cell that the board doesn't have: such a move can never be played."""
    cells = {name.lower() for name in position.view(None).board.names}
    for choice in orders.choices(text):
        try:
            named = _CELL.findall(position.read(seat, choice).lower())
        except MoveError:
            continue
        # A letter for a piece may come before the cell, as in xd4.
        missing = next((name for name in named if name not in cells and name[1:] not in cells), None)
        if missing is not None:
            raise Illegal(f"There's no {missing} on this board, so {choice} can never be played. Nothing was saved.")


def keep_standing(match: Match, seat: Place, position: Position, order: Standing, late: str) -> None:
    """Saves the standing order of a seat, replacing the previous one; raises MoveError."""
    check_standing(match, seat, position, order, late)
    seat.standing = " or ".join(order.choices)


def check_standing(match: Match, seat: Place, position: Position, order: Standing, late: str) -> None:
    """Raises MoveError for a standing order that can't be kept."""
    choices = order.choices
    if choices and late == "lose":
        raise Illegal("In this match, running out of time loses, so a standing order would never be used.")
    if len(choices) > MOST:
        raise Illegal(f"A standing order can have up to {MOST} choices; this one has {len(choices)}.")
    if seat.number not in position.active or match.state != "running":
        raise OutOfTurn("You're no longer playing in this match.")
    _check_sure(order.moves)
    for choice in choices:
        move = position.read(seat.number, choice)
        check_cells(position, seat.number, choice)
        if position.is_private(move) or move == "decline":
            raise Illegal(f"{move.capitalize()} ends no turn, so a standing order never plays it. Nothing was saved.")


def fallback(position: Position, seat: Place) -> str | None:
    """The move a seat's standing order makes here; None if there is none or it cannot be played. A preference, or the
    offer of a draw, doesn't count: the match would go on waiting for the player, whose time is up."""
    if not seat.standing:
        return None
    for choice in orders.choices(seat.standing):
        try:
            move = position.read(seat.number, choice)
            after = position.play(seat.number, move)
        except MoveError:
            continue
        if after.outcome is not None or not (position.is_private(move) or move in AGREEMENTS):
            return move
    return None
