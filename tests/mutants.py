"""`python -m tests.mutants` changes the code in one place at a time, drawn at random, and counts what no test notices.

What may be changed where is Cosmic Ray's business. First the whole suite runs once and notes which test comes by which
line (some twenty minutes on two cores; `--map` keeps or reuses that). Then each mutant is tried in a copy of the
repository: first by the tests that its place in `tests/` mirrors and by some others that come by its line, and if those
pass by all of them. Annotations aren't changed, because nothing evaluates them.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import NamedTuple, TypeAlias

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import Visitor, mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

from service.config import ROOT

ROOMS = ("play", "mail", "web", "clock", "games", "inbound", "api")
UNUSED = ("VariableReplacer", "VariableInserter", "RemoveDecorator")
"""Operators that need to know what to change, or that change how a module is put together."""

WORKERS = 2
"""How many mutants are tried at a time, each in a copy of its own."""

FIRST = 60
"""How many tests try a mutant before all that come by its line do."""

PATIENCE = 400
"""Seconds for the tests of a mutant; one that takes longer has been noticed."""

SETTINGS = """
[run]
source = service
parallel = true
patch = subprocess
dynamic_context = test_function
data_file = {map}
"""


Place: TypeAlias = tuple[int, int]
"""A line, from 1, and a column, from 0."""


class Mutant(NamedTuple):
    """A change of one file: the place with this number, from 0, among those an operator finds."""

    path: str
    line: int
    operator: str
    occurrence: int

    def of(self, source: str) -> str:
        """The file with the change."""
        return str(mutate_code(source, get_operator(self.operator)(), self.occurrence))


class _Places(Visitor):  # type: ignore[misc] # It is not typed.
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
    """Where the annotations begin and end."""
    parts = (getattr(node, name, None) for node in ast.walk(module) for name in ("annotation", "returns"))
    return [
        ((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0))
        for part in parts
        if isinstance(part, ast.expr)
    ]


def draw(count: int, seed: int) -> list[Mutant]:
    """Mutants drawn at random: a line first, then one of its changes, so that no operator with many is preferred."""
    files = [path for room in ROOMS for path in sorted((ROOT / "service" / room).rglob("*.py"))]
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for path in files:
        for mutant in _Places(str(path.relative_to(ROOT)), path.read_text()).found:
            lines.setdefault((mutant.path, mutant.line), []).append(mutant)
    chance = Random(seed)
    return [chance.choice(lines[line]) for line in chance.sample(sorted(lines), count)]


def look(known: Path) -> None:
    """Runs the whole suite and notes in `known` which test comes by which line."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "coveragerc"
        settings.write_text(SETTINGS.format(map=Path(folder) / "map"))
        coverage = [sys.executable, "-m", "coverage"]
        run = [*coverage, "run", f"--rcfile={settings}", "-m", "pytest", "--numprocesses", "4", "-q"]
        subprocess.run(run, cwd=ROOT, check=True)
        subprocess.run([*coverage, "combine", f"--rcfile={settings}", "-q"], cwd=ROOT, check=True)
        shutil.move(Path(folder) / "map", known)


class Map:
    """Which tests come by which lines."""

    def __init__(self, known: Path) -> None:
        self._data = CoverageData(str(known))
        self._data.read()

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that come by a line, as pytest names them; for a line read on import, by any line of its file.

        Those of the file that mirrors it come first, then those that come by few lines of other files.
        """
        by_line = self._data.contexts_by_lineno(str(ROOT / mutant.path))
        found = set(by_line.get(mutant.line, ())) - {""} or {name for names in by_line.values() for name in names}
        mirror = mutant.path.removeprefix("service/").removesuffix(".py").replace("/", ".")
        package, _, module = mirror.rpartition(".")
        named = sorted(
            found - {""}, key=lambda name: (f"{package}.test_{module}." not in name, package not in name, name)
        )
        return [test for test in map(_node, named) if test]


def _node(context: str) -> str:
    """`tests.play.test_match.test_a_move`, as coverage names a test, as `tests/play/test_match.py::test_a_move`."""
    words = context.split(".")
    for end in range(len(words) - 1, 0, -1):
        path = Path(*words[:end]).with_suffix(".py")
        if (ROOT / path).exists():
            return f"{path}::{'::'.join(words[end:])}"
    return ""


def survives(mutant: Mutant, tests: Sequence[str], copy: Path) -> bool:
    """Whether no test notices the mutant, which is written into a copy of the repository and taken out again."""
    path = copy / mutant.path
    source = path.read_text()
    _write(path, mutant.of(source))
    try:
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        return _pass(tests[:FIRST], copy) and (len(tests) <= FIRST or _pass([*files], copy))
    finally:
        _write(path, source)


def _write(path: Path, source: str) -> None:
    path.write_text(source)
    # Compiled code knows its source by size and second alone, which a mutant may share with the original.
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def _pass(tests: Sequence[str], copy: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=copy, timeout=PATIENCE, capture_output=True)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(done.stdout.decode()[-2000:])
    return done.returncode == 0


def shown(mutant: Mutant) -> str:
    """The lines that differ, for a person to judge whether the change makes a difference at all."""
    source = (ROOT / mutant.path).read_text()
    differ = difflib.unified_diff(source.splitlines(), mutant.of(source).splitlines(), n=0, lineterm="")
    lines = [line for line in differ if line[0] in "+-" and not line.startswith(("+++", "---"))]
    return "\n".join([f"{mutant.path}:{mutant.line}", *(f"    {line}" for line in lines)])


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="how many mutants to draw (300)")
    parser.add_argument("--seed", type=int, default=1, help="what decides which (1)")
    parser.add_argument(
        "--map", type=Path, default=ROOT / ".mutants", help="what the tests come by, if known (.mutants)"
    )
    chosen = parser.parse_args()
    if not chosen.map.exists():
        look(chosen.map)
    known, alive = Map(chosen.map), 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as workers:
        copies = SimpleQueue[Path]()
        for number in range(WORKERS):
            copy = Path(folder) / str(number)
            subprocess.run(["git", "checkout-index", "--all", f"--prefix={copy}/"], cwd=ROOT, check=True)
            copies.put(copy)

        def attempt(mutant: Mutant) -> bool:
            tests, copy = known.tests(mutant), copies.get()
            try:
                return not tests or survives(mutant, tests, copy)
            finally:
                copies.put(copy)

        drawn = draw(chosen.sample, chosen.seed)
        for mutant, survived in zip(drawn, workers.map(attempt, drawn), strict=True):
            alive += survived
            print(("survived " if survived else "noticed  ") + shown(mutant), flush=True)
    print(f"{len(drawn) - alive} of {len(drawn)} noticed, seed {chosen.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
