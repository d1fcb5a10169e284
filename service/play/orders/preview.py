"""What an order would do, shown to its owner before it is sent; and an example of a conditional move."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice

from service.engine.game import Choice, Draft, Position, Seat
from service.engine.options import Word
from service.games import GAMES
from service.mail.grammar.conditional import Branch

_CELL = re.compile(r"[a-z]\d+")

LIVELY = 7
"""Which of the listed moves an example shows: the first ones are in a corner."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A draft with its consequences. `told` is what the match would newly say about it; once play has ended, also what
    follows, such as who would win. `changed` is each number beside the board that it changes: label, before and after.
    `following` are the sides whose turn it would be then, none when the match would be over; it is None if that is
    unknown or hidden.

    `deed` is there for an order that isn't a move, as in `Verdict`: `branches` are its conditional moves, and `choices`
    what it would have played for a player who is late.
    """

    draft: Draft
    told: tuple[str, ...] = ()
    changed: tuple[tuple[str, str, str], ...] = ()
    following: tuple[str, ...] | None = None
    deed: str = ""
    branches: tuple[Branch, ...] = ()
    choices: tuple[str, ...] = ()


def foreseen(position: Position, seat: Seat, draft: Draft) -> Preview:
    """What follows from a draft of `seat`, from what that seat may see; who moves next only where everybody knows."""
    if not draft.text:
        return Preview(draft)
    before, after = position.view(seat), draft.scene
    numbers = dict(before.facts)
    changed = tuple(
        (label, numbers.get(label, ""), now)
        for label, now in after.facts
        if numbers.get(label) != now and label not in after.counting
    )
    told = tuple(note for note in after.notes if note not in before.notes)
    if position.phase != "play":
        told = tuple(dropwhile(before.notes.__contains__, after.notes))
    return Preview(draft, told, changed, _following(position, seat, draft))


def _following(position: Position, seat: Seat, draft: Draft) -> tuple[str, ...] | None:
    """If others are awaited too, who is next would reveal what they have sealed."""
    if not draft.complete or position.public_turns != (seat,) or position.is_private(draft.text):
        return None
    after = position.play(seat, draft.text)
    return tuple(position.sides[turn].capitalize() for turn in after.public_turns)


def example(position: Position, seat: Seat) -> tuple[str, str] | None:
    """A move of another seat and a reply of this one, both legal when they come; None if none is near.

    The others are assumed to play some move each, until it is the seat's turn again.
    """
    there, move = position, ""
    for _ in range(2 * len(position.sides)):
        if there.phase != "play" or len(there.public_turns) != 1:
            return None
        mover = there.turns[0]
        if mover == seat and there is not position and move:
            reply = _some(there.moves(seat))
            return (move, reply) if reply else None
        played = _some(there.moves(mover))
        if not played:
            return None
        there, move = there.play(mover, played), played if mover != seat else ""
    return None


def _some(moves: Iterable[str]) -> str:
    """A move from among the first, not a pass if there is another."""
    found = [move for move in islice(moves, LIVELY + 1) if move != "pass"]
    return found[-1] if found else ""


def words(game: str, phase: str, offered: Sequence[Choice]) -> tuple[Word, ...]:
    """How orders are written in this phase of a game, with examples out of `choices` where these have one."""
    cells = [choice.text for choice in offered if _CELL.fullmatch(choice.text)]
    known = {choice.text.partition(" ")[0]: choice.text for choice in offered if re.search(r" (?!none$)", choice.text)}
    if cells:
        known[""] = cells[len(cells) // 2]
    told = [word for word in GAMES[game].words if word.phase == phase]
    return tuple(word._replace(usage=_fitting(word.usage, known)) for word in told)


def _fitting(usage: str, known: Mapping[str, str]) -> str:
    """Replaces an example order by one that is legal here; `dead none` and the like stay."""
    first, _, rest = usage.partition(" ")
    if _CELL.fullmatch(usage):
        return known.get("", usage)
    return known.get(first, usage) if rest and rest != "none" else usage
