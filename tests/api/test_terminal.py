"""`stonepost play`: what a terminal shows, and one clear sentence for everything that can go wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from flask import Flask
from sqlalchemy import update

from service.cli import main
from service.play import links
from service.play.accounts.programs import tokens
from service.play.match.judge import judge_waiting
from service.store.models import Submission
from service.web import places
from tests.api.conftest import Program
from tests.play.conftest import Town
from tests.web.live import served

Terminal = Callable[..., tuple[int, str, str]]


@pytest.fixture
def terminal(
    door: Flask, ada: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Terminal]:
    """Ada's terminal: what `stonepost play` with these words returns and prints."""

    def typed(*words: str) -> tuple[int, str, str]:
        return (main(["play", *words]), *capsys.readouterr())

    with served(door) as address:
        monkeypatch.setenv("STONEPOST_URL", f"{address}/")
        monkeypatch.setenv("STONEPOST_TOKEN", ada.token)
        yield typed


def test_a_move_in_a_terminal(terminal: Terminal, bruno: Program, match: int) -> None:
    code, listed, _ = terminal("list")
    assert (code, listed) == (0, f"{match:>8}  your turn    rosette: black Ada, white Bruno\n")
    code, printed, _ = terminal("order", str(match), "E", "9")
    assert code == 0
    first, title, black, white, *board = printed.splitlines()
    assert first == "E 9: accepted."
    assert title == f"Rosette, match {match}, round 2: running"
    assert (black, white) == ("  black: Ada", "> white: Bruno")
    assert "[X]" in "\n".join(board)
    assert bruno.ask(f"/matches/{match}").json["log"][0]["move"] == "e9"
    assert terminal("show", str(match))[1] == "\n".join([title, black, white, *board, ""])


def test_a_terminal_shows_the_numbers_beside_the_board_and_all_that_others_played(
    terminal: Terminal, ada: Program, bruno: Program, enter: Callable[..., Program]
) -> None:
    cleo, new = enter("cleo"), "multigo-coop size=5 vs bruno@example.org vs cleo@example.org"
    match = ada.send("/matches", {"new": new}).json["id"]
    for guest in (bruno, cleo):
        assert guest.send(f"/matches/{match}/answer", {"accept": True}).status == 200
    for mover, move in ((ada, "a1"), (bruno, "a2"), (cleo, "e5"), (ada, "c3"), (bruno, "b1"), (cleo, "d5")):
        assert mover.order(match, move).status == 200
    _, _, facts = terminal("show", str(match))[1].partition("[ ] last move\n")
    assert facts.splitlines() == [
        "Prisoners: White: black 1",
        "White played b1.",
        "a1 left the board (black 1); White alone took black 1.",
        "Red played d5.",
        "Black is skipped in this round, to make up for moving first.",
    ]


def test_an_order_meant_for_an_earlier_round_is_refused(terminal: Terminal, bruno: Program, match: int) -> None:
    """Otherwise `accept` could agree to dead stones that were named a moment ago."""
    assert terminal("order", str(match), "e9", "--round", "1")[0] == 0
    bruno.order(match, "e10")
    code, printed, complaint = terminal("order", str(match), "f9", "--round", "1")
    assert (code, printed) == (2, "")
    assert "The match is in round 3, and this order is for round 1. Nothing was done." in complaint
    assert terminal("order", str(match), "f9", "--round", "3")[0] == 0


