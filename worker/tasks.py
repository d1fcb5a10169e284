"""The Celery tasks. Each may run twice, or not at all if the queue loses it; the use cases allow for both."""

from __future__ import annotations

import warnings
from functools import cache

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import worker_init, worker_process_init, worker_ready

from service.play.inbox import run_commands as obeying
from service.play.inbox.warm_up import rehearse
from service.play.match import bot_moves as thinking
from service.play.match import review as reviewing
from service.play.operations import health
from service.play.operations import sweep as sweeping
from service.play.outbox import calls
from service.play.outbox import deliver as sending
from service.play.site import Site
from service.play.table import estimate
from service.store.tables.pulse import HOOKS, THINK
from worker.app import app, have_looked_around, open_site, settings
from worker.garbage import settle


@cache
def _site() -> Site:
    """The site, opened in each process that runs tasks, because database connections don't survive a fork."""
    return open_site()


@app.task
def judge(match_id: int) -> None:
    """Judges the waiting submissions of a match, and sends the first letter that results."""
    sending.judge_and_send(_site(), match_id)


@app.task
def obey(mail_id: int) -> None:
    """Executes the commands in an email."""
    obeying.obey(_site(), mail_id)


@app.task
def deliver(letter_id: int) -> None:
    """Sends a letter that is due."""
    sending.deliver(_site(), letter_id)


@app.task
def call(door_id: int) -> None:
    """Sends a hook or device what waits for it."""
    calls.call(_site(), door_id)
    health.note_alive(_site(), HOOKS)


@app.task
def think(match_id: int) -> None:
    """Has the bots whose turn it is in a match choose their moves, and finds dead stones for those who asked."""
    thinking.think(_site(), match_id)
    estimate.think(_site(), match_id)
    health.note_alive(_site(), THINK)


@app.task
def pulse(name: str) -> None:
    """Notes that the process that serves the queue `name` is running, though it may have nothing to do."""
    health.note_alive(_site(), name)


@app.task
def review(_match_id: int) -> None:
    """Continues the review that has waited longest, whichever match it is of, by a few moves."""
    reviewing.go_on(_site())


@app.task
def sweep() -> None:
    """Retries unfinished work and checks deadlines."""
    sweeping.sweep(_site().unhurried())
    # Where a process doesn't run, nobody would take these from its queue, so they aren't sent for long.
    for name in health.alive(_site()):
        pulse.apply_async((name,), queue=name, expires=settings.sweep_seconds)


@app.task
def look_around() -> None:
    """Finds work that people are waiting for, left behind by a dead process or while the queue was down."""
    sweeping.look_around(_site().unhurried())


@worker_init.connect
def warm_up(**_: object) -> None:
    """Loads what the first move needs before the worker forks its processes, or before `stonepost run` forks the
    worker."""
    _warm_up_once()


@cache
def _warm_up_once() -> None:
    rehearse(settings)
    settle()


@worker_process_init.connect
def take_up(**_: object) -> None:
    """Has a worker look around whenever a process that runs tasks starts: it may replace one that died."""
    have_looked_around()


@worker_ready.connect
def say_no_more(**_: object) -> None:
    """Silences Celery's warning, each time the queue is down, that running tasks continue.

    They should: a letter that is being sent would otherwise be sent twice.
    """
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
