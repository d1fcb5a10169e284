"""A beginning that many tests share is run once in each process; all later tests get a copy of the database."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from sqlalchemy import exists, select

from service.play.table import replay
from service.store.models import Player
from tests.play.conftest import Town

P = ParamSpec("P")
R = TypeVar("R")


class Kept(NamedTuple):
    """A town after the beginning, and what that returned."""

    town: Town
    result: Any
    rows: Path


_KEPT: dict[Hashable, Kept] = {}


def once(begin: Callable[Concatenate[Town, P], R]) -> Callable[Concatenate[Town, P], R]:
    """Runs `begin` once for each of its arguments, in a town where nothing has happened yet.

    It runs again in towns where something has happened, and on PostgreSQL. The random seeds during and after it are
    always the same.
    """

    @wraps(begin)
    def begun(town: Town, /, *args: P.args, **named: P.kwargs) -> R:
        if not _untouched(town):
            return begin(town, *args, **named)
        settings = replace(town.settings, data=Path(), dkim_key=Path())
        luck = f"{begin.__module__}.{begin.__qualname__} {args} {named}"
        key = settings, luck
        secrets.SystemRandom().seed(luck)  # This seeds all random choices: see tests/conftest.py.
        if key not in _KEPT:
            result = begin(town, *args, **named)
            rows = _file(town).with_name(f"begun-{len(_KEPT)}.db")
            town.store.copy(rows)
            _KEPT[key] = Kept(_copied(town), copy(result), rows)
        else:
            _restore(town, _KEPT[key])
        secrets.SystemRandom().seed(f"after {luck}")
        known: R = copy(_KEPT[key].result)
        return known

    return begun


def _untouched(town: Town) -> bool:
    if town.store.engine.dialect.name != "sqlite" or town != Town(town.settings, town.store):
        return False
    with town.store.reading() as session:
        return not session.scalar(select(exists(select(Player.id))))


def _file(town: Town) -> Path:
    return Path(str(town.store.engine.url.database))


def _copied(town: Town) -> Town:
    return replace(town, queue=[*town.queue], receipts=[*town.receipts])


def _restore(town: Town, kept: Kept) -> None:
    town.store.close()
    for journal in ("-wal", "-shm"):
        Path(f"{_file(town)}{journal}").unlink(missing_ok=True)
    shutil.copy(kept.rows, _file(town))
    replay.forget()
    town.now, town.seen, town.mails = kept.town.now, kept.town.seen, kept.town.mails
    town.queue[:], town.receipts[:] = kept.town.queue, kept.town.receipts
