"""The DNS, asked with patience that a mail server at our door has too."""

from __future__ import annotations

from collections.abc import Sequence

from service.mail.spf import Kind, NoAnswer

PATIENCE = 5.0
"""Seconds for one question."""


def look_up(name: str, kind: Kind) -> Sequence[str]:
    """The records of a name as text (`service.mail.spf.LookUp`)."""
    # Only a house that verifies its mail needs this, and it takes a while to load.
    import dns.exception
    import dns.resolver

    try:
        found = dns.resolver.resolve(name, kind, lifetime=PATIENCE)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.name.LabelTooLong, dns.name.EmptyLabel):
        return ()
    except (dns.exception.DNSException, UnicodeError, OSError) as error:
        raise NoAnswer(name) from error
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in found]
    return [str(record.exchange if kind == "MX" else record).rstrip(".") for record in found]
