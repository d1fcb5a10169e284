"""All doors, each with its inputs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.api import Api
from tests.fuzz.cli import CommandLine
from tests.fuzz.doors import Door
from tests.fuzz.forms import Forms
from tests.fuzz.gtp import Gtp
from tests.fuzz.inbox import Inbox
from tests.fuzz.machines import Machines
from tests.fuzz.orders import Orders
from tests.fuzz.reader import Reader
from tests.fuzz.records import Records
from tests.fuzz.run import Result, Trial
from tests.fuzz.setups import Setups
from tests.fuzz.smtp import Smtp
from tests.fuzz.words import Words

DOORS: dict[str, type[Door]] = {
    door.name: door
    for door in (Words, Setups, Records, Forms, Api, Machines, Inbox, Smtp, Gtp, CommandLine, Reader, Orders)
}


def trial(name: str, seed: int, count: int, folder: Path, first: int = 0) -> Result:
    """Gives one door its inputs, in this process."""
    door = DOORS[name]()
    try:
        return Trial(door, seed, count, folder, first).run()
    finally:
        door.close()


def trials(names: Iterable[str], seed: int, inputs: int, folder: Path, first: int = 0) -> Iterator[Result]:
    """The doors one after the other, each with its share of the inputs, so that a crash ends only one of them."""
    chosen = {name: DOORS[name].share for name in names}
    for name, share in chosen.items():
        count = max(1, round(inputs * share / sum(chosen.values())))
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            try:
                yield process.submit(trial, name, seed, count, folder, first).result()
            except BrokenProcessPool:
                yield Result(name, failed=1, faults={"none": "the process crashed"})
