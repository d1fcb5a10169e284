"""What the workers do. Every task may run twice or not at all: the use cases behind them do not mind."""

from __future__ import annotations

import gc
import warnings
from functools import cache

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import worker_init, worker_ready

from service.play.inbox import run_commands as obeying
from service.play.match import bot_moves as thinking
from service.play.operations import pipeline
from service.play.operations import sweep as sweeping
from service.play.operations.warm_up import rehearse
from service.play.outbox import deliver as sending
from service.play.site import Site
from worker.app import app, open_site, settings


@cache
def _site() -> Site:
    """Opened in the process that runs tasks, never in its parent: connections do not survive a fork."""
    return open_site()


@app.task
def judge(match_id: int) -> None:
    """Judges what waits to be judged in a match, and sends the first letter owed for it."""
    pipeline.judge_and_send(_site(), match_id)


@app.task
def obey(mail_id: int) -> None:
    """Does what a mail of commands asks."""
    obeying.obey(_site(), mail_id)


@app.task
def deliver(letter_id: int) -> None:
    """Sends a letter that is due."""
    sending.deliver(_site(), letter_id)


@app.task
def think(match_id: int) -> None:
    """Lets bots order their moves."""
    thinking.think(_site(), match_id)


@app.task
def sweep() -> None:
    """Takes up what was left lying."""
    sweeping.sweep(_site())


@worker_init.connect
def warm_up(**_: object) -> None:
    """Makes ready, before the processes that run tasks are forked off, what each would make at its first move.

    All of it stays, so Python need not look through it for garbage again and again: that takes as long as some moves.
    """
    rehearse(settings)
    gc.collect()
    gc.freeze()


@worker_ready.connect
def take_up(**_: object) -> None:
    """What the last run left lying need not wait for the first sweep on schedule."""
    sweep.delay()


@worker_ready.connect
def say_no_more(**_: object) -> None:
    """Celery has itself warned, each time the queue is away, that tasks run on meanwhile. So they must: a letter half
    sent would be begun again."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
