"""The bot on the API's page, run unchanged in processes of its own, plays every game."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import Queue

import pytest
from flask import Flask
from sqlalchemy import func, select

from service.api import bell
from service.api.subjects import stream
from service.config import ROOT
from service.games import GAMES
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.site import Site, Task
from service.store.models import Entry, Match, Submission
from service.web.security import limiter
from tests.api.conftest import Program, program
from tests.cases import cases
from tests.games.playing import small
from tests.play.conftest import Town
from tests.processes.deployment import wait_for
from tests.web.live import served

BOT = ROOT / "templates" / "help" / "random_bot.py"

LINES = 25

TOO_LATE = ("The match is over.", "That order was for ", "There's nothing to accept")
"""How refusals begin if somebody else's order came first; the last one if play continues without a count."""

LEAST = 3
"""The fewest moves of a match."""

MOVES = cases(LEAST, 10_000)
"""After this many moves somebody resigns. With all cases, every match is played to its end."""


def test_it_is_short_and_needs_nothing_installed() -> None:
    source = BOT.read_text()
    assert len(source.splitlines()) <= LINES
    modules = re.findall(r"^(?:import|from) (.+)$", source, re.MULTILINE)
    assert {name.partition(".")[0] for line in modules for name in line.split(", ")} <= sys.stdlib_module_names


def test_the_page_shows_all_of_it(door: Flask) -> None:
    shown = re.findall(r"<pre[^>]*>(.*?)</pre>", door.test_client().get("/api").text, re.DOTALL)
    assert BOT.read_text().strip() in [html.unescape(block).strip() for block in shown]


def test_it_plays_every_game(town: Town, door: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bell, "BETWEEN", 0.1)
    monkeypatch.setattr(stream, "LONGEST_WAIT", 0.5)
    monkeypatch.setattr(limiter, "enabled", False)
    judged: Queue[int] = Queue()

    def nudge(task: Task, subject: int) -> None:
        if task == "judge":
            judge_waiting(site, subject)
            judged.put(subject)

    door.extensions["site"] = site = replace(town.site, nudge=nudge)
    players = [program(town, door, name, ("read", "play")) for name in ("ada", "bruno", "carla")]
    matches = {begun(site, game, players): game for game in GAMES}
    with served(door) as address, bots(address, players) as printed:
        while going := states(town, "running"):
            match = judged.get(timeout=60)
            if match in going and entries(town).get(match, 0) >= MOVES:
                for player in players:
                    player.order(match, "resign")
    assert states(town, "over") == matches.keys()
    assert printed == ["", "", ""]
    assert refused(town) == []
    assert {matches[number] for number, count in entries(town).items() if count >= LEAST} == {*GAMES}


def begun(site: Site, game: str, players: Sequence[Program]) -> int:
    """A small match of a game that has begun."""
    variant = small(game)
    others = players[1 : variant.seats]
    chairs = [Chair("me"), *(Chair("player", player_id=one.id) for one in others)]
    number = lobby.open_match(site, players[0].id, game, dict(variant.options), chairs)
    for one in others:
        invitations.answer(site, number, one.id, accept=True)
    return number


@contextmanager
def bots(address: str, players: Sequence[Program]) -> Iterator[list[str]]:
    """A bot for each player, and what they have printed, at the end. Each always makes the same choices."""
    printed: list[str] = []
    before = answering()
    start = "import random, runpy, sys; random.seed(sys.argv[1]); runpy.run_path(sys.argv[2])"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", start, player.token[-1:], str(BOT)],
            env=os.environ | {"STONEPOST_URL": address, "STONEPOST_TOKEN": player.token},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for player in players
    ]
    try:
        yield printed
    finally:
        for one in running:
            one.kill()
        printed += [one.communicate()[0] for one in running]
        # A thread may still be answering a bot that has ended, from a database that will soon be gone too.
        wait_for(lambda: not answering() - before, "the end of the last answers")


def answering() -> set[threading.Thread]:
    """The threads that answer requests, or are about to."""
    return {thread for thread in threading.enumerate() if "process_request" in thread.name}


def states(town: Town, state: str) -> set[int]:
    with town.store.reading() as session:
        return set(session.scalars(select(Match.id).where(Match.state == state)))


def refused(town: Town) -> list[str]:
    """Why orders were refused, except for those that came too late."""
    with town.store.reading() as session:
        why = session.scalars(select(Submission.message).where(Submission.verdict == "refused"))
        return [one for one in why if not one.startswith(TOO_LATE)]


def entries(town: Town) -> dict[int, int]:
    """How many moves each match has."""
    counted = select(Entry.match_id, func.count().label("moves")).group_by(Entry.match_id)
    with town.store.reading() as session:
        return {one.match_id: one.moves for one in session.execute(counted)}
