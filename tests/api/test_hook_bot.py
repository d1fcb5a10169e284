"""The bot on the API's page that sleeps until a hook calls it, run unchanged in processes of its own."""

from __future__ import annotations

import html
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from flask import Flask

from service.config import ROOT
from service.games import GAMES
from service.play.match.judge import judge_waiting
from service.play.outbox import calls
from service.play.site import Task
from service.web.security import limiter
from tests.api.conftest import Program, program
from tests.api.test_random_bot import LEAST, MOVES, begun, entries, refused, states
from tests.play.conftest import Town
from tests.ports import free_port
from tests.processes.certificate import make_certificate
from tests.processes.deployment import answers, wait_for
from tests.web.live import served

BOT = ROOT / "templates" / "help" / "hook_bot.py"

LINES = 34


def test_it_is_short_and_needs_nothing_installed() -> None:
    source = BOT.read_text()
    assert len(source.splitlines()) <= LINES
    modules = re.findall(r"^(?:import|from) (.+)$", source, re.MULTILINE)
    assert {name.partition(".")[0] for line in modules for name in line.split(", ")} <= sys.stdlib_module_names


def test_the_page_shows_all_of_it(door: Flask) -> None:
    shown = re.findall(r"<pre[^>]*>(.*?)</pre>", door.test_client().get("/api").text, re.DOTALL)
    assert BOT.read_text().strip() in [html.unescape(block).strip() for block in shown]


def test_it_plays_every_game_when_it_is_called(
    town: Town, door: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiter, "enabled", False)
    town.settings = replace(town.settings, hooks_private=True)
    owed: Queue[int | None] = Queue()
    judged: Queue[int] = Queue()

    def nudge(task: Task, subject: int) -> None:
        if task == "call":
            owed.put(subject)
        elif task == "judge":
            judge_waiting(site, subject)
            judged.put(subject)

    def make_calls() -> None:
        while (number := owed.get()) is not None:
            calls.call(site, number)

    door.extensions["site"] = site = replace(town.site, nudge=nudge)
    players = [program(town, door, name, ("read", "play", "hooks")) for name in ("ada", "bruno", "carla")]
    callers = [Thread(target=make_calls) for _ in players]
    with served(door) as address, in_front(tmp_path, monkeypatch) as front, bots(address, front, players) as printed:
        for one in callers:
            one.start()
        matches = {begun(site, game, players): game for game in GAMES}
        while going := states(town, "running"):
            match = judged.get(timeout=60)
            if match in going and entries(town).get(match, 0) >= MOVES:
                for player in players:
                    player.order(match, "resign")
        for _ in callers:
            owed.put(None)
        for one in callers:
            one.join()
    assert states(town, "over") == matches.keys()
    assert {line for text in printed for line in text.splitlines() if '"POST / HTTP/1.1" 204' not in line} == set()
    assert refused(town) == []
    assert {matches[number] for number, count in entries(town).items() if count >= LEAST} == {*GAMES}


def test_it_refuses_strangers_calls(town: Town, door: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    town.settings = replace(town.settings, hooks_private=True)
    door.extensions["site"] = town.site
    player = program(town, door, "ada", ("read", "play", "hooks"))
    with served(door) as address, in_front(tmp_path, monkeypatch) as front, bots(address, front, [player]) as printed:
        line = HTTPConnection("127.0.0.1", int(player_port(town, player)), timeout=10)
        line.request("POST", "/", b"{}", {"webhook-signature": "v1,AAAA"})
        assert line.getresponse().status == 403
    assert '" 403 -' in printed[0]


def test_it_says_why_its_hook_is_refused(town: Town, door: Flask) -> None:
    player = program(town, door, "ada", ("read", "play"))
    with served(door) as address:
        told = {"STONEPOST_URL": address, "STONEPOST_TOKEN": player.token, "HOOK": "https://bot.example.org/"}
        done = subprocess.run(
            [sys.executable, str(BOT)],
            env=os.environ | told | {"PORT": str(free_port())},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "This token can't be used for this: it needs the scope hooks.\n")


def player_port(town: Town, player: Program) -> str:
    """The port of a bot, with which its hook's address ends."""
    (hook,) = player.ask("/hooks").json["hooks"]
    return str(hook["address"]).rpartition("/")[2]


@contextmanager
def in_front(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """HTTPS in front of programs on this machine, whose ports are the paths below the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            line = HTTPConnection("127.0.0.1", int(self.path[1:]), timeout=30)
            line.request("POST", "/", self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers))
            self.send_response(line.getresponse().status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    make_certificate(place)
    monkeypatch.setenv("SSL_CERT_FILE", str(place / "certificate.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "certificate.pem", place / "key.pem")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def bots(address: str, front: str, players: Sequence[Program]) -> Iterator[list[str]]:
    """A bot for each player, with its hook added, and what they have printed, at the end."""
    printed: list[str] = []
    running = []
    for player in players:
        port = free_port()
        given = {"STONEPOST_URL": address, "STONEPOST_TOKEN": player.token}
        environment = os.environ | given | {"HOOK": f"{front}/{port}", "PORT": str(port)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        running.append(subprocess.Popen([sys.executable, "-u", str(BOT)], env=environment, **pipes))  # type: ignore[call-overload]
        wait_for(lambda port=port: answers(port), "the bot's start")  # type: ignore[misc]
    try:
        wait_for(lambda: all(player.ask("/hooks").json["hooks"] for player in players), "the hooks")
        yield printed
    finally:
        for one in running:
            one.kill()
        printed += [one.communicate()[0] for one in running]
