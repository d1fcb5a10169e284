"""Logs without addresses, tokens or secrets, whoever writes them."""

from __future__ import annotations

import logging
import sys
from dataclasses import fields
from traceback import walk_tb
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

import redis

from service.config import Settings
from service.mail.redact import redacted

_SECRETS = ("secret", "inbound_secret", "mailgun_key")
_ON_THE_LINE = ("kombu", "celery.worker.consumer", "celery.beat")
"""Who speaks with the queue."""

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
        if made.exc_info and made.exc_info[0] is not None:
            # A formatter takes a traceback that has been put into words already.
            made.exc_text = redacted(logging.Formatter().formatException(made.exc_info), secrets)
        return made

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger(__name__).critical("the process ends", exc_info=(kind, error, trace))

    logging.setLogRecordFactory(record)
    sys.excepthook = excepthook


def _tells_of_the_queue(record: logging.LogRecord) -> bool:
    """Whether the queue was away. That takes a line: where in the source of others it was noticed helps nobody."""
    if record.name.startswith(_ON_THE_LINE):
        return True
    error = record.exc_info[1] if record.exc_info and record.name.startswith(("celery", __name__)) else None
    while error is not None and not (isinstance(error, redis.ConnectionError) or _raised_by_kombu(error)):
        error = error.__cause__ or error.__context__
    return error is not None


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
