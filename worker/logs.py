"""Logging: removes addresses, tokens and secrets from every record, and shortens temporary failures to one line."""

from __future__ import annotations

import logging
import re
import sys
import threading
from dataclasses import fields
from traceback import walk_tb
from types import TracebackType
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

import amqp
import redis
from billiard.exceptions import WorkerLostError

from service.config import Settings
from service.mail.redact import redacted
from service.play.site import steps
from service.store.session import FAILURES

_SECRETS = ("secret", "inbound_secret", "mailgun_key", "metrics_token")
_ON_THE_LINE = ("kombu", "celery.worker.consumer", "celery.beat", "py.warnings")
"""Loggers whose records are about the queue. Each record is one line, without a traceback."""

QUEUE_ERRORS = (redis.RedisError, amqp.AMQPError)
_AWAY = (*QUEUE_ERRORS, *FAILURES, WorkerLostError)
"""Errors that mean the queue, the database or one of our processes is down or too busy. The work is retried later."""

_INSISTENT = ("celery.worker.consumer.consumer", "kombu.transport.redis")
"""Loggers that repeat themselves several times a second while the queue refuses everything."""

_SELDOM = 30.0
"""Seconds after which these loggers may log the same line again."""

_LONGEST = 500
"""The most characters in such a one-line record."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that could hide lines of a log, or control a terminal that shows it."""

_IN_QUERY = re.compile("password=([^&]*)")
"""How libpq is given a password in a URL: `password=` or `sslpassword=`."""

_SHORTEST = 6
"""Characters. Shorter secrets aren't removed, because they occur inside ordinary words."""


def keep_private(settings: Settings) -> None:
    """Redacts each log record of this process when it is created, including those of libraries, and tracebacks."""
    secrets = _secrets(settings)

    def record(*given: Any, **more: Any) -> logging.LogRecord:
        made = logging.LogRecord(*given, **more)
        made.msg, made.args = _visible(redacted(_message(made), secrets)), None
        if _tells_of_the_queue(made):
            # Celery's beat puts its stack into its message.
            made.msg, made.exc_info = " ".join(made.msg.split()).partition(" [' File ")[0][:_LONGEST], None
        elif (away := _away(made)) is not None:
            why = type(away).__name__ if type(away).__name__ in made.msg else f"{type(away).__name__}: {away}"
            made.msg, made.exc_info = " ".join(f"{made.msg} ({redacted(why, secrets)})".split())[:_LONGEST], None
        if made.exc_info and made.exc_info[0] is not None:
            # Formatters use exc_text, if it is set, instead of formatting the traceback.
            made.exc_text = _visible(redacted(logging.Formatter().formatException(made.exc_info), secrets))
        return made

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger(__name__).critical("the process is ending", exc_info=(kind, error, trace))

    logging.setLogRecordFactory(record)
    for name in _INSISTENT:
        logging.getLogger(name).addFilter(_seldom)
    sys.excepthook = excepthook
    threading.excepthook = _tell_of_a_thread


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda sign: repr(sign[0])[1:-1], text)


class _Seldom(logging.Filter):
    """Drops a line that was logged less than `_SELDOM` seconds ago."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        recent = {text: when for text, when in self._logged.items() if when > record.created - _SELDOM}
        self._logged = {record.getMessage(): record.created} | recent
        return record.getMessage() not in recent


_seldom = _Seldom()


def write_lines(process: str) -> None:
    """Logs warnings and errors to standard error, with the time and the name of the process."""
    form = f"%(asctime)s {process}: %(message)s"
    logging.basicConfig(level=logging.WARNING, format=form, datefmt="%Y-%m-%d %H:%M:%S")


def write_steps() -> None:
    """Logs the steps of orders to standard error, one JSON object per line."""
    # Not sys.stderr, which Celery replaces with a logger of its own.
    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(logging.Formatter("%(message)s"))
    steps.addHandler(handler)
    steps.setLevel(logging.INFO)
    steps.propagate = False


def _tell_of_a_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and ended.exc_type is not SystemExit:
        told = (ended.exc_type, ended.exc_value, ended.exc_traceback)
        logging.getLogger(__name__).critical("a thread is ending", exc_info=told)


def _tells_of_the_queue(record: logging.LogRecord) -> bool:
    return record.name.startswith(_ON_THE_LINE)


def _away(record: logging.LogRecord) -> BaseException | None:
    """The error in a record's traceback that means something is down, or None. Such a record needs no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    while error is not None:
        # Billiard, which starts the worker's processes, wraps the error that ended one.
        error = getattr(error, "exc", error) if type(error).__module__.startswith("billiard") else error
        if isinstance(error, _AWAY) or (record.name.startswith(("celery", __name__)) and _raised_by_its_library(error)):
            return error
        error = error.__cause__ or error.__context__
    return None


def _raised_by_its_library(error: BaseException) -> bool:
    """Whether a library of the queue raised the error, as it can when its connection is closed."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__", "")).startswith(("kombu.", "amqp."))


def _message(record: logging.LogRecord) -> str:
    """The record's message. Arguments that don't fit the format are appended instead of raising."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"


def _secrets(settings: Settings) -> list[str]:
    """All secrets to remove: the settings in _SECRETS, and the passwords in URLs."""
    named = [getattr(settings, name) for name in _SECRETS]
    addresses = [str(getattr(settings, field.name)) for field in fields(settings)]
    hooks = [address.partition("+")[2] for address in settings.club_notices]
    named += [part for hook in hooks for part in (hook, urlsplit(hook).username or "", urlsplit(hook).path)]
    urls = [urlsplit(found) for found in (*addresses, *hooks) if "://" in found]
    passwords = [url.password or "" for url in urls]
    passwords += [found for url in urls for found in _IN_QUERY.findall(url.query)]
    known = [*named, *passwords, *map(unquote, passwords), *map(unquote_plus, passwords)]
    return sorted({secret for secret in known if len(secret) >= _SHORTEST}, key=len, reverse=True)