def test_an_order_for_a_board_that_was_lost_when_a_backup_was_restored_is_refused(
    terminal: Terminal, town: Town, ada: Program, bruno: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(links._restorations, town.store, [town.now])
    ada.order(match, "e9")
    bruno.order(match, "e10")
    code, printed, complaint = terminal("order", str(match), "f9", "--round", "3")
    assert (code, printed) == (2, "")
    assert "That order was for a board that was lost when the service was restored from a backup." in complaint
    shown = terminal("show", str(match))[1].splitlines()[0]
    round_ = f"3@{int(town.now.timestamp())}"
    assert shown == f"Rosette, match {match}, round {round_}: your turn"
    assert terminal("order", str(match), "f9", "--round", round_)[0] == 0


def test_a_round_is_written_as_show_prints_it(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        terminal("order", "1", "f9", "--round", "3@")
    complaint = capsys.readouterr().err
    assert complaint == "stonepost play order: Argument --round: must be a round as show prints it, not '3@'.\n"


def test_a_player_without_matches_reads_that_there_are_none(terminal: Terminal) -> None:
    assert terminal("list") == (0, "You have no matches.\n", "")


def test_all_matches_are_listed_and_open_seats_are_marked(terminal: Terminal, ada: Program) -> None:
    for number in range(51):
        ada.send("/matches", {"new": "lotus vs open"}, Idempotency_Key=f"{number}")
    code, listed, _ = terminal("list")
    lines = listed.splitlines()
    assert (code, len(lines), lines[0]) == (0, 51, f"{51:>8}  open         lotus: black Ada, white open")


def test_names_cannot_send_control_codes_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from service.cli.play import _say

    _say("Mallory\x1b[2J\x9b1m\nsays\t\u202eno")
    assert capsys.readouterr().out == "Mallory[2J1m\nsaysno\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "999"), "There's no match 999."),
        (("order", "999", "e9"), "There's no match 999, or you have no seat in it."),
        (("order", "{match}", "resign", "or", "not"), "'not' isn't a move here."),
        (("order", "{match}", "z", "99"), "There's no point z99"),
    ],
)
def test_the_site_says_why_it_refuses(terminal: Terminal, match: int, words: tuple[str, ...], sentence: str) -> None:
    code, printed, complaint = terminal(*(word.format(match=match) for word in words))
    assert (code, printed) == (2, "")
    assert complaint.startswith("stonepost: ")
    assert sentence in complaint
    assert complaint.count("\n") == 1


def test_a_token_that_may_only_read_cannot_play(
    town: Town, terminal: Terminal, ada: Program, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_TOKEN", tokens.make(town.site, ada.id, "", ("read",), None, "reads")[0])
    code, _, complaint = terminal("order", str(match), "e9")
    assert code == 2
    assert "play" in complaint


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("STONEPOST_TOKEN", "", "STONEPOST_TOKEN is not set."),
        ("STONEPOST_TOKEN", "stonepost_\n1", "STONEPOST_TOKEN isn't a token."),
        ("STONEPOST_TOKEN", "stonepost_1", "The site rejects the token in STONEPOST_TOKEN"),
        ("STONEPOST_URL", "", "STONEPOST_URL is not set."),
        ("STONEPOST_URL", "play.example.org", "STONEPOST_URL must begin with https://."),
        ("STONEPOST_URL", "https://[::1", "STONEPOST_URL isn't an address like https://play.example.org."),
        ("STONEPOST_URL", "https://spiel.müller.example", "STONEPOST_URL isn't an address like https://play.example"),
        ("STONEPOST_URL", "https://play..example", "STONEPOST_URL isn't an address like https://play.example.org."),
        ("STONEPOST_URL", "file:///etc/passwd", "STONEPOST_URL must begin with https://."),
        ("STONEPOST_URL", "http://play.example.org", "the token could be read"),
        ("STONEPOST_URL", "http://localhost:1", "The site in STONEPOST_URL doesn't answer: "),
    ],
)
def test_a_missing_or_wrong_setting_is_one_sentence(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    code, printed, complaint = terminal("list")
    assert (code, printed) == (2, "")
    assert sentence in complaint
    assert complaint.count("\n") == 1


class Astray(BaseHTTPRequestHandler):
    """Redirects programs to another site, and records the tokens they send there."""

    shown: list[str]

    def do_GET(self) -> None:
        if self.path == "/elsewhere":
            self.shown.append(str(self.headers["Authorization"]))
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_about: object) -> None:
        pass


