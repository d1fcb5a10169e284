"""`stonepost gtp COMMAND`: a Go program that speaks GTP version 2 plays `go` here, as people do.

It takes an open seat of the given match, and then plays all its matches until it is stopped. Other processes needn't
know about it: its orders are submitted like any others, each with a unique key, so a restart plays nothing twice.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from service.cli.site import this_site
from service.engine.game import Position
from service.engine.grid import sized
from service.engine.options import OptionError
from service.engine.rewound import Again
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.setup import read_setup
from service.engine.stone_games.stone_position import StonePosition

if TYPE_CHECKING:
    from service.play.site import Site

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

COLOURS = ("black", "white")

LONGEST_WAIT = 86_400
"""The most seconds from one look for its turns to the next: a day."""


class EngineError(Exception):
    """The program ended, or refused a command that it must support."""


class Engine:
    """A GTP program as a child process."""

    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
            if not words:
                raise ValueError("it names no program.")
            self.process = subprocess.Popen(  # noqa: S603 (the operator names the program)
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
        except (OSError, ValueError) as error:
            raise OptionError(f"{command!r} can't be started: {error}") from error

    def ask(self, command: str) -> str:
        """The answer to one command; raises EngineError."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(f"{command}\n")
            self.process.stdin.flush()
        except OSError as error:
            raise EngineError("The program has ended.") from error
        lines: list[str] = []
        while (line := self.process.stdout.readline()).strip() or not lines:
            if not line:
                raise EngineError("The program has ended.")
            lines += [line.strip()] if line.strip() else []
            if lines and not lines[0].startswith("="):
                raise EngineError(f"It answered {command!r} with {lines[0][:100]!r}.")
        return "\n".join(lines)[1:].strip()

    def close(self) -> None:
        """Ends the program."""
        self.process.terminate()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # Unsent commands are dropped.
                    pipe.close()
        self.process.wait()

    def choose(self, options: dict[str, str], position: Position, log: list[tuple[int, str]], seat: int) -> str:
        """The program's order in this position, which `log` led to on a board with `options`."""
        position = position.first if isinstance(position, Again) else position
        for command in (_boardsize(options), "clear_board", f"komi {options['komi']}"):
            self.ask(command)
        for colour, vertex in (*setup_stones(options), *log):
            if vertex == "pass" or vertex[1:].isdecimal():
                self.ask(f"play {COLOURS[colour]} {vertex}")
        if isinstance(position, Scoring):
            return self._count(position, seat)
        assert isinstance(position, StonePosition)
        return self.ask(f"genmove {COLOURS[seat]}").lower()

    def _count(self, position: Scoring, seat: int) -> str:
        """Proposes once which stones are dead, and after that accepts what the opponent proposes."""
        points = position.ended.board.index
        stones = [name for name in self.ask("final_status_list dead").lower().split() if name in points]
        own = {points[name] for name in stones}
        return "accept" if own == position.dead or seat in position.proposers else f"dead {' '.join(stones) or 'none'}"


def _boardsize(options: dict[str, str]) -> str:
    return f"boardsize {options['size'].partition('x')[0]}"


def setup_stones(options: dict[str, str]) -> list[tuple[int, str]]:
    """The stones that a match with these options starts from, as moves."""
    board = sized(options["size"])
    cells = read_setup(options["setup"], board, COLOURS, ("turn", "prisoners")).cells
    return [(stone - 1, name) for name, stone in zip(board.names, cells, strict=True) if stone]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_WAIT:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0 and up to {LONGEST_WAIT}, not {text!r}")
    return seconds


def add(commands: Commands) -> None:
    """Add this module's command."""
    seat = commands.add_parser("gtp", help="let a Go program that speaks GTP play here")
    seat.set_defaults(run=_run)
    seat.add_argument("engine", metavar="COMMAND", help='how to start it, such as "gnugo --mode gtp"')
    seat.add_argument("--match", type="id", metavar="N", help="take an open seat of this match first")
    seat.add_argument("--once", action="store_true", help="end when no match waits for it, instead of waiting")
    seat.add_argument("--every", type=_seconds, default=2.0, metavar="SECONDS", help="how often to look for its turns")


