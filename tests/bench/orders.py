"""CPU time of an order, from its arrival to the letters that it causes, in all processes of a deployment.

For a web order only the submitted form counts. The page with the form is fetched beforehand; `pages` measures it. The
author of an emailed order also gets a receipt, so two letters leave.

Orders come as fast as the service accepts them, because their cost matters when there are many. If each waits for the
letters of the one before, the processes sleep in between, and the same work takes up to twice as long: other processes
have replaced the contents of the CPU caches. Those figures are printed too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

from service.config import ROOT
from tests.bench.measure import Figure
from tests.bench.post import forget_invitations, processor_of
from tests.ports import free_port
from tests.processes.deployment import PATIENCE, Deployment, Outbox, answers, descendants, process_name, wait_for
from tests.processes.players import Browser, mail_move, open_tables

WARM_UP, ORDERS, ALONE = 40, 260, 100
ROW = 240
"""Orders that are compared with the peer's answers (`hello`)."""
EACH_TURN, TURN = 20, 100
"""How many orders, and how many requests to the peer, come in a row. An order takes as long as several requests."""
EACH = 50
"""How many web orders a player sends: 60 a minute are allowed."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0", "MAIL_ANSWERS_PER_DAY": "1000"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, "SWEEP_SECONDS": "30", **limits})
        with deployment.running():
            by_mail = open_tables(deployment, WARM_UP + ORDERS + ALONE)
            by_web = _forms(deployment)
            forget_invitations(deployment)
            mail = [(partial(mail_move, deployment, table), 2) for table in by_mail]
            yield from _costs(deployment, outbox, "mail-order", 15, mail)
            with closing(HTTPConnection("127.0.0.1", deployment.ports["WEB_PORT"])) as line:
                web = [partial(send_form, line, *form) for form in by_web]
                yield from _costs(deployment, outbox, "web-order", 12, [(order, 1) for order in web[:-ROW]])
                yield _over_hello(deployment, web[-ROW:], by_web[0])


def _forms(deployment: Deployment) -> list[tuple[str, str, str]]:
    """Order forms filled in by several players, each with its address, body and cookies."""
    count = WARM_UP + ORDERS + ALONE + ROW
    return [form for number in range(count // EACH + 1) for form in forms_of(deployment, f"host{number}@example.org")][
        :count
    ]


def forms_of(deployment: Deployment, email: str) -> list[tuple[str, str, str]]:
    """EACH order forms filled in by one player, few enough to send in a minute."""
    browser = Browser(deployment).sign_in(email)
    written = [browser.written(table, table.moves[0]) for table in open_tables(deployment, EACH, email)]
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    return [(address, urlencode(fields), cookies) for address, fields in written]


def send_form(line: HTTPConnection, address: str, body: str, cookies: str, status: int = 303) -> None:
    """Sends a form over a connection that stays open; asserts the status of the response."""
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    line.request("POST", address, body, headers)
    answer = line.getresponse()
    answer.read()
    assert answer.status == status, answer.status


Order: TypeAlias = tuple[Callable[[], None], int]
"""A function that sends an order, and how many letters the order causes."""


def _costs(deployment: Deployment, outbox: Outbox, name: str, goal: float, orders: Sequence[Order]) -> Iterator[Figure]:
    """What an order costs all processes together, among many and alone."""
    _play(outbox, orders[:WARM_UP])
    at_once = _cost(deployment, partial(_play, outbox, orders[WARM_UP:-ALONE]), ORDERS)
    yield _figure(f"{name}-cpu-ms", goal, at_once, "an order among many")
    alone = _cost(deployment, partial(_play_each, outbox, orders[-ALONE:]), ALONE)
    yield _figure(f"{name}-alone-cpu-ms", None, alone, "an order alone")


def _figure(name: str, goal: float | None, spent: Mapping[str, float], what: str) -> Figure:
    parts = ", ".join(f"{kind} {ms:.1f}" for kind, ms in sorted(spent.items()) if ms >= 0.05)
    return Figure(name, sum(spent.values()), goal, f"ms of CPU time for {what}, and its letters: {parts}")


def _cost(deployment: Deployment, play: Callable[[], object], orders: int) -> dict[str, float]:
    """Milliseconds of each kind of process per order, if `play` sends this many orders."""
    before = _spent(deployment)
    play()
    return {kind: (after - before[kind]) / orders for kind, after in _spent(deployment).items()}


def _over_hello(deployment: Deployment, orders: Sequence[Callable[[], None]], form: tuple[str, str, str]) -> Figure:
    """How many orders a web process accepts in the CPU time that a minimal Flask app needs for one form.

    The two take turns, some forms at a time, because a machine's speed changes from second to second. Forms come in a
    row because, after a pause, other processes have filled the CPU caches and any response takes twice as long.
    """
    port = free_port()
    line = next(line for line in (ROOT / "Procfile").read_text().splitlines() if line.startswith("web:"))
    words = line.replace("--config python:worker.web_server", f"--bind 127.0.0.1:{port}").split()[1:-1]
    hello = subprocess.Popen([sys.executable, "-m", *words, "tests.bench.hello:app"], cwd=ROOT)
    try:
        wait_for(lambda: answers(port), "opening")
        _, body, cookies = form
        with closing(HTTPConnection("127.0.0.1", port)) as server:
            hellos = [partial(send_form, server, "/", body, cookies, status=200)] * TURN
            _by_turns(orders[:WARM_UP], hellos)
            processes = deployment.pids("web"), [hello.pid, *descendants(hello.pid)]
            begun = [sum(map(processor_of, pids)) for pids in processes]
            _by_turns(orders[WARM_UP:], hellos)
            spent = [sum(map(processor_of, pids)) for pids in processes]
    finally:
        hello.terminate()
        hello.wait(timeout=PATIENCE)
    taken = len(orders) - WARM_UP
    ours, theirs = (spent[0] - begun[0]) / taken, (spent[1] - begun[1]) / (taken // EACH_TURN * TURN)
    what = f"orders a CPU second over forms answered by a minimal Flask app: {theirs:.2f} over"
    return Figure("web-order-over-hello", theirs / ours, 0.1, f"{what} {ours:.2f} ms", ">=")


def _by_turns(orders: Sequence[Callable[[], None]], hellos: Sequence[Callable[[], None]]) -> None:
    for begun in range(0, len(orders), EACH_TURN):
        for send in (*orders[begun : begun + EACH_TURN], *hellos):
            send()


def _play(outbox: Outbox, orders: Sequence[Order]) -> None:
    """Sends orders one after another, then waits for all letters."""
    expected = len(outbox.arrived) + sum(letters for _, letters in orders)
    for send, _ in orders:
        send()
    wait_for(lambda: len(outbox.arrived) >= expected, "the letters")


def _play_each(outbox: Outbox, orders: Sequence[Order]) -> None:
    """Sends each order once the letters of the one before have arrived."""
    for order in orders:
        _play(outbox, [order])


def _spent(deployment: Deployment) -> dict[str, float]:
    """Milliseconds of CPU time so far, by process name."""
    assert deployment.run is not None
    found = defaultdict[str, float](float)
    for pid in descendants(deployment.run.pid):
        found[process_name(pid)] += processor_of(pid)
    return found
