"""Logs without addresses, tokens or secrets, whoever writes them; and a line for what needs no more than that."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import fields
from traceback import walk_tb
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

import redis
from billiard.exceptions import WorkerLostError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.config import Settings
from service.mail.redact import redacted

_SECRETS = ("secret", "inbound_secret", "mailgun_key")
_ON_THE_LINE = ("kombu", "celery.worker.consumer", "celery.beat", "py.warnings")
"""Who speaks with the queue, and who passes on what its library warns of meanwhile."""

_AWAY = (redis.ConnectionError, redis.TimeoutError, OperationalError, InterfaceError, PoolTimeout, WorkerLostError)
"""The queue, the database or a process of ours was away, or too busy, and what was begun will be taken up again."""

_LONGEST = 500
"""Characters of a line about that."""

_SHORTEST = 6
"""A shorter password says nothing, and would blot out half the words of a log."""


def keep_private(settings: Settings) -> None:
    """Lets every record of this process be redacted as it is made, those of libraries and of tracebacks too."""
    secrets = _secrets(settings)

    def record(*given: Any, **more: Any) -> logging.LogRecord:
        made = logging.LogRecord(*given, **more)
        made.msg, made.args = redacted(_message(made), secrets), None
        if _tells_of_the_queue(made):
            made.msg, made.exc_info = " ".join(made.msg.split()), None
        elif (away := _away(made)) is not None:
            why = type(away).__name__ if type(away).__name__ in made.msg else f"{type(away).__name__}: {away}"
            made.msg, made.exc_info = " ".join(f"{made.msg} ({redacted(why, secrets)})".split())[:_LONGEST], None
        if made.exc_info and made.exc_info[0] is not None:
            # A formatter takes a traceback that has been put into words already.
            made.exc_text = redacted(logging.Formatter().formatException(made.exc_info), secrets)
        return made

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger(__name__).critical("the process ends", exc_info=(kind, error, trace))

    logging.setLogRecordFactory(record)
    sys.excepthook = excepthook
    threading.excepthook = _tell_of_a_thread


def write_lines(process: str) -> None:
    """Writes what is worth it to standard error, with the time and the name of the process."""
    form = f"%(asctime)s {process}: %(message)s"
    logging.basicConfig(level=logging.WARNING, format=form, datefmt="%Y-%m-%d %H:%M:%S")


def _tell_of_a_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and ended.exc_type is not SystemExit:
        told = (ended.exc_type, ended.exc_value, ended.exc_traceback)
        logging.getLogger(__name__).critical("a thread ends", exc_info=told)


def _tells_of_the_queue(record: logging.LogRecord) -> bool:
    return record.name.startswith(_ON_THE_LINE)


def _away(record: logging.LogRecord) -> BaseException | None:
    """The error that says what was away. That takes a line: where in the source it was noticed helps nobody."""
    error = record.exc_info[1] if record.exc_info else None
    while error is not None:
        # Billiard, which starts the processes of the worker, wraps what ended one of them.
        error = getattr(error, "exc", error) if type(error).__module__.startswith("billiard") else error
        if isinstance(error, _AWAY) or (record.name.startswith(("celery", __name__)) and _raised_by_kombu(error)):
            return error
        error = error.__cause__ or error.__context__
    return None


def _raised_by_kombu(error: BaseException) -> bool:
    """Whether the library of the queue stumbled itself, as it may over a connection that was closed under it."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__", "")).startswith("kombu.")


def _message(record: logging.LogRecord) -> str:
    """What a record says, as well as it can be said: arguments that do not fit must not fail where they are logged."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"


def _secrets(settings: Settings) -> list[str]:
    """What must never be read anywhere, the passwords in addresses of other services included."""
    named = [getattr(settings, name) for name in _SECRETS]
    addresses = [str(getattr(settings, field.name)) for field in fields(settings)]
    passwords = [urlsplit(found).password or "" for found in addresses if "://" in found]
    known = [*named, *passwords, *map(unquote, passwords)]
    return sorted({secret for secret in known if len(secret) >= _SHORTEST}, key=len, reverse=True)