def _run(chosen: argparse.Namespace) -> int:
    site, engine = this_site(migrate=False), Engine(chosen.engine)
    try:
        name = " ".join(engine.ask("name").split())[:40]
        player = _sit_down(site, engine, name, chosen.match)
        print(f"{name} is ready.", flush=True)
        while True:
            played = _play_all(site, engine, player)
            if chosen.once and not played:
                return 0
            if not played:
                time.sleep(chosen.every)
    except EngineError as error:
        print(f"stonepost: {error}", file=sys.stderr)
        return 1
    finally:
        engine.close()


def _sit_down(site: Site, engine: Engine, name: str, match: int | None) -> int:
    """The program's player, who has a seat in the match if one is given; raises OptionError, or EngineError if the
    program can't play on its board: it would refuse that at every turn."""
    from service.bots.roster import NAMES, YARDSTICK
    from service.play.accounts import identity
    from service.play.match import invitations
    from service.store.models import Match

    if name.lower() in (*NAMES, YARDSTICK):
        raise OptionError(f"{name} is the name of a computer opponent. Choose another.")
    # Asked before anything is written: some programs take minutes to answer, and SQLite has one writer at a time.
    if match is not None and (command := _board_command(site, match)):
        engine.ask(command)
    try:
        with site.transaction() as tx:
            player = identity.bot(tx.session, name.lower(), tx.now)
            found = None if match is None else tx.session.get(Match, match)
            if match is not None and (found is None or found.place_of(player.id) is None):
                invitations.take_seat(tx, match, player.id)
            return player.id
    except invitations.LobbyError as error:
        raise OptionError(str(error)) from error


def _board_command(site: Site, match: int) -> str:
    """The command that sets the size of an open match's board; "" for other matches. Raises OptionError for a match
    that GTP can't play."""
    from service.store.models import Match

    with site.store.reading() as session:
        found = session.get(Match, match)
        # A game with a size and komi is one that GTP can play.
        if found is not None and (not {"size", "komi"} <= found.options.keys() or "x" in found.options["size"]):
            raise OptionError("A GTP program can only play Go, on a square board.")
        return _boardsize(found.options) if found is not None and found.state == "open" else ""


def _play_all(site: Site, engine: Engine, player: int) -> bool:
    """Sends one order in each match that waits for the program. Returns whether there was such a match. After a refused
    order it resigns: the program doesn't know our rules."""
    from sqlalchemy import select

    from service.mail.grammar.orders import parse
    from service.play.orders.submit import Incoming, submit
    from service.play.table import replay
    from service.play.table.log import that_stand, visible_entries
    from service.store.models import Match, Seat, Submission

    waiting = select(Seat.match_id, Seat.number).join(Match)
    waiting = waiting.where(Seat.player_id == player, Seat.to_move, Match.state == "running")
    with site.store.reading() as session:
        turns = session.execute(waiting).all()
    played = False
    for match_id, seat in turns:
        with site.store.reading() as session:
            match = session.get_one(Match, match_id)
            key = f"gtp:{match_id}:{match.ply}:{seat}"
            before = session.scalars(select(Submission).where(Submission.key.startswith(key))).all()
            if any(one.verdict != "refused" for one in before) or len(before) > 1:
                continue
            position, options = replay.position(session, match), dict(match.options)
            log = [(line.seat, line.move) for line in that_stand(visible_entries(session, match, seat))]
        order = engine.choose(options, position, log, seat) if not before else "resign"
        key += ":resign" if before else ""
        submit(site, Incoming(key, match_id, seat, player, position.round, parse(order), "bot"))
        played = True
    return played
