"""What a process logs: no address, no token, no secret, whatever goes wrong."""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import amqp
import pytest
import redis
from billiard.exceptions import WorkerLostError
from sqlalchemy import text
from sqlalchemy.exc import InternalError, SQLAlchemyError

from service.app import create_app
from service.mail import reply_address
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import links
from service.play.inbox.receive import receive
from service.store.session import Store
from tests.play.conftest import Town, town
from tests.play.inbox.test_run_commands import ADA, BEN, rosette
from tests.play.outbox.test_deliver import Post, server
from worker.logs import keep_private

__all__ = ["server", "town"]

PRIVATE = re.compile(r"[\w.+]+@[\w-]|g\+[a-z2-7]{9}|\.[\w-]{27}\b|hunter22|nobody else's")


@pytest.fixture
def log(town: Town, caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Log records as one of our processes makes them."""
    made, hook, of_threads = logging.getLogRecordFactory(), sys.excepthook, threading.excepthook
    town.settings = replace(town.settings, redis_url="redis://:hunter22@localhost/0", mailgun_key="nobody else's")
    keep_private(town.settings)
    caplog.set_level(logging.DEBUG)
    yield caplog
    logging.setLogRecordFactory(made)
    sys.excepthook, threading.excepthook = hook, of_threads


def test_handling_an_email_logs_nothing_private(town: Town, log: pytest.LogCaptureFixture, server: Post) -> None:
    relay, town.settings = town.settings, replace(town.settings, smtp_url="")
    turns = rosette(town)
    town.settings = relay
    server.answers = {BEN: f"550 5.7.1 <{BEN}> is not liked", ADA: "450 4.2.0 later"}
    town.reply(turns[ADA], "g10")
    town.reply(turns[ADA], "nonsense")
    back = ReplyAddress(1, 1, purpose=Purpose.BOUNCE)
    to = f"{reply_address.write(town.settings.secret, back)}@{town.settings.mail_domain}"
    report = (
        "From: daemon@mx.example\nMessage-ID: <1@mx.example>\nContent-Type: multipart/report; boundary=b\n\n--b\n"
        "Content-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1\n"
        f"Diagnostic-Code: smtp; <{to}>\n--b--\n"
    )
    receive(town.site, report.encode(), [to], "lmtp")
    assert "not sent (Refused), given up" in log.text
    assert "mail to player 1: failed" in log.text
    assert not PRIVATE.findall(log.text)


def test_an_error_is_logged_without_naming_whose_it_was(town: Town, log: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("celery.app.trace")
    try:
        with town.store.writing() as session:
            session.execute(text("INSERT INTO player (email, no_such) VALUES (:email, 1)"), {"email": ADA})
    except SQLAlchemyError:
        logger.exception("task %s failed for %s with hunter22", "deliver", ADA)
    logger.error("%d and nobody else's", "no number")
    sys.excepthook(ValueError, ValueError(f"no {BEN}"), None)
    assert "no_such" in log.text
    assert "no b*** at example.net" in log.text
    assert not PRIVATE.findall(log.text)


@pytest.mark.parametrize(
    "setting",
    [
        {"database_url": "postgresql://web@db/stonepost?sslmode=require&password=in%20the%20query"},
        {"database_url": "postgresql://db/stonepost?sslpassword=in%20the%20query"},
        {"club_notices": ("discord+https://:in%20the%20query@hooks.example.org/",)},
    ],
)
def test_no_password_of_an_address_is_logged(
    town: Town, log: pytest.LogCaptureFixture, setting: dict[str, Any]
) -> None:
    keep_private(replace(town.settings, **setting))
    logging.getLogger("worker").error("connecting as web with in%20the%20query, in the query")
    assert "connecting as web with" in log.text
    assert "the query" not in log.text
    assert "the%20query" not in log.text


def test_a_service_that_is_away_for_a_while_is_logged_in_one_line(log: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("celery.app.trace")
    store = Store("postgresql://stonepost:hunter22@127.0.0.1:1/none")
    refused = InternalError("UPDATE letter", None, OSError("cannot execute UPDATE in a read-only transaction"))
    queues = (redis.ReadOnlyError("a read only replica"), amqp.ConnectionForced("shut down"))
    errors = (None, refused, WorkerLostError(f"signal 9 at {ADA}"), *queues)
    for name, error in zip(("database", "standby", "process", "valkey", "rabbitmq"), errors, strict=True):
        try:
            if error is None:
                with store.reading() as session:
                    session.execute(text("SELECT 1"))
            else:
                raise error
        except (SQLAlchemyError, WorkerLostError, redis.RedisError, amqp.AMQPError):
            logger.exception("task %s failed", name)
    store.close()
    assert [len(logging.Formatter().format(record).splitlines()) for record in log.records] == [1, 1, 1, 1, 1]
    assert "task database failed (OperationalError: (psycopg.OperationalError) connection failed" in log.text
    assert "task process failed (WorkerLostError: signal 9 at a*** at example.org)" in log.text
    assert not PRIVATE.findall(log.text)


def test_words_of_strangers_cannot_control_a_terminal(log: pytest.LogCaptureFixture) -> None:
    logging.getLogger("mail.log").warning("unrecognised: %s", "\x1b[2J\rVRFY\x9b1m")
    try:
        raise ValueError("\x1b]0;title\x07")
    except ValueError:
        logging.getLogger("celery.app.trace").exception("a task failed")
    shown = [logging.Formatter().format(record) for record in log.records]
    assert shown[0] == r"unrecognised: \x1b[2J\rVRFY\x9b1m"
    assert shown[1].endswith(r"ValueError: \x1b]0;title\x07")


def test_a_queue_that_refuses_everything_is_logged_twice_a_minute(log: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("celery.worker.consumer.consumer")
    for second in range(60):
        for words in ("Cannot connect: the queue is read-only", f"Connected at {second}"):
            record = logger.makeRecord(logger.name, logging.ERROR, "", 0, words, (), None)
            record.created = 1e9 + second
            logger.handle(record)
    assert log.text.count("Cannot connect") == 2
    assert log.text.count("Connected at") == 60


def test_a_librarys_warning_is_logged_in_one_line(log: pytest.LogCaptureFixture) -> None:
    logging.getLogger("py.warnings").warning(
        "%s", "consumer.py:427: PendingDeprecationWarning: \nIn 6.0\n\n  cancelled\n"
    )
    assert [logging.Formatter().format(record) for record in log.records] == [
        "consumer.py:427: PendingDeprecationWarning: In 6.0 cancelled"
    ]


def test_a_sweep_that_could_not_be_queued_is_logged_in_one_line(log: pytest.LogCaptureFixture) -> None:
    words = "Message Error: %s\n%s"  # As Celery writes it.
    logging.getLogger("celery.beat").error(words, "[Errno 111] Connection refused", traceback.format_stack())
    assert [record.getMessage() for record in log.records] == ["Message Error: [Errno 111] Connection refused"]


def test_a_thread_that_ends_with_an_error_is_logged_like_all_errors(log: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError(f"no {BEN}")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert "the process is ending" not in log.text
    assert "no b*** at example.net" in log.text


def test_the_error_of_a_page_is_logged_without_its_token(town: Town, log: pytest.LogCaptureFixture) -> None:
    town.settings = replace(town.settings, redis_url="memory://")
    app = create_app(town.site)
    link = links.to_stop(town.site, 1, 1).removeprefix(town.settings.public_url)
    with town.store.writing() as session:
        session.execute(text("ALTER TABLE player RENAME TO people"))
    assert app.test_client().get(link).status_code == 500
    assert "Exception on /mail/stop/***" in log.text
    assert not PRIVATE.findall(log.text)


def test_a_page_that_cannot_write_to_the_database_logs_one_line(town: Town, log: pytest.LogCaptureFixture) -> None:
    town.settings = replace(town.settings, redis_url="memory://")
    client = create_app(town.site).test_client()
    rosette(town)
    link = links.to_stop(town.site, 1, 1).removeprefix(town.settings.public_url)
    with town.store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    log.clear()
    assert client.post(link, data={"List-Unsubscribe": "One-Click"}).status_code == 503
    town.store.close()
    [record] = [record for record in log.records if record.levelno >= logging.WARNING]
    [line] = logging.Formatter().format(record).splitlines()
    assert "Exception on /mail/stop/*** [POST] (OperationalError: " in line
    assert "attempt to write a readonly database" in line
