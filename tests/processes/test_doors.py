"""Copies and races at the doors of a running deployment: one order is played, and the senders of the others learn why
theirs isn't."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select

from service.config import ROOT
from service.mail import reply_address
from service.play.links import mark
from service.store.models import Entry, Player, Submission
from service.store.tables.pulse import DOOR, Part
from tests.ports import free_port
from tests.processes.deployment import Deployment, Outbox, answers, wait_for
from tests.processes.players import HOST, Browser, Table, deliver, message, open_tables

pytestmark = pytest.mark.processes


def judged(deployment: Deployment, table: Table, count: int) -> list[Submission]:
    """The orders for a match, once there are that many and all have a verdict."""

    def orders() -> list[Submission]:
        with deployment.site.store.reading() as session:
            return [*session.scalars(select(Submission).where(Submission.match_id == table.match_id))]

    wait_for(lambda: len(orders()) >= count and all(order.verdict for order in orders()), "judging")
    return orders()


def test_the_logs_of_the_processes_name_nobody(deployment: Deployment) -> None:
    (table,) = open_tables(deployment, 1)
    settings = deployment.site.settings
    with deployment.site.store.reading() as session:
        reader = session.scalars(select(Player.id).where(Player.email == HOST)).one()
    back = reply_address.ReplyAddress(reader, table.match_id, purpose=reply_address.Purpose.BOUNCE)
    report = (
        b"From: MAILER-DAEMON@mx.example\r\nMessage-ID: <r@mx.example>\r\n"
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        b"Action: failed\r\nStatus: 4.2.2\r\nDiagnostic-Code: smtp; <" + HOST.encode() + b"> is full\r\n--b--\r\n"
    )
    to = f"{reply_address.write(settings.secret, back)}@{settings.mail_domain}"
    deliver(deployment.ports["SMTP_PORT"], "", to, report)
    said = deployment.data / "said"
    wait_for(lambda: f"mail to player {reader}" in said.read_text(), "the line about a report")
    assert "@" not in said.read_text()
    assert settings.secret not in said.read_text()


def log(deployment: Deployment, table: Table) -> list[str]:
    with deployment.site.store.reading() as session:
        return [*session.scalars(select(Entry.move).where(Entry.match_id == table.match_id))]


def post(deployment: Deployment, table: Table, raw: bytes) -> None:
    """The same message through the door for providers and scripts."""
    request = urllib.request.Request(f"{deployment.address}/inbound/mail?to={table.address.replace('+', '%2B')}", raw)
    request.add_header("Authorization", "Bearer open sesame")
    urllib.request.urlopen(request, timeout=60).close()


def test_a_message_delivered_five_times_makes_one_move(deployment: Deployment) -> None:
    (table,) = open_tables(deployment, 1)
    raw = message(HOST, table.address, table.moves[0])
    ports = deployment.ports
    with ThreadPoolExecutor(5) as servers:
        copies = [servers.submit(deliver, ports["SMTP_PORT"], HOST, table.address, raw) for _ in range(2)]
        copies += [servers.submit(deliver, ports["LMTP_PORT"], HOST, table.address, raw, lmtp=True) for _ in range(2)]
        copies += [servers.submit(post, deployment, table, raw)]
        for copy in copies:
            copy.result()
    assert [order.verdict for order in judged(deployment, table, 1)] == ["accepted"]
    assert log(deployment, table) == [table.moves[0]]


def test_of_two_browsers_and_an_email_one_moves_and_the_others_learn_why(
    deployment: Deployment, outbox: Outbox
) -> None:
    (table,) = open_tables(deployment, 1)
    browsers = [Browser(deployment).sign_in(HOST) for _ in range(2)]
    forms = [browser.written(table, move) for browser, move in zip(browsers, table.moves, strict=False)]
    raw = message(HOST, table.address, table.moves[2])
    with ThreadPoolExecutor(3) as people:
        pages = [people.submit(browser.open, *form) for browser, form in zip(browsers, forms, strict=True)]
        mail = people.submit(deliver, deployment.ports["SMTP_PORT"], HOST, table.address, raw)
        mail.result()
        for page in pages:
            page.result()
    orders = judged(deployment, table, 3)
    (accepted,) = [order for order in orders if order.verdict == "accepted"]
    assert log(deployment, table) == [accepted.text]
    for order in orders:
        if order is not accepted:
            assert order.verdict == "refused"
            assert "Nothing was played" in order.message or "turn" in order.message
            assert_told(deployment, outbox, browsers[0], table, order)


def assert_told(deployment: Deployment, outbox: Outbox, browser: Browser, table: Table, order: Submission) -> None:
    """The page of a refused order says why; a mailed one is answered by mail."""
    if order.door == "web":
        assert order.message.split(";")[0] in browser.open(
            f"/match/{table.match_id}?order={order.key.rpartition(':')[2]}"
        )
        return

    letter = reply_address.message_id(f"refusal:{mark(order)}", deployment.site.settings.mail_domain)
    wait_for(lambda: outbox.has(letter), "the answer to a refused mail")


@pytest.mark.parametrize(
    ("clients", "said"),
    [
        (40, b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        (300, b""),
    ],
    ids=["keep their side open", "say nothing"],
)
def test_slow_web_clients_do_not_hold_up_others(deployment: Deployment, clients: int, said: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(clients):
            address = ("127.0.0.1", deployment.ports["WEB_PORT"])
            client = stack.enter_context(socket.create_connection(address, timeout=60))
            client.sendall(said)
        for _ in range(5):
            urllib.request.urlopen(f"{deployment.address}/health/live", timeout=5).close()


HANGS = """
import time

def app(environ, start):
    if not environ["PATH_INFO"].startswith("/health"):
        time.sleep(600)
    start("200 OK", [("Content-Length", "0")])
    return []
"""


def test_monitors_are_answered_while_a_database_that_hangs_keeps_every_thread(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(HANGS)
    port = free_port()
    words = "gunicorn --config python:worker.web_server --workers 1 --threads 2 --no-control-socket hangs:app"
    settings = {"WEB_PORT": str(port), "STONEPOST_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    with (tmp_path / "said").open("w") as said, ExitStack() as visitors:
        run = [sys.executable, "-m", *words.split()]
        started = subprocess.Popen(run, env=os.environ | settings, stdout=said, stderr=said, start_new_session=True)
        server = visitors.enter_context(started)
        visitors.callback(os.killpg, server.pid, signal.SIGKILL)
        wait_for(lambda: answers(port), "opening")
        for _ in range(4):
            visitors.enter_context(socket.create_connection(("127.0.0.1", port))).sendall(b"GET / HTTP/1.0\r\n\r\n")
        for _ in range(3):
            for path in ("/health", "/health/live"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10).close()


def test_the_mail_process_notes_that_its_listeners_answer(deployment: Deployment) -> None:
    def noted() -> bool:
        with deployment.site.store.reading() as session:
            part = session.get(Part, DOOR)
            return part is not None and part.failing is None

    wait_for(noted, "a note of the mail process")
