"""The orders of these games other than points: `c7 take blue white`, `prefer blue white`, `ally red blue`, `alone`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from service.engine.game import Illegal, Seat, Unreadable
from service.engine.scene import STONES
from service.engine.stone_games.stone_orders import read_order, tidy
from service.engine.stone_games.stone_position import listed

_TAKE = r"\b(?:and )?(?:take|taking|takes)\b"
_POINT = r"[a-z]\d+"
_PREFER = r"^(?:prefer|preference|preferring)s?\b[\s:]*(.*)$"
_ALLY = r"^(?:ally|allies|alliance|allied)\b[\s:]*(?:with\b)?(.*)$"
_FILLER = r"[\s,;:/>+&-]+|\b(?:then|and|before|myself|me)\b"
_COUNTED = r"\b([1-9])\s*x?\s*([a-z]+)\b|\b([a-z]+)\s*x\s*([1-9])\b"


def read(text: str, sides: tuple[str, ...], example: Callable[[], str]) -> str:
    """One canonical order; raises Unreadable, Ambiguous, or Illegal for a colour that doesn't play here.

    `example` returns a legal move for messages.
    """
    order, two = tidy(text), " ".join(sides[-2:])
    if said := re.match(_PREFER, order):
        if said[1] == "none":
            return "prefer none"
        return f"prefer {' '.join(dict.fromkeys(_colours(said[1], sides, f'prefer {two}, or prefer none')))}"
    if said := re.match(_ALLY, order):
        return f"ally {' '.join(sorted(set(_colours(said[1], sides, f'ally {two}')), key=sides.index))}"
    if order == "alone":
        return order
    if (said := re.search(_TAKE, order)) and said.start():
        point = read_order(order[: said.start()], example)
        if not re.fullmatch(_POINT, point):
            raise Unreadable(f"Prisoners can only be taken by placing a stone. Write for example c3 take {two}.")
        return f"{point} take {' '.join(_colours(order[said.end() :], sides, f'{point} take {two}'))}"
    return read_order(text, example)


def _colours(text: str, sides: tuple[str, ...], example: str) -> list[str]:
    """The colours named, with `2 blue` and `blue x 2` repeated as often; raises Unreadable or Illegal."""
    spelled = re.sub(_COUNTED, lambda m: f"{m[2] or m[3]} " * int(m[1] or m[4]), text)
    names = re.sub(_FILLER, " ", spelled).split()
    for name in names:
        if name not in STONES:
            raise Unreadable(f"{name[:40]!r} isn't a colour. Write for example {example}.")
        if name not in sides:
            raise Illegal(f"Nobody plays {name.capitalize()} here; the colours are {listed([*sides])}.")
    if not names:
        raise Unreadable(f"Which colours? Write for example {example}.")
    return names


def seats(names: Iterable[str], sides: tuple[str, ...]) -> tuple[Seat, ...]:
    """The seats of the colours in a canonical order; `none` is nobody. Raises Unreadable."""
    wanted = [name for name in names if name != "none"]
    for name in wanted:
        if name not in sides:
            raise Unreadable(f"{name[:40]!r} isn't one of the colours {listed([*sides])}.")
    return tuple(map(sides.index, wanted))


def whose(seats: Iterable[Seat], sides: tuple[str, ...]) -> str:
    """`Black`, `Black and White`, `Black, White and Red`."""
    return listed([sides[seat].capitalize() for seat in seats])
