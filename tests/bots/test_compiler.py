"""The compiler's cache isn't used after a change of anything that the compiled code depends on."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from service.bots.compiler import fingerprint


def called(function: Callable[[], int]) -> SimpleNamespace:
    """A compiled function, as far as `fingerprint` looks at it."""
    return SimpleNamespace(py_func=function)


def array(content: bytes) -> SimpleNamespace:
    return SimpleNamespace(tobytes=lambda: content)


SCOPE = {
    "LIMIT": 3,
    "STEPS": (1, -1),
    "TABLE": array(b"\1\2"),
    "make": called(lambda: 1),
    "__doc__": "A module.",
}


@pytest.mark.parametrize(
    "change",
    [{"LIMIT": 4}, {"STEPS": (1, -2)}, {"TABLE": array(b"\1\3")}, {"make": called(lambda: 2)}, {"MORE": 1}],
    ids=lambda change: next(iter(change)),
)
def test_the_fingerprint_depends_on_other_files(change: dict[str, object]) -> None:
    assert fingerprint(SCOPE | change) != fingerprint(SCOPE)


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    assert fingerprint(SCOPE | {"__doc__": "Another text.", "__name__": "x"}) == fingerprint({**SCOPE})
    assert fingerprint(SCOPE) == fingerprint(dict(reversed(SCOPE.items())))
