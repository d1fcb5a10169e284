"""The Celery application: a queue for each urgency, no results, tasks that carry ids only."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from functools import cached_property
from threading import Lock, Thread
from typing import Any

from celery import Celery
from celery.concurrency import asynpool
from celery.platforms import SecurityWarning
from kombu.exceptions import OperationalError
from kombu.transport import redis
from kombu.utils.uuid import uuid

from service import broker
from service.config import Settings, SettingsError
from service.play.site import Site, Task
from service.store.session import Store
from worker.logs import QUEUE_ERRORS, keep_private, write_steps

log = logging.getLogger(__name__)

# Celery warns if it runs as root. That is the operator's choice, and common in containers.
warnings.filterwarnings("ignore", category=SecurityWarning)


def _settings() -> Settings:
    """The settings in the environment. If they're wrong, the process ends with one line and exit code 2."""
    try:
        return Settings.from_environment()
    except (SettingsError, OSError) as error:
        print(f"stonepost: {error}", file=sys.stderr)
        raise SystemExit(2) from None


os.umask(0o077)  # Only the user who runs this can read the files it creates.
settings = _settings()
keep_private(settings)
if settings.log_orders:
    write_steps()

QUEUES = {
    "judge": ("judge", "obey", "look_around"),
    "post": ("deliver",),
    "rest": (),
    "think": ("think", "pulse"),
    "review": ("review",),
    "hooks": ("call",),
    "upkeep": ("sweep",),
}
"""The tasks on each queue, the most urgent queue first: no move waits for a thousand letters, a bot or a long sweep.
Orders from programs and those the sweep finds go to `rest`, so neither a hundred bots nor a thousand passed deadlines
hold up a move or a letter. A review runs for a few seconds at a time, so it never holds up an opponent's move. `pulse`
goes to `hooks` too. The Procfile says which processes serve which queues."""


def _keep_clients() -> None:
    """Has Kombu reuse a channel's client. By default it makes one for each command, which takes as long as the
    command."""
    make: Any = redis.Channel._create_client

    def client(channel: Any, asynchronous: bool = False) -> Any:
        if asynchronous:
            return make(channel, asynchronous=True)
        kept = channel.__dict__.get("kept_client")
        if kept is None or kept.connection_pool is not channel.pool:
            kept = channel.kept_client = make(channel)
        return kept

    redis.Channel._create_client = client  # type: ignore[method-assign]


def _notice_deaths() -> None:
    """Has Celery look for dead processes twice a second. By default it looks when a process closes its pipe, sometimes
    a moment before that process has ended, and then only every five seconds."""
    timers: Any = property(lambda pool: {pool.maintain_pool: 0.5})
    asynpool.AsynPool.timers = timers


class Application(Celery):  # type: ignore[misc] # Celery isn't typed.
    """Celery with a worker that exits immediately when it can't go on."""

    @cached_property
    def Worker(self) -> Any:  # noqa: N802 - Celery's name for it.
        """The class of workers. Other processes don't load it."""
        return self.subclass_with_self("worker.unrecoverable:Worker")


_keep_clients()
_notice_deaths()
app = Application("stonepost", broker=broker.queue_url(settings), include=["worker.tasks"])
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_routes={f"worker.tasks.{task}": {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks},
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_channel_error_retry=True,  # Wait for a queue that is full or read-only, as for one that is down.
    worker_hijack_root_logger=False,
    broker_use_ssl=broker.proof(settings),
    # Tasks of a killed worker are redelivered soon, and nothing waits forever for a broker that hangs.
    broker_heartbeat=10,  # For RabbitMQ; the options below are for Redis.
    broker_transport_options={
        "master_name": broker.watched_name(settings),
        "queue_order_strategy": "worker.queue_order:MostlySorted",
        "visibility_timeout": 60,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 3,
    },
    # A sweep that no worker had time for expires: the next one finds the same work.
    beat_schedule={
        "sweep": {
            "task": "worker.tasks.sweep",
            "schedule": settings.sweep_seconds,
            "options": {"expires": settings.sweep_seconds},
        }
    },
    beat_scheduler="worker.steady:Steady",
)


MOST = 0.5
"""Seconds that a nudge may wait for the queue: somebody is waiting for an answer, and the sweep makes up for a lost
nudge."""

OF_REDIS = {"socket_timeout": MOST, "socket_connect_timeout": MOST, "max_retries": 0}
OF_RABBITMQ = {"read_timeout": MOST, "write_timeout": MOST, "max_retries": 0}


def nudge(task: Task, subject: int, queue: str | None = None) -> None:
    """Queues a task. If that fails it logs one line, and the task is found again once the queue is back."""
    try:
        _insist(task, subject, queue=queue)
    except _FAILURES as error:
        log.warning("could not queue %s %s (%s); it waits until the queue is back", task, subject, type(error).__name__)
        have_looked_around()


_FAILURES = (OperationalError, OSError, *QUEUE_ERRORS)
"""Kombu has an error of its own only for a lost connection. Errors of a queue that is full, read-only or slow come
through unchanged."""

_QUEUE_OF = {task: queue for queue, tasks in QUEUES.items() for task in tasks}


def _insist(task: str, *subject: int, queue: str | None = None) -> None:
    began = time.monotonic()
    try:
        _send(task, *subject, queue=queue)
    except _FAILURES:
        if time.monotonic() > began + MOST / 2:
            raise
        # A connection opened before RabbitMQ restarted fails immediately, and then reconnects.
        _send(task, *subject, queue=queue)


def _send(task: str, *subject: int, queue: str | None = None) -> None:
    """Celery's `send_task` without results, chains and signals, which aren't used here.

    Redis creates a queue automatically; RabbitMQ drops messages for a queue that hasn't been declared.
    """
    to = queue or _QUEUE_OF[task]
    said = {"argsrepr": repr(subject), "kwargsrepr": "{}", "ignore_result": True}
    message = app.amqp.create_task_message(uuid(), f"worker.tasks.{task}", subject, **said)
    where = {"exchange": "", "routing_key": to, "declare": [app.amqp.queues[to]] if settings.amqp_url else []}
    with app.producer_pool.acquire(block=True) as producer:
        producer.publish(message.body, headers=message.headers, serializer="json", **where, **message.properties)


def have_looked_around() -> None:
    """Has a worker look for unfinished work, as soon as the queue can be reached. Returns immediately."""
    with _one_at_a_time:
        # A thread of the process that this one was forked from isn't alive here.
        if not (_asking and _asking[-1].is_alive()):
            _asking[:] = [Thread(target=_ask, name="ask", daemon=True)]
            _asking[-1].start()


_one_at_a_time = Lock()
_asking: list[Thread] = []


def _ask() -> None:
    while True:
        try:
            _insist("look_around")
        except _FAILURES:
            time.sleep(MOST)
        else:
            return


def nudge_later(task: Task, subject: int) -> None:
    """Like `nudge`, for work that nobody is waiting for at a screen."""
    nudge(task, subject, "rest" if task in QUEUES["judge"] else None)


def open_site() -> Site:
    """The site of this process, whose nudges go to the queue. A worker opens it only in the processes that run its
    tasks: the one that fetches them has longer timeouts for the queue."""
    app.conf.broker_transport_options |= OF_RABBITMQ if settings.amqp_url else OF_REDIS
    app.conf.broker_connection_timeout = MOST
    return Site(settings, Store(settings.database_url), nudge, nudge_later=nudge_later)
