"""`stonepost bot GAME`: our bots for programs that speak GTP version 2 (see `service/engine/README.md`).

Source: Gunnar Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2". In Go, moves are vertices as in
other programs. In the other games a colour is a side's name, and moves are written as in records.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from service.engine.game import Game, MoveError, Position, Seat
from service.engine.options import OptionError
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.stone_position import Over, StonePosition, decimal
from service.games import GAMES

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

COMMENT = re.compile(r"(^|(?<=\s))#.*")


class GtpError(Exception):
    """A command failed. The message is sent after `?`."""


def add(commands: Commands) -> None:
    """Add this module's command."""
    bot = commands.add_parser("bot", help="let another program play against our bot, over GTP")
    bot.set_defaults(run=_bot)
    bot.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    bot.add_argument("--level", type=int, choices=(1, 2, 3), default=2, help="1 is for beginners, 3 is the strongest")
    bot.add_argument("--budget", type=int, metavar="N", help="simulations or nodes per move (default: the level's)")
    bot.add_argument("--seed", type=int, default=1, metavar="N", help="the same seed and moves give the same replies")
    bot.add_argument("--seats", type=int, default=0, metavar="N", help="number of players (default: the fewest)")
    bot.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set an option of the game")


def _bot(chosen: argparse.Namespace) -> int:
    game = GAMES.get(chosen.game)
    if game is None:
        raise OptionError(f"There's no game {chosen.game!r}. The games are {', '.join(GAMES)}.")
    if chosen.budget is not None and chosen.budget < 1:
        raise OptionError("--budget must be 1 or more.")
    options = {}
    for setting in chosen.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"--set must be followed by NAME=VALUE, not {setting!r}.")
        options[name] = value
    controller = Controller(game, chosen.seats, options, chosen.level, chosen.budget, chosen.seed)
    lines = (line.decode(errors="replace") for line in sys.stdin.buffer)
    for answer in controller.answers(lines):
        print(answer, flush=True)
    return 0


