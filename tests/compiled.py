"""Templates compiled once for all processes that run the tests: to compile them all takes two seconds."""

from __future__ import annotations

from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from service.play.outbox import match_context

_place: Path | None = None


def keep(place: Path) -> None:
    """Keeps them in this folder, which is another one in each run: what the filters make of constants is kept, too."""
    global _place
    _place = place
    for part, environment in match_context.templates()._asdict().items():
        environment.bytecode_cache = kept(part)


def kept(kind: str) -> FileSystemBytecodeCache | None:
    """Those of one kind of environment, as each kind has filters of its own; None if there's no folder for them."""
    return None if _place is None else FileSystemBytecodeCache(str(_place), f"{kind}-%s")