def test_a_redirect_does_not_get_the_token(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    Astray.shown = []
    with HTTPServer(("127.0.0.1", 0), Astray) as astray:
        thread = threading.Thread(target=astray.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setenv("STONEPOST_URL", f"http://127.0.0.1:{astray.server_port}")
        code, _, complaint = terminal("list")
        astray.shutdown()
        thread.join()
    assert (code, Astray.shown) == (2, [])
    assert complaint == "stonepost: The site in STONEPOST_URL answers 302 Found.\n"


def test_watching_prints_what_happens_until_it_is_stopped(
    terminal: Terminal, match: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sleep = time.sleep

    def stop(seconds: float) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        sleep(seconds)  # The site does the waiting.

    monkeypatch.setattr("time.sleep", stop)
    code = main(["play", "watch"])
    assert (code, capsys.readouterr().out) == (130, f"Match {match}: It's your turn.\n")


def test_an_invitation_is_listed_as_one(terminal: Terminal, bruno: Program) -> None:
    bruno.send("/matches", {"new": "lotus vs ada@example.org"})
    assert terminal("list")[1] == f"{1:>8}  invitation   lotus: black Bruno, white Ada\n"


@pytest.fixture
def busy(town: Town, door: Flask, ada: Program) -> Iterator[None]:
    """The worker is behind, and there's no room for others who wait for it."""
    door.extensions["site"] = replace(town.site, nudge=lambda _task, _subject: None)
    with ExitStack() as others:
        for _ in range(places.EACH):
            others.enter_context(places.room(ada.id))
        yield


@pytest.mark.usefixtures("busy")
def test_an_order_that_is_not_judged_yet_is_said_to_be_stored(
    terminal: Terminal, town: Town, ada: Program, match: int
) -> None:
    assert terminal("order", str(match), "e9") == (0, "e9: stored, and not judged yet.\n", "")
    judge_waiting(town.site, match)
    assert ada.ask(f"/matches/{match}").json["log"][0]["move"] == "e9"


@pytest.mark.usefixtures("busy")
def test_an_order_that_was_withdrawn_meanwhile_is_said_to_be(
    terminal: Terminal, town: Town, match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "one")
    terminal("order", str(match), "e9")
    with town.store.writing() as session:
        session.execute(update(Submission).values(verdict="withdrawn"))
    assert terminal("order", str(match), "e9") == (0, "e9: withdrawn. You withdrew it.\n", "")


def test_a_match_is_named_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["play", "show", "latest"])
    assert caught.value.code == 2
    told = "stonepost play show: Argument MATCH: must be the number of a match, not 'latest'.\n"
    assert capsys.readouterr().err == told


class Homepage(BaseHTTPRequestHandler):
    """A site of another kind, which has a page at every address."""

    answer = b"HTTP/1.0 200 OK\r\n\r\n<!doctype html><title>Welcome</title>"
    asked: int

    def do_GET(self) -> None:
        type(self).asked += 1
        self.wfile.write(self.answer)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))  # What is left unread resets the connection.
        self.do_GET()

    def log_message(self, *_about: object) -> None:
        pass


class Shell(Homepage):
    """A server that speaks something other than HTTP."""

    answer = b"SSH-2.0-OpenSSH_9.2p1\r\n"


class Silence(Homepage):
    """A server that hangs up."""

    answer = b""


class Other(Homepage):
    """Another service with answers in JSON."""

    answer = b'HTTP/1.0 200 OK\r\n\r\n{"matches": 5}'


class Nested(Homepage):
    """A server whose answer is too deep to be read."""

    answer = b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 200_000


NO_SITE = "STONEPOST_URL isn't the address of a Stonepost site: its answer isn't"


@pytest.mark.parametrize(
    ("site", "told", "orders_sent"),
    [
        (Homepage, f"{NO_SITE} JSON.", 1),
        (Other, "STONEPOST_URL isn't the address of a Stonepost site: its answer lacks something.", 1),
        (Nested, f"{NO_SITE} JSON.", 1),
        (Shell, f"{NO_SITE} HTTP.", 1),
        (Silence, "The site in STONEPOST_URL doesn't answer: Remote end closed connection without response", 2),
    ],
)
def test_an_address_that_is_no_stonepost_site_is_refused_and_only_a_broken_connection_is_tried_again(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, site: type[Homepage], told: str, orders_sent: int
) -> None:
    with HTTPServer(("127.0.0.1", 0), site) as other:
        thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setenv("STONEPOST_URL", f"http://127.0.0.1:{other.server_port}")
        try:
            for words, asked in ((("list",), 1), (("order", "1", "e9"), orders_sent)):
                site.asked = 0
                assert terminal(*words) == (2, "", f"stonepost: {told}\n")
                assert site.asked == asked
        finally:
            other.shutdown()
            thread.join()
