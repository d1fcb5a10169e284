"""Programs that speak GTP with our bots: each command gets one reply, whatever it is."""

from __future__ import annotations

from random import Random

from service.cli.gtp import Controller
from service.games import GAMES
from tests.fuzz import mutation
from tests.fuzz.doors import Door, check_printable
from tests.fuzz.orders import golden

COMMANDS = (
    "protocol_version", "name", "version", "list_commands", "known_command play", "boardsize 5", "boardsize 9",
    "komi 6.5", "clear_board", "play B C3", "play w d4", "play black pass", "2 play white resign", "genmove b",
    "genmove w", "undo", "showboard", "final_score", "final_status_list dead", "final_status_list alive", "quit",
    "# nothing", "play", "genmove", "time_left b 1 1", "loadsgf x.sgf", "play red c3", "genmove red", "1 2 3",
    "komi -1e9", "boardsize 26", "-1 name",
)  # fmt: skip
SMALL = {"rosette": {"base": "5"}, "medusa": {"base": "4"}}
MOST_THINKING = 1
"""The most moves requested in one session: these take longest."""


class Gtp(Door):
    name = "gtp"
    share = 2
    thinking = 60.0

    def make(self, chance: Random) -> tuple[str, list[str]]:
        game = chance.choice([*GAMES])
        sides, moves = GAMES[game].start().sides, golden(game)
        known = [*COMMANDS, *(f"play {chance.choice(sides)} {chance.choice(moves)}" for _ in range(10))]
        lines = [
            mutation.text(chance, known, 3_000) if chance.random() < 0.5 else chance.choice(known) for _ in range(8)
        ]
        thinking = [at for at, line in enumerate(lines) if "genmove" in line.lower() or "final" in line.lower()]
        for at in thinking[MOST_THINKING:]:
            lines[at] = "name"
        return game, lines

    def take(self, given: tuple[str, list[str]]) -> bool:
        name, lines = given
        options = SMALL.get(name, {"size": "5"} if name.startswith(("go", "multigo")) else {})
        controller = Controller(GAMES[name], 0, options, 1, 1, 1)
        answers = [*controller.answers(lines)]
        assert len(answers) <= len(lines)
        for answer in answers:
            assert answer[0] in "=?", answer[:80]
            assert answer.endswith("\n"), answer[:80]
            assert "\n\n" not in answer, "an empty line ends a reply"
            check_printable(answer, but="\n")
        return any(answer[0] == "=" for answer in answers)
