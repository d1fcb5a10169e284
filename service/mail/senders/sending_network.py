"""The network that an email came from, as noted by our own mail server in front.

That server adds a Received header at the top of each email, with the address of the connecting host in its from-clause
(RFC 5321, 4.4). Nobody else can write above it. The host that connects to us directly doesn't count: it may be a relay
that accepts mail from anybody.
"""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network

from service.mail.parsing import mime

_NAME = r"[A-Za-z0-9._:\[\]-]{1,255}"
_COMMENT = r"\((?:[^()\\]|\([^()\\]*\))*\)"
_FROM = re.compile(
    rf"from {_NAME} \((?:{_NAME} )?\[(?:IPv6:)?(?P<address>[0-9A-Fa-f:.]{{2,45}})\]\)(?: {_COMMENT}){{0,3}} "
    r"by (?P<server>[A-Za-z0-9.-]{1,255})(?P<rest>[ ;].*)",
    re.IGNORECASE,
)


def of(raw: bytes, peer: str, trusted: str) -> str:
    """The network, such as `203.0.113.0/24` or `2001:db8:1:2::/64`; "" if it isn't known for certain.

    `peer` is the address that handed us the email, which must be on our own machine or in our own network. `trusted` is
    the name of our server in front.
    """
    message = mime.parse(raw)
    top = message.exactly("received")[:1]
    if not trusted or not _is_inside(peer) or message.is_cut or not top:
        return ""
    found = _FROM.fullmatch(" ".join(top[0].split()))
    # A second address or `by` may be the true one, after words that the sender chose.
    if found is None or found["server"].lower() != trusted.lower() or re.search(r"\[|\bby\b", found["rest"].lower()):
        return ""
    return _network(found["address"])


def _is_inside(peer: str) -> bool:
    try:
        return not ip_address(peer).is_global
    except ValueError:
        return False


def _network(text: str) -> str:
    """The network that one sender usually has: a /24 of IPv4, a /64 of IPv6."""
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if not address.is_global:
        return ""
    return str(ip_network((address, 24 if address.version == 4 else 64), strict=False))