class Controller:
    """One GTP session: a match, and the commands that change or query it."""

    def __init__(
        self, game: Game, seats: int, options: dict[str, str], level: int, budget: int | None, seed: int
    ) -> None:
        """Raises OptionError."""
        self.game, self.seats, self.options = game, seats, options
        self.level, self.budget, self.seed = level, budget, seed
        self.classic = {"size", "komi"} <= {option.name for option in game.options}
        """Whether this is Go, in which vertices are capital letters and players may pass at any time."""
        self.past: dict[Seat, list[float]] = {}
        self.positions = [game.start(seats, 0, **options)]
        self.starts: list[int] = []
        """For each move that a command made, how many positions there were before it."""
        self.log: list[tuple[Seat, str]] = []
        self.commands: dict[str, Callable[[str], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "Stonepost",
            "version": lambda _: "1",
            "list_commands": lambda _: "\n".join([*self.commands, "quit"]),
            "known_command": lambda text: "true" if text in (*self.commands, "quit") else "false",
            "boardsize": self.boardsize,
            "komi": self.komi,
            "clear_board": lambda _: self.clear(),
            "play": self.play,
            "genmove": self.genmove,
            "undo": lambda _: self.undo(),
            "showboard": lambda _: self.showboard(),
            "final_score": lambda _: self.final_score(),
            "final_status_list": self.final_status_list,
        }

    @property
    def position(self) -> Position:
        return self.positions[-1]

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """Yields the reply to each command, up to `quit`. Each ends with an empty line."""
        for line in lines:
            text = COMMENT.sub("", "".join(sign for sign in line.replace("\t", " ") if sign >= " ")).strip()
            if not text:
                continue
            found = re.fullmatch(r"(?:(\d+)\s+)?(\S+)\s*(.*)", text)
            number, command, rest = found.groups() if found else ("", text, "")
            if command == "quit":
                yield f"={number or ''}\n"
                return
            yield self._answer(number or "", command, rest)

    def _answer(self, number: str, command: str, rest: str) -> str:
        if command not in self.commands:
            return f"?{number} unknown command\n"
        try:
            answer = self.commands[command](rest)
        except GtpError as error:
            return f"?{number} {error}\n"
        return f"={number} {answer}".rstrip() + "\n"

    # ---- the match

    def clear(self) -> str:
        self._begin(self.options)
        return ""

    def _begin(self, options: dict[str, str]) -> None:
        self.positions = [self.game.start(self.seats, 0, **options)]
        self.options, self.log, self.past, self.starts = options, [], {}, []

    def boardsize(self, text: str) -> str:
        if "size" not in {option.name for option in self.game.options}:
            raise GtpError("unacceptable size")
        try:
            self._begin({**self.options, "size": text})
        except OptionError:
            raise GtpError("unacceptable size") from None
        return ""

    def komi(self, text: str) -> str:
        """Changes the komi and keeps the moves so far."""
        if "komi" not in {option.name for option in self.game.options}:
            raise GtpError("this game has no komi")
        log, past, starts = self.log, self.past, self.starts
        try:
            self._begin({**self.options, "komi": text})
        except OptionError as error:
            raise GtpError(str(error)) from None
        for seat, move in log:
            self._put(seat, move)
        self.past, self.starts = past, starts
        return ""

    def _put(self, seat: Seat, move: str) -> None:
        try:
            self.positions.append(self.position.play(seat, move))
        except MoveError as error:
            raise GtpError(f"illegal move: {error}" if not self.classic else "illegal move") from None
        self.log.append((seat, move))

    def _seat(self, text: str) -> Seat:
        wanted = {"b": "black", "w": "white"}.get(text.lower(), text.lower())
        if wanted not in self.position.sides:
            raise GtpError(f"invalid color: the sides are {', '.join(self.position.sides)}")
        return self.position.sides.index(wanted)

    def _let_move(self, seat: Seat) -> None:
        """In Go, passes for the others if a seat moves twice in a row, and resumes play after it has ended, be it by
        such a pass."""
        while self.classic and self.position.turns:
            if self.position.phase == "scoring":
                self._put(seat, "resume")
            elif seat not in self.position.turns:
                self._put(self.position.turns[0], "pass")
            else:
                return

    def play(self, text: str) -> str:
        colour, _, said = text.partition(" ")
        seat, before = self._seat(colour), len(self.positions)
        if not said.strip():
            raise GtpError("syntax error: play COLOR MOVE")
        try:
            self._let_move(seat)
            self._put(seat, self._read(seat, said))
        except GtpError:
            self._go_back(before)
            raise
        self.starts.append(before)
        return ""

    def _go_back(self, positions: int) -> None:
        """Back to the position of that number, counted from 1."""
        del self.positions[positions:], self.log[positions - 1 :]

    def _read(self, seat: Seat, said: str) -> str:
        try:
            return self.position.read(seat, said)
        except MoveError as error:
            raise GtpError(f"illegal move: {error}") from None

    def genmove(self, text: str) -> str:
        from service.bots.opponents import order
        from service.bots.roster import OPPONENTS
        from service.bots.thought import View, seed_of

        seat = self._seat(text.strip())
        if self.position.outcome is not None or (self.classic and self.position.phase == "scoring"):
            return "pass" if self.classic else "resign"
        before = len(self.positions)
        self._let_move(seat)
        if seat not in self.position.turns:
            raise GtpError(f"it is not {self.position.sides[seat]}'s turn")
        opponent = OPPONENTS[self.game.name][self.level - 1]
        if self.budget is not None:
            opponent = opponent._replace(budget=self.budget)
        view = View.of(self.position, seat, tuple(self._public()))
        past = self.past.setdefault(seat, [])
        thought = order(view, opponent, seed_of(self.seed, len(self.log), seat), past)
        if thought.move == "resign":
            return "resign"
        past.append(thought.value)
        self._put(seat, thought.move)
        self.starts.append(before)
        return self._vertex(thought.move)

    def _public(self) -> list[tuple[Seat, str]]:
        """The last moves that aren't sealed, at most eight."""
        waiting = len(self.position.active) - len(self.position.turns) if len(self.position.active) > 1 else 0
        sealed = waiting if self.position.public_turns != self.position.turns else 0
        return self.log[: len(self.log) - sealed][-8:]

    def _vertex(self, move: str) -> str:
        return move.upper() if self.classic and move not in ("pass", "resign") else move

    def undo(self) -> str:
        if not self.starts:
            raise GtpError("cannot undo")
        self._go_back(self.starts.pop())
        return ""

    # ---- queries

    def showboard(self) -> str:
        from service.render.text import text

        lines = str(text(self.position.view(None))).splitlines()
        return "\n" + "\n".join(line for line in lines if line.strip())

    def _ended(self) -> StonePosition:
        position = self.position.ended if isinstance(self.position, Scoring) else self.position
        if isinstance(position, Over) and position.survey:
            position = position.last
        if not isinstance(position, StonePosition):
            raise GtpError("cannot score")
        return position

    def final_score(self) -> str:
        """Go's score as in `W+7.5`, or `W+R` after a resignation (SGF 4, RE); in other games the points of each side,
        or its share of the win once the game is over. Dead stones are removed first."""
        outcome = self.position.outcome
        if outcome is not None and not (self.classic and outcome.reason == "points"):
            if self.classic:
                return "B+R" if outcome.scores[0] else "W+R"
            scores = zip(self.position.sides, outcome.scores, strict=True)
            return " ".join(f"{side} {score}" for side, score in scores)
        position = self._ended()
        points = position.lifted(self._dead(position)).survey().points
        if not self.classic:
            return " ".join(f"{side} {decimal(each)}" for side, each in zip(position.sides, points, strict=True))
        lead = points[0] - points[1]
        return f"{'B' if lead > 0 else 'W'}+{decimal(abs(lead))}" if lead else "0"

    def _dead(self, position: StonePosition) -> frozenset[int]:
        if self.position.outcome is not None:
            return frozenset()  # They are off the board, or everything counts as alive since play went on once.
        from service.bots.stones.settling import dead, ownership

        return dead(position, ownership(position, self.seed))

    def final_status_list(self, text: str) -> str:
        status, position = text.strip(), self._ended()
        if status not in ("alive", "dead", "seki"):
            raise GtpError("invalid status: alive, dead or seki")
        dead = self._dead(position)
        stones = {point for point, stone in enumerate(position.cells) if stone}
        wanted = {"alive": stones - dead, "dead": dead, "seki": frozenset()}[status]
        return " ".join(self._vertex(position.board.names[point]) for point in sorted(wanted))
