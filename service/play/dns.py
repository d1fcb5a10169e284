"""DNS look-ups, within the time that a delivering mail server waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from service.mail.name_lookup import Kind, LookUp, NoAnswer

PATIENCE = 5.0
"""Seconds for one query."""

SECONDS_PER_MAIL = 10.0
"""Seconds for all queries about one email; the last one may take its `PATIENCE` beyond that."""


def bounded(look_up: LookUp, clock: Callable[[], float] = time.monotonic) -> LookUp:
    """`look_up` for one email: it stops giving answers once `SECONDS_PER_MAIL` have passed, so that a stranger's slow
    name servers don't delay other people's mail."""
    until = clock() + SECONDS_PER_MAIL

    def ask(name: str, kind: Kind) -> Sequence[str]:
        if clock() >= until:
            raise NoAnswer(name)
        return look_up(name, kind)

    return ask


def look_up(name: str, kind: Kind) -> Sequence[str]:
    """The records of a name as text (`service.mail.name_lookup.LookUp`)."""
    # Only a site that verifies its mail needs this, and it takes a while to load.
    import dns.exception
    import dns.resolver

    try:
        found = dns.resolver.resolve(name, kind, lifetime=PATIENCE)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.name.LabelTooLong, dns.name.EmptyLabel):
        return ()
    except (dns.exception.DNSException, UnicodeError) as error:
        raise NoAnswer(name) from error
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in found]
    return [str(record.exchange if kind == "MX" else record).rstrip(".") for record in found]
