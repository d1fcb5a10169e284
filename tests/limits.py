"""The limits of the service as its code has them: `python -m tests.limits > service/LIMITS.md` writes the list.

A limit is a constant whose value is a number or a time, or built from them, in a package that decides what people and
programs may do or how long something lasts. Its explanation is the string below it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from service.config import ROOT

ROOMS = ("api", "clock", "contests", "inbound", "mail", "play", "web")

HEADING = """\
# Limits

What people and programs may do, and how long things last: each limit with its value and what its module says about it.
`python -m tests.limits > service/LIMITS.md` writes this list, and a test compares it with the code, so a changed limit
shows here, too. What an operator can set is in the [README](../README.md).
"""


class Limit(NamedTuple):
    """A constant, as its module writes it."""

    path: str
    name: str
    value: str
    about: str


def limits() -> Iterator[Limit]:
    """All limits, file by file in the order of their paths."""
    for path in sorted(path for room in ROOMS for path in (ROOT / "service" / room).rglob("*.py")):
        yield from of_module(str(path.relative_to(ROOT / "service")), path.read_text())


def of_module(path: str, source: str) -> Iterator[Limit]:
    """The limits in the source of one module."""
    for node, after in pairwise([*ast.parse(source).body, None]):
        if isinstance(node, ast.Assign) and _is_limit(node.value):
            yield Limit(path, ast.unparse(node.targets[0]).strip("()"), ast.unparse(node.value), _text(after))


def _is_limit(value: ast.expr) -> bool:
    """Whether this is a number, a time, arithmetic with them, or a sequence of such values."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(operand=part):
            return _is_limit(part)
        case ast.BinOp(left=left, right=right):
            return all(_is_limit(part) or isinstance(part, ast.Name) for part in (left, right))
        case ast.Call(func=ast.Name(id="timedelta"), keywords=given):
            return all(_is_limit(one.value) for one in given)
        case ast.Tuple(elts=parts):
            return bool(parts) and all(map(_is_limit, parts))
        case _:
            return False


def _text(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return " ".join(text.split())
        case _:
            return ""


def page() -> str:
    """The text of `service/LIMITS.md`."""
    parts = [HEADING]
    for path, found in groupby(limits(), key=lambda limit: limit.path):
        rows = [f"- `{one.name}` = `{one.value}`{f': {one.about}' if one.about else ''}" for one in found]
        parts.append("\n".join([f"## {path}", "", *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
