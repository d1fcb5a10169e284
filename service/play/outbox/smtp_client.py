"""The connection to the mail server, kept open between letters."""

from __future__ import annotations

import logging
import select
import smtplib
import ssl
import threading
import time
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import MovingWindowRateLimiter

from service import broker
from service.addresses import is_loopback
from service.config import Settings
from service.mail.letters.dkim_sign import Signer
from service.mail.parsing import delivery_report

log = logging.getLogger(__name__)

IDLE = 20.0
"""Seconds after which an idle connection isn't reused: servers hang up, some silently."""

MOST = 100
"""Letters sent over one connection."""

PATIENCE = 2
"""The server's time limit for each answer, in sweeps."""

LONGEST_REST = 20
"""The longest back-off after the server hung, in sweeps. It starts at one and doubles."""

MINUTE = 62
"""Seconds over which a domain's letters per minute are counted. More than 60, because some take longer to arrive."""


class Refused(Exception):
    """The server refuses this letter permanently. `dead` says that the address doesn't work."""

    def __init__(self, why: str, dead: bool) -> None:
        super().__init__(why)
        self.dead = dead


class NoEncryption(smtplib.SMTPException):
    """The server is another machine and offers no encryption. Letters contain links that sign people in."""


class Away(Exception):
    """The connection to the server failed. `kind` is the type of the error."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.kind = type(error).__name__


class Busy(Exception):
    """The letter has to wait for `seconds`, which doesn't count as a failed attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} s")
        self.seconds = seconds


@dataclass
class _Line:
    """An open connection, when it was last used, and for how many letters."""

    server: smtplib.SMTP
    used: float
    letters: int = 0


class _Lines(threading.local):
    """Each thread has its own connection, and leaves the server alone for a while after it hung."""

    line: _Line | None = None
    rests_until: float = 0.0
    rest: float = 0.0


_lines = _Lines()


def send(settings: Settings, return_path: str, recipient: str, raw: bytes) -> None:
    """Sends one letter; raises Refused, Away, or OSError for any other failure that may pass."""
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
        if isinstance(error, smtplib.SMTPDataError):
            hang_up()  # Where DATA itself is refused, smtplib leaves the letter begun, and no other could follow.
        _raise_if_final(error.smtp_code, error.smtp_error, error)
        raise
    except OSError as error:  # smtplib's errors are such.
        hang_up()
        if any(isinstance(one, TimeoutError) for one in (error, error.__context__)):  # smtplib calls it disconnected.
            # A thread that waits for a server that hangs does nothing else, such as judging moves. So it doesn't wait
            # for letter after letter.
            _let_rest(settings)
        raise


def signed(settings: Settings, raw: bytes, when: datetime) -> bytes:
    """A letter with our DKIM signature, once `stonepost mail dkim-key` has made a key."""
    signer = _signer(settings)
    return raw if signer is None else signer.sign(raw, when)


@cache
def _signer(settings: Settings) -> Signer | None:
    if not settings.dkim_key.exists():
        return None
    return Signer(settings.dkim_key.read_bytes(), settings.mail_domain, settings.dkim_selector)


def knock(settings: Settings) -> None:
    """Connects and hangs up; raises Away if it can't connect."""
    _reached(settings)
    hang_up()


def hang_up() -> None:
    """Closes this thread's connection, if one is open."""
    line, _lines.line = _lines.line, None
    if line is not None:
        try:
            line.server.quit()
        except (OSError, smtplib.SMTPException):
            line.server.close()


def _reached(settings: Settings) -> _Line:
    """An open connection, new or kept."""
    try:
        return _open(settings)
    except OSError as error:
        raise Away(error) from error


def _let_rest(settings: Settings) -> None:
    sweep = settings.sweep_seconds
    _lines.rest = min(max(sweep, 2 * _lines.rest), LONGEST_REST * sweep)
    _lines.rests_until = time.monotonic() + _lines.rest


def is_open() -> bool:
    """Whether this thread has an open connection that accepts another letter."""
    line = _lines.line
    return line is not None and time.monotonic() - line.used < IDLE and line.letters < MOST and _is_alive(line)


def _open(settings: Settings) -> _Line:
    if _lines.line is not None and is_open():
        return _lines.line
    hang_up()
    _lines.line = _Line(_connect(settings), time.monotonic())
    return _lines.line


