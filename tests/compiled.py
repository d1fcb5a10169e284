"""Templates compiled once for all processes that run the tests: compiling them all takes two seconds."""

from __future__ import annotations

from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from service.play.outbox import match_context

_place: Path | None = None


def keep(place: Path) -> None:
    """Keeps them in this folder, a new one for each run, since the results of filters on constants are kept too."""
    global _place
    _place = place
    for part, environment in match_context.templates()._asdict().items():
        environment.bytecode_cache = kept(part)


def kept(kind: str) -> FileSystemBytecodeCache | None:
    """The cache for one kind of environment, since each kind has its own filters; None before `keep` names a folder."""
    return None if _place is None else FileSystemBytecodeCache(str(_place), f"{kind}-%s")
