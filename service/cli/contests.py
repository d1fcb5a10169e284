"""Ratings, draws and standings from text files: rate, draw and standings (see `service/engine/README.md`)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from service.contests import draws, results
from service.contests.ratings import Rating
from service.contests.standings import standings
from service.engine.options import OptionError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

LEAST_SEATS, MOST_SEATS = 2, results.MOST_SEATS
MOST_ROUNDS = 100


def add(commands: Commands) -> None:
    """Add this module's commands."""
    rate = commands.add_parser("rate", help="print everybody's rating after finished matches")
    rate.add_argument("--prior", metavar="RATING,DEVIATION,VOLATILITY", help="everybody's rating before a match")
    rate.set_defaults(run=_rate)
    draw = commands.add_parser("draw", help="print who meets at which table in an event")
    draw.add_argument("rounds", metavar="ROUNDS", help="the number of rounds, or `all` for a round robin of two seats")
    draw.add_argument("seats", metavar="SEATS", help=f"the seats of a table, {LEAST_SEATS} to {MOST_SEATS}")
    draw.add_argument("--seed", type=int, default=0, metavar="N", help="another seed gives another draw (default: 0)")
    draw.set_defaults(run=_draw)
    table = commands.add_parser("standings", help="print the standings after finished matches")
    table.set_defaults(run=_standings)
    results_told = "results, one per line, such as: 2026-11-22 ada=1 ben=0"
    for command, what in ((rate, results_told), (draw, "names, one per line"), (table, results_told)):
        command.add_argument(
            "file", nargs="?", default="-", metavar="FILE", help=f"{what} (default: -, standard input)"
        )


def _lines(chosen: argparse.Namespace) -> Iterator[str]:
    raw = sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file).read_bytes()
    return iter(raw.decode("utf-8-sig", errors="replace").splitlines())


def _rate(chosen: argparse.Namespace) -> int:
    try:
        start = results.rating(chosen.prior.split(",")) if chosen.prior is not None else Rating()
    except ValueError as error:
        raise OptionError(str(error)) from error
    try:
        accounts = results.rate(results.read(_lines(chosen)), start)
    except results.ResultError as error:
        return _failed(error)
    for name, account in sorted(accounts.items()):
        now = account.rating
        line = {
            "name": name,
            "rating": round(now.rating, 4),
            "deviation": round(now.deviation, 4),
            "volatility": round(now.volatility, 8),
            "matches": account.matches,
            "provisional": now.provisional,
        }
        print(json.dumps(line, ensure_ascii=False))
    return 0


def _draw(chosen: argparse.Namespace) -> int:
    names = [name for line in _lines(chosen) if (name := line.strip()) and not name.startswith("#")]
    seats = _number("SEATS", chosen.seats, LEAST_SEATS, MOST_SEATS)
    rounds = None if chosen.rounds == "all" and seats == 2 else _number("ROUNDS", chosen.rounds, 1, MOST_ROUNDS)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(f"{twice[0]} appears twice. Each name in a draw must be different.")
    if spaced := [name for name in names if len(name.split()) > 1]:
        raise OptionError(f"A name can't contain a space, as {spaced[0]!r} does.")
    if len(names) < seats:
        raise OptionError(f"Tables of {seats} need at least {seats} names, not {len(names)}.")
    for number, tables in enumerate(draws.draw(names, rounds, seats, chosen.seed), 1):
        for table in tables:
            print(f"{number}: {' '.join(table)}")
    return 0


def _standings(chosen: argparse.Namespace) -> int:
    try:
        items = list(results.read(_lines(chosen)))
    except results.ResultError as error:
        return _failed(error)
    for line in standings([(item.shares, item.late) for item in items if isinstance(item, results.Result)]):
        print(json.dumps(line._asdict(), ensure_ascii=False, default=lambda number: round(float(number), 6)))
    return 0


def _number(what: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
        raise OptionError(f"{what} must be a number from {least} to {most}, not {text!r}.")
    return int(text)


def _failed(error: results.ResultError) -> int:
    print(json.dumps({"line": error.line, "error": "unreadable", "message": str(error)}, ensure_ascii=False))
    return 1
