"""What the workers do. Every task may run twice or not at all: the use cases behind them do not mind."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from celery.signals import worker_ready

from service.play import adjudicate as judging
from service.play import deliver as sending
from service.play import obey as obeying
from service.play import sweep as sweeping
from service.play import think as thinking
from service.play.house import House, Task
from worker.app import app, nudge, open_house


@cache
def _house() -> House:
    """Opened in the process that runs tasks, never in its parent: connections do not survive a fork."""
    return open_house()


_held: list[int] = []


def _hold_first_letter(task: Task, subject: int) -> None:
    if task == "deliver" and not _held:
        _held.append(subject)
    else:
        nudge(task, subject)


@app.task
def adjudicate(match_id: int) -> None:
    """Judges what waits to be judged in a match, and sends the first letter owed for it.

    That letter goes out from here because this process has the position at hand, and the queue would cost another hop.
    Nothing depends on it: the letter is due in the database, and if this process dies before, the sweep finds it.
    """
    judging.adjudicate(replace(_house(), nudge=_hold_first_letter), match_id)
    while _held:
        sending.deliver(_house(), _held.pop())


@app.task
def obey(mail_id: int) -> None:
    """Does what a mail of commands asks."""
    obeying.obey(_house(), mail_id)


@app.task
def deliver(letter_id: int) -> None:
    """Sends a letter that is due."""
    sending.deliver(_house(), letter_id)


@app.task
def think(match_id: int) -> None:
    """Lets bots order their moves."""
    thinking.think(_house(), match_id)


@app.task
def sweep() -> None:
    """Takes up what was left lying."""
    sweeping.sweep(_house())


@worker_ready.connect
def take_up(**_: object) -> None:
    """What the last run left lying need not wait for the first sweep on schedule."""
    sweep.delay()
