"""The switch between CPython and the compiler.

The kernel is plain Python on flat arrays of integers. If numba is installed, it is compiled, and the arrays are from
numpy; otherwise CPython runs the same source, and the arrays are lists, which are faster there. All integers are below
2**63, and floats are only used with `+ - * /` and `sqrt`, which IEEE 754 defines to the last bit, so the moves are the
same either way. NUMBA_DISABLE_JIT=1 switches the compiler off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

Ints: TypeAlias = list[int]
"""A flat array of integers: a list, or an array of int64 if the kernel is compiled."""

F = TypeVar("F", bound=Callable[..., Any])

try:
    import numba
    import numpy

    COMPILED = not numba.config.DISABLE_JIT
except ImportError:
    COMPILED = False


def compiled(function: F) -> F:
    """The same function; with a compiler, compiled at its first call and cached for later processes."""
    if not COMPILED:
        return function
    function.__qualname__ += f"-{fingerprint(function.__globals__)}"
    faster: F = numba.njit(cache=True, _nrt=False)(function)
    return faster


def fingerprint(scope: Mapping[str, object]) -> str:
    """The fingerprint of everything compiled code uses from other files: constants, tables and compiled functions.

    Numba's cache on disk has the name of the function as its key, and numba compiles a function again only if its own
    file has changed. With the fingerprint in the name, a change in another file has the same effect.
    """
    digest = sha256()
    for name in sorted(scope):
        value = scope[name]
        if isinstance(value, (int, tuple, list)):
            digest.update(f"{name}={value!r};".encode())
        elif callable(content := getattr(value, "tobytes", None)):
            digest.update(name.encode() + content())
        elif (source := getattr(value, "py_func", None)) is not None:
            code = source.__code__
            digest.update(f"{name}={source.__qualname__}{code.co_consts!r};".encode() + code.co_code)
    return digest.hexdigest()[:16]


def ints(values: Iterable[int]) -> Ints:
    """A new array of these values."""
    if not COMPILED:
        return list(values)
    made: Any = numpy.array(list(values), dtype=numpy.int64)
    array: Ints = made
    return array


def zeros(length: int) -> Ints:
    """A new array of zeros."""
    if not COMPILED:
        return [0] * length
    made: Any = numpy.zeros(length, dtype=numpy.int64)
    array: Ints = made
    return array


@compiled
def copied(target: Ints, source: Ints, begin: int, end: int) -> None:
    """Copy the numbers from `begin` up to `end` from `source` to `target`."""
    if COMPILED:
        for place in range(begin, end):
            target[place] = source[place]
    else:
        target[begin:end] = source[begin:end]


@compiled
def highest(values: Ints, begin: int, end: int) -> int:
    """The index of the highest number from `begin` up to `end`; the first if there are several."""
    if COMPILED:
        best = begin
        for place in range(begin + 1, end):
            if values[place] > values[best]:
                best = place
        return best
    return values.index(max(values[begin:end]), begin)
