"""Records as text for `stonepost replay` (engine/README.md, "Records"): a move per line, all else in comments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from service.engine.game import Game, Outcome
from service.engine.record import all_lines, lines
from service.engine.record_formats import (
    LONGEST_NAME,
    Format,
    Order,
    Record,
    complete,
    instant,
    one_line,
    outcome,
    wrong,
)
from service.games import GAMES

_COMMAND = "# stonepost replay "
_HEADER = re.compile(r"#\s*(\w+):\s*(.*)")
_RESULT = re.compile(r"([^()]*)\(([^()]*)\)\s*")
_NOTE = re.compile(r"(?:^|\s)#(?: > ?)?(.*)")


class Text(Format):
    """One move per line; comments have the command that replays it, names, the result, times and remarks."""

    suffix = "txt"
    media_type = "text/plain"
    title = "text"

    def recognises(self, text: str) -> bool:
        return text.lstrip().startswith(_COMMAND)

    def write(self, record: Record) -> str:
        sides = GAMES[record.game].sides(len(record.names))
        return "\n".join([*_top(record, sides), *_moves(record, sides), ""])

    def read(self, text: str) -> Record:
        number, game, seats, options = _command(text)
        sides = game.sides(seats)
        told, claimed = _headers(text, sides)
        names = [told.get(side, "") for side in sides]
        return complete(game, options, names, _orders(text), claimed, number)


def _top(record: Record, sides: Sequence[str]) -> Iterator[str]:
    settings = [f"{name}={' '.join(value.split())}" for name, value in record.options.items() if value]
    words = [record.game, "--seats", str(len(sides)), *(word for each in settings for word in ("--set", each))]
    yield _COMMAND + shlex.join(words)
    yield from (
        f"# {side}: {one_line(name, LONGEST_NAME) or '?'}" for side, name in zip(sides, record.names, strict=True)
    )
    if record.outcome is not None:
        scores = ", ".join(f"{side} {score}" for side, score in zip(sides, record.outcome.scores, strict=True))
        yield f"# result: {scores} ({record.outcome.reason})"


def _moves(record: Record, sides: Sequence[str]) -> Iterator[str]:
    for entry in record.entries:
        stamp = f"  # {entry.played.isoformat()}" if entry.played else ""
        yield f"{sides[entry.seat]}: {entry.move}{stamp}"
        yield from (f"# > {line}".rstrip() for line in entry.remark.splitlines())


def _command(text: str) -> tuple[int, Game, int, dict[str, str]]:
    """The line with the command that replays the record, and its game, number of seats and options."""
    number, command = next(
        ((number, line) for number, line in enumerate(all_lines(text), 1) if line.startswith(_COMMAND)), (1, "")
    )
    if not command:
        raise wrong(1, f"A record begins with the command that replays it, such as {_COMMAND}{next(iter(GAMES))}.")
    try:
        name, *words = shlex.split(command.removeprefix(_COMMAND))
    except ValueError:
        raise wrong(number, "The command that replays the record has no game, or lacks a quotation mark.") from None
    if name not in GAMES:
        raise wrong(number, f"There's no game {name[:40]!r}; there are {', '.join(GAMES)}.")
    seats, options = GAMES[name].min_seats, {}
    for key, value in zip(words[::2], words[1::2], strict=False):
        option, _, setting = value.partition("=")
        if key == "--seats" and value.isdecimal() and len(value) < 3:
            seats = int(value)
        elif key == "--set":
            options[option] = setting
        else:
            raise wrong(number, f"The command accepts --seats N and --set NAME=VALUE, not {key[:40]} {value[:40]}.")
    if not GAMES[name].min_seats <= seats <= GAMES[name].max_seats:
        raise wrong(number, f"{GAMES[name].title} is not for {seats} players.")
    return number, GAMES[name], seats, options


def _headers(text: str, sides: Sequence[str]) -> tuple[dict[str, str], Outcome | None]:
    """The names by side, and the outcome claimed, from the comments above the first move."""
    told: dict[str, str] = {}
    claimed = None
    first = next(lines(text), (None, ""))[0]
    for number, line in enumerate(all_lines(text)[: first and first - 1], start=1):
        header = _HEADER.fullmatch(line.strip())
        if header and header[1] in sides:
            told[header[1]] = header[2]
        elif header and header[1] == "result":
            claimed = _result(number, header[2], sides)
    return told, claimed


def _result(number: int, said: str, sides: Sequence[str]) -> Outcome:
    found = _RESULT.fullmatch(said)
    scores = dict(part.split() for part in found[1].split(",") if len(part.split()) == 2) if found else {}
    try:
        return outcome(sides, scores, found[2] if found else "")
    except ValueError:
        example = ", ".join([f"{sides[0]} 1", *(f"{side} 0" for side in sides[1:])])
        raise wrong(number, f"The result must give each side its part of one point: {example} (points).") from None


def _orders(text: str) -> Iterator[Order]:
    """Each move with the time and the remark in the comments after and below it."""
    said, notes = Order(0, ""), list[str]()
    moves = dict(lines(text))
    for number, line in enumerate(all_lines(text), start=1):
        if number in moves:
            if said.line:
                yield said._replace(remark="\n".join(notes).strip())
            said, notes = Order(number, moves[number]), []
        note = _NOTE.search(line)
        if note and said.line:
            played = instant(note[1]) if number == said.line else None
            said = said._replace(played=played) if played else said
            notes += [] if played else [note[1].rstrip() if "# >" in line else note[1].strip()]
    if said.line:
        yield said._replace(remark="\n".join(notes).strip())
