"""The commands that need only games and records: replay, moves, perft and board (see `service/engine/README.md`)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from service.engine import record
from service.engine.game import Choice, Game, MoveError, Position
from service.engine.options import OptionError
from service.games import GAMES

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    replay = commands.add_parser("replay", help="print each position of a record as a line of JSON")
    replay.set_defaults(run=_replay)
    moves = commands.add_parser("moves", help="print the legal moves after a record")
    moves.add_argument("--draft", metavar="TEXT", help="print what can follow this first part of a move")
    moves.set_defaults(run=_moves)
    perft = commands.add_parser("perft", help="count all sequences of DEPTH moves after a record")
    perft.set_defaults(run=_perft)
    board = commands.add_parser("board", help="print the board after a record")
    board.set_defaults(run=_board, form="text")
    for form in ("text", "svg", "png"):
        board.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"print the board as {form.upper()}"
        )
    review = commands.add_parser("review", help="print our strongest bot's verdict on each move of a record")
    review.set_defaults(run=_review)
    review.add_argument("--budget", type=int, metavar="N", help="simulations or nodes per move")
    review.add_argument("--seed", type=int, default=1, metavar="N", help="the same seed gives the same review")
    for command in (replay, moves, perft, board, review):
        command.add_argument("game", metavar="GAME", help=", ".join(GAMES))
        if command is perft:
            command.add_argument("depth", metavar="DEPTH", type=int)
        command.add_argument("--seats", type=int, metavar="N", help="number of players (default: the fewest)")
        command.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="set an option of the game"
        )
        command.add_argument(
            "file", nargs="?", default="-", metavar="FILE", help="the record (default: -, standard input)"
        )


def _start(chosen: argparse.Namespace) -> Position:
    """The first position the command line asks for; raises OptionError."""
    game: Game | None = GAMES.get(chosen.game)
    if game is None:
        raise OptionError(f"There's no game {chosen.game!r}. The games are {', '.join(GAMES)}.")
    settings: dict[str, str] = {}
    for setting in chosen.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"--set must be followed by NAME=VALUE, not {setting!r}.")
        if name == "seats":
            raise OptionError(f"The number of players isn't an option of the game. Use --seats {value}.")
        settings[name] = value
    seats = game.min_seats if chosen.seats is None else chosen.seats
    return game.begin(seats, 0, game.settle(seats, settings))


def _text(chosen: argparse.Namespace) -> str:
    """The record, read as UTF-8 whatever the terminal's encoding is."""
    raw = sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file).read_bytes()
    return raw.decode("utf-8-sig", errors="replace")


def _last(start: Position, text: str) -> Position:
    """The position after the whole record; raises RecordError."""
    position = start
    for step in record.steps(start, text):
        position = step.position
    return position


def _failed(error: record.RecordError) -> int:
    print(json.dumps(error.report))
    return 1


def _replay(chosen: argparse.Namespace) -> int:
    start = _start(chosen)
    text = _text(chosen)
    print(json.dumps(record.snapshot(0, start)))
    try:
        for step in record.steps(start, text):
            print(json.dumps(record.snapshot(step.ply, step.position)))
    except record.RecordError as error:
        return _failed(error)
    return 0


def _moves(chosen: argparse.Namespace) -> int:
    start, text = _start(chosen), _text(chosen)
    try:
        position = _last(start, text)
        lines = record.listing(position) if chosen.draft is None else [*_followers(position, chosen.draft)]
    except record.RecordError as error:
        return _failed(error)
    except MoveError as error:
        # An error in a draft is reported as an error in the line after the record's last.
        ply = 1 + sum(1 for _ in record.lines(text))
        return _failed(record.RecordError(ply, 1 + len(record.all_lines(text)), error))
    for line in lines:
        print(line)
    return 0


def _followers(position: Position, text: str) -> Iterator[str]:
    """What can follow `text`, the first part of a move, without duplicates; raises MoveError."""
    several = len(position.turns) > 1
    if text.strip():
        seat, order = record.whose(position, text)
        seats = [(seat, order)]
    else:
        seats = [(seat, "") for seat in position.turns]
    for seat, order in seats:
        for step in dict.fromkeys(map(_step, position.draft(seat, order).choices)):
            yield f"{position.sides[seat]}: {step}" if several else step


def _step(choice: Choice) -> str:
    return choice.step


def _perft(chosen: argparse.Namespace) -> int:
    if chosen.depth > 20:
        raise OptionError("DEPTH must be from 0 to 20.")
    try:
        position = _last(_start(chosen), _text(chosen))
    except record.RecordError as error:
        return _failed(error)
    print(GAMES[chosen.game].perft(position, chosen.depth))
    return 0


def _review(chosen: argparse.Namespace) -> int:
    """Prints, for each move, the mover's expected share before it, the best move and the line it begins."""
    from service.bots.review import budget, can_be_judged, judged
    from service.bots.thought import NO_MOVES, View, seed_of

    if chosen.budget == 0:
        raise OptionError("--budget must be 1 or more.")
    position, found = _start(chosen), None
    played: list[tuple[int, str]] = []
    try:
        for step in record.steps(position, _text(chosen)):
            if can_be_judged(position, step.seat, step.move):
                heard = tuple(played[-4:]) if len(position.public_turns) == 1 else ()
                view, spent = View.of(position, step.seat, heard), chosen.budget or budget(chosen.game, position)
                thought = judged(view, step.move, spent, seed_of(chosen.seed, step.ply, step.seat))
                found = {"value": round(thought.value, 4), "best": thought.move, "line": thought.lines[0]}
                print(json.dumps({"ply": step.ply, **found}), flush=True)
            if step.move not in NO_MOVES:
                played.append((step.seat, step.move))
            position = step.position
    except record.RecordError as error:
        return _failed(error)
    if found is None:
        print("stonepost: This record has no move that can be judged.", file=sys.stderr)
        return 1
    return 0


def _board(chosen: argparse.Namespace) -> int:
    try:
        scene = _last(_start(chosen), _text(chosen)).view(None)
    except record.RecordError as error:
        return _failed(error)
    if chosen.form == "png":
        from service.render.png import png

        sys.stdout.buffer.write(png(scene))
    elif chosen.form == "svg":
        from service.render.svg import svg

        print(svg(scene))
    else:
        from service.render.text import text

        print(text(scene))
    return 0