def _is_alive(line: _Line) -> bool:
    """Whether the server has not hung up. An unsolicited reply means that it has (RFC 5321, 3.8); asking takes
    longer."""
    heard = select.poll()
    try:
        heard.register(line.server.sock, select.POLLIN)  # type: ignore[arg-type] # None is a TypeError.
    except (TypeError, ValueError):
        return False
    return not heard.poll(0)


def _connect(settings: Settings) -> smtplib.SMTP:
    url, patience = urlsplit(settings.smtp_url), PATIENCE * settings.sweep_seconds
    host = url.hostname or "localhost"
    if url.scheme == "smtps":
        context = _tls(proven=not is_loopback(host))
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, url.port or 465, timeout=patience, context=context)
    else:
        server = smtplib.SMTP(host, url.port or 25, timeout=patience)
    try:
        server.ehlo_or_helo_if_needed()
        if url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=_tls(proven=not (is_loopback(host) or settings.smtp_cleartext)))
            server.ehlo_or_helo_if_needed()  # Not with the first letter: a refusal would seem to be about its reader.
        elif url.scheme == "smtp" and not (settings.smtp_cleartext or is_loopback(host)):
            raise NoEncryption(
                f"{host} offers no STARTTLS: use smtps:// in SMTP_URL, or set SMTP_CLEARTEXT=1 to send without TLS"
            )
        if url.username:
            _sign_in(server, unquote(url.username), unquote(url.password or ""))
    except OSError:
        server.close()
        raise
    return server


def _sign_in(server: smtplib.SMTP, user: str, password: str) -> None:
    """Signs in; with characters other than ASCII, which smtplib can't send, by PLAIN, which takes UTF-8 (RFC 4616)."""
    if (user + password).isascii():
        server.login(user, password)
        return
    given = b64encode(f"\0{user}\0{password}".encode("utf-8", "surrogateescape")).decode()
    code, said = server.docmd("AUTH", f"PLAIN {given}")
    if code != 235:
        raise smtplib.SMTPAuthenticationError(code, said)


def _tls(*, proven: bool) -> ssl.SSLContext:
    """With `proven`, the server's certificate is verified. Debian's Postfix has no valid one by default; on this
    machine, or where TLS is optional, it needs none."""
    context = ssl.create_default_context()
    if not proven:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _raise_if_final(code: int, text: bytes | str, error: Exception) -> None:
    """Raises Refused for a permanent answer (RFC 5321, 4.2.1: 5yz)."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if 500 <= code < 600:
        about_us, after_data = isinstance(error, smtplib.SMTPSenderRefused), isinstance(error, smtplib.SMTPDataError)
        dead = not about_us and delivery_report.is_for_good(f"{code} {said}", after_data=after_data)
        raise Refused(f"{code} {said}"[:500], dead) from error


def take_turn(settings: Settings, recipient: str) -> None:
    """Counts a letter to a domain; raises Busy if the domain's limit for this minute is reached, or this thread is
    backing off."""
    if (wait := _lines.rests_until - time.monotonic()) > 0:
        raise Busy(wait)
    if not settings.letters_per_minute:
        return
    most = RateLimitItemPerSecond(settings.letters_per_minute, MINUTE, namespace="MAIL")
    if not _counts(settings).has_room(most, recipient.rpartition("@")[2].lower(), settings.sweep_seconds):
        raise Busy(settings.sweep_seconds)


class _Counts:
    """When each domain got letters lately: recorded in Redis by all workers, or here by this process while Redis is
    down, because mail has to go out even then."""

    def __init__(self, url: str, **options: Any) -> None:
        self._shared = MovingWindowRateLimiter(storage_from_string(url, wrap_exceptions=True, **options))
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._alone_until = 0.0

    def has_room(self, most: RateLimitItem, domain: str, pause: float) -> bool:
        """Whether the domain may get a letter now, which is then counted. If Redis fails, it isn't asked again for a
        while."""
        if time.monotonic() >= self._alone_until:
            try:
                return self._shared.hit(most, domain)
            except StorageError as error:
                log.warning("letters are counted by each process alone (%s)", type(error.storage_error).__name__)
                self._alone_until = time.monotonic() + pause
        return self._own.hit(most, domain)


@cache
def _counts(settings: Settings) -> _Counts:
    url, options = broker.counter(settings)
    return _Counts(url, **options)
