"""The line to a hook: HTTPS to a public address, without redirects, for a few seconds."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from ipaddress import ip_address
from threading import Timer

from service.config import Settings
from service.mail.letters.hooks import Request
from service.play.outbox.smtp_client import Refused

PATIENCE = 5.0
"""Seconds that a hook has to answer."""

PASSING = (408, 425, 429)
"""Answers from 400 to 499 after which it is worth trying again."""


class HookFailed(Exception):
    """The hook doesn't answer, or not now. The message names neither the hook nor its host."""


class _Line(HTTPSConnection):
    """A connection to an address that was looked at before. The certificate must be that of the host."""

    def __init__(self, host: str, port: int, to: str) -> None:
        self._context = ssl.create_default_context()
        super().__init__(host, port, timeout=PATIENCE, context=self._context)
        self._to = to

    def connect(self) -> None:
        line = socket.create_connection((self._to, self.port), PATIENCE)
        self.sock = self._context.wrap_socket(line, server_hostname=self.host)


def post(settings: Settings, request: Request) -> None:
    """Sends the request; raises HookFailed, or Refused if it is of no use to try again."""
    try:
        status = _status(settings, request)
    except (OSError, HTTPException, ValueError) as error:
        raise HookFailed(type(error).__name__) from error
    if 200 <= status < 300:
        return
    if 300 <= status < 500 and status not in PASSING:
        raise Refused(f"the hook answered {status}", dead=False)
    raise HookFailed(f"the hook answered {status}")


def _status(settings: Settings, request: Request) -> int:
    line = _Line(request.host, request.port, _address(settings, request))
    over = Timer(PATIENCE, _hang_up, [line])
    over.start()
    try:
        line.request("POST", request.target, request.body, request.headers)
        return line.getresponse().status
    finally:
        over.cancel()
        line.close()


def _hang_up(line: _Line) -> None:
    """Ends a connection whose other end sends a little now and then."""
    with suppress(OSError, AttributeError):
        line.sock.shutdown(socket.SHUT_RDWR)


def _address(settings: Settings, request: Request) -> str:
    """The address to connect to; raises HookFailed for one in a private network, unless the settings allow it."""
    found = socket.getaddrinfo(request.host, request.port, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    if not settings.club_notices_private and not all(_is_public(address) for address in addresses):
        raise HookFailed("the hook is in a private network; see CLUB_NOTICES_PRIVATE")
    return addresses[0]


def _is_public(address: str) -> bool:
    number = ip_address(address.partition("%")[0])
    return number.is_global and not number.is_multicast
