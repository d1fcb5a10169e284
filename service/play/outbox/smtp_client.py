"""The line to the mail server that takes our letters, kept open from one to the next."""

from __future__ import annotations

import select
import smtplib
import ssl
import threading
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from service.config import Settings, is_loopback
from service.mail.parsing import bounce

IDLE = 20.0
"""Seconds after which a line is not used again: servers hang up, some without a word."""

MOST = 100
"""Letters sent over one line."""

PATIENCE = 2
"""How many sweeps the server has for each answer."""

LONGEST_REST = 20
"""How many sweeps a server that hung over a letter is left alone at most: one at first, and twice as long each time."""

REMEMBERED = 1000
"""Domains of which it is known when they had letters; those with none lately are forgotten beyond that."""


class Refused(Exception):
    """The server will never take this letter. `dead` says that it is the address that is no good."""

    def __init__(self, why: str, dead: bool) -> None:
        super().__init__(why)
        self.dead = dead


class NoEncryption(smtplib.SMTPException):
    """The server is another machine and offers no encryption: letters hold links that sign people in."""


class Away(Exception):
    """No line to the server can be opened. `kind` is the type of the error."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.kind = type(error).__name__


class Busy(Exception):
    """The letter has to wait for so many `seconds`, which is no failed attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} s")
        self.seconds = seconds


@dataclass
class _Line:
    """An open line, when it was last used, and for how many letters."""

    server: smtplib.SMTP
    used: float
    letters: int = 0


class _Lines(threading.local):
    """Each thread has a line of its own, and leaves a server alone for a while that hung over a letter."""

    line: _Line | None = None
    rests_until: float = 0.0
    rest: float = 0.0


_lines = _Lines()
_sent: dict[str, deque[float]] = {}


def send(settings: Settings, return_path: str, recipient: str, raw: bytes) -> None:
    """Hands one letter over; raises Refused, Away, Busy, or for every other failure that may pass OSError."""
    if (wait := _lines.rests_until - time.monotonic()) > 0:
        raise Busy(wait)
    _take_turn(recipient.rpartition("@")[2], settings)
    line = _reached(settings)
    try:
        line.server.sendmail(return_path, recipient, raw)
        line.used, line.letters = time.monotonic(), line.letters + 1
        _lines.rest = 0.0
    except smtplib.SMTPRecipientsRefused as error:
        code, text = next(iter(error.recipients.values()))
        _raise_if_final(code, text, error)
        raise
    except smtplib.SMTPResponseException as error:
        _raise_if_final(error.smtp_code, error.smtp_error, error)
        raise
    except OSError as error:  # smtplib's errors are such.
        hang_up()
        if isinstance(error, TimeoutError):
            # Who waits for a server that hangs does nothing else meanwhile, such as judge moves. That is not done for
            # letter after letter.
            _let_rest(settings)
        raise


def knock(settings: Settings) -> None:
    """Opens a line and hangs up; raises Away if that is impossible."""
    try:
        _connect(settings).quit()
    except OSError as error:
        raise Away(error) from error


def hang_up() -> None:
    """Closes this thread's line, if one is open."""
    line, _lines.line = _lines.line, None
    if line is not None:
        try:
            line.server.quit()
        except (OSError, smtplib.SMTPException):
            line.server.close()


def _reached(settings: Settings) -> _Line:
    """An open line."""
    try:
        return _open(settings)
    except OSError as error:
        raise Away(error) from error


def _let_rest(settings: Settings) -> None:
    sweep = settings.sweep_seconds
    _lines.rest = min(max(sweep, 2 * _lines.rest), LONGEST_REST * sweep)
    _lines.rests_until = time.monotonic() + _lines.rest


def is_open() -> bool:
    """Whether this thread has a line open that takes another letter."""
    line = _lines.line
    return line is not None and time.monotonic() - line.used < IDLE and line.letters < MOST and _is_alive(line)


def _open(settings: Settings) -> _Line:
    if _lines.line is not None and is_open():
        return _lines.line
    hang_up()
    _lines.line = _Line(_connect(settings), time.monotonic())
    return _lines.line


def _is_alive(line: _Line) -> bool:
    """Whether the server has not hung up. What it says unasked is that it does (RFC 5321, 3.8); asking takes longer."""
    heard = select.poll()
    try:
        heard.register(line.server.sock, select.POLLIN)  # type: ignore[arg-type] # None is a TypeError.
    except (TypeError, ValueError):
        return False
    return not heard.poll(0)


def _connect(settings: Settings) -> smtplib.SMTP:
    url, patience = urlsplit(settings.smtp_url), PATIENCE * settings.sweep_seconds
    host, context = url.hostname or "localhost", ssl.create_default_context()
    if url.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, url.port or 465, timeout=patience, context=context)
    else:
        server = smtplib.SMTP(host, url.port or 25, timeout=patience)
    server.ehlo_or_helo_if_needed()
    if url.scheme == "smtp" and server.has_extn("starttls"):
        server.starttls(context=context)
    elif url.scheme == "smtp" and not (settings.smtp_cleartext or is_loopback(host)):
        server.close()
        raise NoEncryption(
            f"{host} offers no STARTTLS: use smtps:// in SMTP_URL, or set SMTP_CLEARTEXT=1 to send without TLS"
        )
    if url.username:
        server.login(unquote(url.username), unquote(url.password or ""))
    return server


def _raise_if_final(code: int, text: bytes | str, error: Exception) -> None:
    """Raises Refused for a permanent answer (RFC 5321, 4.2.1: 5yz)."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if 500 <= code < 600:
        raise Refused(f"{code} {said}"[:500], bounce.is_for_good(f"{code} {said}")) from error


def _take_turn(domain: str, settings: Settings) -> None:
    """Counts a letter to a domain, in this process; raises Busy where there were as many as may be in a minute.

    Ours, because a limit shared by all workers (the package `limits`) asks Redis about every letter, and mail has to go
    out while Redis is down. The setting says that it is for one worker.
    """
    now, most = time.monotonic(), settings.letters_per_minute
    if len(_sent) > REMEMBERED:
        for known in [known for known, times in _sent.items() if times[-1] < now - 60]:
            del _sent[known]
    sent = _sent.setdefault(domain, deque())
    while sent and sent[0] < now - 60:
        sent.popleft()
    if most and len(sent) >= most:
        raise Busy(settings.sweep_seconds)
    sent.append(now)
