"""Requests to a hook: HTTPS to a public address, without redirects, for a few seconds."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Thread, Timer

from service.config import Settings
from service.mail.letters.hooks import Request

PATIENCE = 5.0
"""Seconds that a hook has to answer, from the look-up of its name to its status."""

PASSING = (408, 425, 429)
"""Answers from 400 to 499 after which it is worth trying again."""

_INTERNET, _NAT64 = IPv6Network("2000::/3"), IPv6Network("64:ff9b::/96")


class HookFailed(Exception):
    """The hook doesn't answer, or not now; or, if `for_good`, there's no point in trying again.

    The message names neither the hook nor its host.
    """

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


class _Line(HTTPSConnection):
    """A connection to an address that was checked before. The certificate must be valid for the host."""

    def __init__(self, host: str, port: int, to: str, left: float) -> None:
        self._context = ssl.create_default_context()
        super().__init__(host, port, timeout=left, context=self._context)
        self._to, self._left = to, left

    def connect(self) -> None:
        line = socket.create_connection((self._to, self.port), self._left)
        # The socket is known before the TLS handshake, so that `_hang_up` can end one that drags on.
        self.sock = self._context.wrap_socket(line, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


def post(settings: Settings, request: Request) -> None:
    """Sends the request to the club; raises HookFailed."""
    status = answer(request, private=settings.club_notices_private)
    if 200 <= status < 300:
        return
    raise HookFailed(f"the hook answered {status}", for_good=300 <= status < 500 and status not in PASSING)


def answer(request: Request, *, private: bool) -> int:
    """Returns the status of the hook's answer; raises HookFailed. Nothing else of the answer is read or shown.

    `private`: it may be in a private network.
    """
    began = time.monotonic()
    try:
        address = _address(request, private=private)
        return _status(request, address, max(0.1, began + PATIENCE - time.monotonic()))
    except (OSError, HTTPException, ValueError) as error:
        is_over = time.monotonic() - began >= PATIENCE
        raise HookFailed("TimeoutError" if is_over else type(error).__name__) from error


def _status(request: Request, address: str, left: float) -> int:
    """The status of the hook's answer within the seconds that are left."""
    line = _Line(request.host, request.port, address, left)
    over = Timer(left, _hang_up, [line])
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


def _address(request: Request, *, private: bool) -> str:
    """The address to connect to; raises HookFailed for one in a private network, unless that's allowed."""
    addresses = _found(request.host, request.port)
    if not private and not all(is_public(address) for address in addresses):
        raise HookFailed("the hook is in a private network; see CLUB_NOTICES_PRIVATE")
    return addresses[0]


def _found(host: str, port: int) -> list[str]:
    """The addresses of a host; raises OSError. The system's resolver has no time limit, so a thread waits for it."""
    found: list[list[str]] = []

    def look_up() -> None:
        with suppress(OSError, UnicodeError):
            found.append([str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])

    looking = Thread(target=look_up, daemon=True)
    looking.start()
    looking.join(PATIENCE)
    if not found or not found[0]:
        raise OSError("no address was found")
    return found[0]


def is_public(address: str) -> bool:
    """Whether this IP address is on the internet, and in no private network; raises ValueError for any other text.

    Of IPv6, only 2000::/3 is (RFC 4291, 2.4). An address of NAT64 leads to the IPv4 address in it (RFC 6052, 2.1), and
    so does one of 6to4, which is no longer used (RFC 7526).
    """
    number = ip_address(address.partition("%")[0])
    if isinstance(number, IPv6Address):
        if number in _NAT64:
            number = IPv4Address(int(number) % 2**32)
        elif number not in _INTERNET or number.sixtofour is not None:
            return False
    return number.is_global and not number.is_multicast
