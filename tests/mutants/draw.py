"""Draws random mutants, among the changes that Cosmic Ray offers.

Annotations aren't changed, because nothing evaluates them.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import Visitor, mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from service.config import ROOT

ROOMS = tuple(f"service/{room}" for room in ("play", "mail", "web", "clock", "games", "inbound", "api"))
UNUSED = ("VariableReplacer", "VariableInserter", "RemoveDecorator")
"""Operators that need arguments, or that change how a module is assembled."""

Place: TypeAlias = tuple[int, int]
"""A line, from 1, and a column, from 0."""


class Mutant(NamedTuple):
    """A change of one file: the place with this number, from 0, among those that an operator finds."""

    path: str
    line: int
    operator: str
    occurrence: int

    def of(self, source: str) -> str:
        """The file with the change."""
        return str(mutate_code(source, get_operator(self.operator)(), self.occurrence))


class _Places(Visitor):  # type: ignore[misc] # It has no types.
    """Collects the mutants of one file."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.found = path, list[Mutant]()
        self._operators = {name: get_operator(name)() for name in operator_names() if not name.endswith(UNUSED)}
        self._seen = dict.fromkeys(self._operators, 0)
        self._annotations = _annotations(ast.parse(source))
        self.walk(get_ast(source))

    def visit(self, node: object) -> object:
        for name, operator in self._operators.items():
            for place, _ in operator.mutation_positions(node):
                if not any(begin <= place < end for begin, end in self._annotations):
                    self.found.append(Mutant(self.path, place[0], name, self._seen[name]))
                self._seen[name] += 1
        return node


def _annotations(module: ast.Module) -> list[tuple[Place, Place]]:
    """The start and end of each annotation."""
    parts = (getattr(node, name, None) for node in ast.walk(module) for name in ("annotation", "returns"))
    return [
        ((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0))
        for part in parts
        if isinstance(part, ast.expr)
    ]


def draw(count: int, seed: int, rooms: Iterable[str] = ROOMS) -> list[Mutant]:
    """Random mutants: first draws a line, then one of its changes, so that common operators aren't preferred.

    `rooms`: directories or files, by their paths in the repository.
    """
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for path in sorted(path for room in rooms for path in _files(ROOT / room)):
        for mutant in _Places(str(path.relative_to(ROOT)), path.read_text()).found:
            lines.setdefault((mutant.path, mutant.line), []).append(mutant)
    chance = Random(seed)
    drawn = (chance.choice(lines[line]) for line in chance.sample(sorted(lines), len(lines)))
    return [*islice(filter(_can_be_made, drawn), count)]


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [*path.rglob("*.py")]


def _can_be_made(mutant: Mutant) -> bool:
    """Whether Cosmic Ray can make the mutant and Python compiles it without a warning.

    Cosmic Ray mistakes the star before keyword arguments for a multiplication, and fails on dotted names of exceptions.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(mutant.of((ROOT / mutant.path).read_text()), mutant.path, "exec")
        except (AttributeError, SyntaxError):
            return False
    return True


def shown(mutant: Mutant) -> str:
    """The lines that differ, so that a person can judge whether the change matters."""
    source = (ROOT / mutant.path).read_text()
    differ = difflib.unified_diff(source.splitlines(), mutant.of(source).splitlines(), n=0, lineterm="")
    lines = [line for line in differ if line[0] in "+-" and not line.startswith(("+++", "---"))]
    return "\n".join([f"{mutant.path}:{mutant.line}", *(f"    {line}" for line in lines)])
