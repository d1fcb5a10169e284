"""Go on 9x9 against GNU Go over GTP, if it is installed (Debian: apt-get install gnugo)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from shutil import which
from time import process_time

from service.bots.compiler import COMPILED
from service.bots.roster import OPPONENTS, for_counting
from service.bots.stones.playing_on import proposed
from service.bots.stones.settling import ownership
from service.bots.thought import Opponent, View, seed_of
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from tests.arena.match import Pairing, Player, Result, Table
from tests.arena.stones import ours

GNUGO = which("gnugo") or which("gnugo", path="/usr/games")
COLOURS = ("black", "white")


class Gtp:
    """A GTP engine as a child process."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        """The answer to one command; raises RuntimeError if the engine refuses it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while (line := self.process.stdout.readline().strip()) or not lines:
            lines.append(line)
        answer = "\n".join(lines).strip()
        if not answer.startswith("="):
            raise RuntimeError(f"{command}: {answer}")
        return answer[1:].strip()

    def close(self) -> None:
        self.ask("quit")
        self.process.wait()


@dataclass(frozen=True)
class Against(Pairing):
    """One of our opponents against GNU Go, which also decides the result, without dead stones."""

    level: int = 10

    def played(self, matches: int, seed: int) -> Result:
        points = cpu = 0.0
        moves = 0
        for number in range(matches):
            table = Table(GAMES[self.game].start(2, 0, **self.options))
            engine = Gtp(
                GNUGO or "gnugo",
                "--mode",
                "gtp",
                "--level",
                str(self.level),
                "--chinese-rules",
                "--seed",
                str(seed + number),
            )
            engine.ask("boardsize 9")
            engine.ask(f"komi {self.options['komi']}")
            points += self.against(engine, table, number % 2, seed + number)
            engine.close()
            cpu, moves = cpu + table.cpu, moves + table.moves
            print(f"  {points:g}/{number + 1}", flush=True)
        return Result(self.name, points, matches, seed, cpu / max(1, moves))

    def against(self, engine: Gtp, table: Table, ours: int, seed: int) -> float:
        """Plays one match; returns our share of the win."""
        past: list[float] = []
        for ply in range(400):
            seat = table.position.turns[0]
            if seat == ours:
                begun = process_time()
                thought = self.player(
                    View.of(table.position, seat, tuple(table.log[-4:])), seed_of(seed, ply, seat), past
                )
                table.cpu += process_time() - begun
                table.moves += 1
                past.append(thought.value)
                move = thought.move
                if move == "resign":
                    return 0.0
                engine.ask(f"play {COLOURS[seat]} {move}")
            else:
                move = engine.ask(f"genmove {COLOURS[seat]}").lower()
                if move == "resign":
                    return 1.0
            table.position = table.position.play(seat, move)
            table.log.append((seat, move))
            if table.position.phase != "play":
                break
        return float(engine.ask("final_score").startswith("BW"[ours]))


@dataclass(frozen=True)
class Dead(Pairing):
    """Whether our bots and GNU Go agree on dead stones at the end of matches of GNU Go against itself."""

    def played(self, matches: int, seed: int) -> Result:
        agreed, cpu, budget = 0, 0.0, for_counting(self.game, 81, COMPILED)
        for number, (ended, theirs) in islice(self.ends(seed), matches):
            begun = process_time()
            agreed += proposed(ended, ownership(ended, number), budget, number) == theirs
            cpu += process_time() - begun
        return Result(self.name, agreed, matches, seed, cpu / matches)

    def ends(self, seed: int) -> Iterator[tuple[int, tuple[StonePosition, set[int]]]]:
        """An endless series of seeds, each with the end of its match and the stones that GNU Go calls dead."""
        for number in count(seed):
            engine = Gtp(GNUGO or "gnugo", "--mode", "gtp", "--level", "1", "--seed", str(number))
            engine.ask("boardsize 9")
            ended = self.finished(engine, Random(number))
            dead = engine.ask("final_status_list dead").split()
            engine.close()
            if ended is not None:
                yield number, (ended, {ended.board.index[name.lower()] for name in dead})

    def finished(self, engine: Gtp, chance: Random) -> StonePosition | None:
        """The end of a match whose first stones are random, so that matches differ; None if a side resigns."""
        position = GAMES[self.game].start(2, 0, **self.options)
        for ply in range(400):
            if not isinstance(position, StonePosition):
                break
            seat = position.turns[0]
            if ply < 6:
                move = chance.choice([*position.moves(seat)][:-1])
                engine.ask(f"play {COLOURS[seat]} {move}")
            else:
                move = engine.ask(f"genmove {COLOURS[seat]}").lower()
            if move == "resign":
                return None
            position = position.play(seat, move)
        assert isinstance(position, Scoring)
        return position.ended


def pairings() -> tuple[Pairing, ...]:
    if GNUGO is None:
        return ()
    strongest = OPPONENTS["go"][2]

    def with_budget(budget: int) -> Player:
        return ours(Opponent(strongest.name, 3, budget, strongest.about))

    nobody = with_budget(1)
    judged = Dead("gnugo: the same dead stones", "go", nobody, nobody, 2, {"size": "9"})
    return judged, *(
        Against(
            f"gnugo: {budget} simulations - GNU Go level 10",
            "go",
            with_budget(budget),
            with_budget(budget),
            2,
            {"size": "9", "komi": "7.5"},
        )
        for budget in (2000, strongest.budget)
    )


PAIRINGS = pairings()
