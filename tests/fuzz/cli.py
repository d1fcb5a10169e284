"""The command line: records, emails and results on standard input, and whatever options there are."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from random import Random
from unittest.mock import patch

from service.cli import main
from service.games import GAMES
from tests.fuzz import mutation
from tests.fuzz.doors import Door
from tests.fuzz.orders import GOLDEN
from tests.fuzz.reader import CORPUS
from tests.fuzz.setups import NUMBERS
from tests.fuzz.words import RESULTS

COMMANDS = ("replay", "moves", "board --text", "board --png", "perft", "mail read", "rate", "standings", "draw")


class CommandLine(Door):
    name = "cli"
    share = 3

    def __init__(self) -> None:
        self.records = {game: (GOLDEN / f"{game}.record").read_bytes()[:6_000] for game in GAMES}
        self.emails = [path.read_bytes() for path in sorted(CORPUS.glob("*.eml"))[::5]]

    def make(self, chance: Random) -> tuple[list[str], bytes]:
        command = chance.choice(COMMANDS)
        if command == "mail read":
            return command.split(), mutation.raw(chance, self.emails)
        if command in ("rate", "standings"):
            return [command], mutation.raw(chance, ["\n".join(RESULTS).encode(), *map(str.encode, RESULTS)], 5_000)
        if command == "draw":
            counts = (str(chance.randint(0, 9)), str(chance.randint(0, 9)))
            return [command, *counts], mutation.raw(chance, [b"ada\nben\ncem\ndan\neve\n"], 500)
        game = chance.choice([*GAMES])
        arguments = [*command.split(), game, *(["1"] if command == "perft" else [])]
        if chance.random() < 0.4:
            name = chance.choice([option.name for option in GAMES[game].options])
            arguments += ["--set", f"{name}={mutation.text(chance, NUMBERS, 3_000)}"]
        if chance.random() < 0.2:
            arguments += ["--seats", mutation.text(chance, ("2", "3", "8", "0", "-1"), 6_000)]
        if command == "moves" and chance.random() < 0.5:
            arguments += ["--draft", mutation.text(chance, ("", "c3", "a1-b2", "dead", "take"), 500)]
        return arguments, mutation.raw(chance, [self.records[game]], 8_000)

    def take(self, given: tuple[list[str], bytes]) -> bool:
        arguments, raw = given
        out, said = TextIOWrapper(BytesIO(), "utf-8", "surrogateescape"), StringIO()
        with patch.object(sys, "stdin", TextIOWrapper(BytesIO(raw))), redirect_stdout(out), redirect_stderr(said):
            try:
                code: object = main(arguments)
            except SystemExit as end:
                code = end.code
        assert code in (0, 1, 2), code
        assert "Traceback" not in said.getvalue()
        assert bool(said.getvalue()) == (code == 2), said.getvalue()[:300]
        return code == 0
