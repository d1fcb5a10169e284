"""Whether a host may send mail for a domain: the Sender Policy Framework (RFC 7208)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["TXT", "A", "AAAA", "MX", "PTR"]

LookUp: TypeAlias = Callable[[str, Kind], Sequence[str]]
"""The records of a name as text, none where there are none; an MX without its preference. Raises NoAnswer."""

Result: TypeAlias = Literal["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"]

MOST_LOOK_UPS = 10
"""Mechanisms that ask the DNS, in one check (RFC 7208, 4.6.4)."""

_QUALIFIERS: dict[str, Result] = {"+": "pass", "-": "fail", "~": "softfail", "?": "neutral"}
_TERM = re.compile(r"([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/]*))?((?:/\d+)?(?://\d+)?)", re.IGNORECASE)
_MACRO = re.compile(r"%\{([slodiph])(\d*)(r?)([.+,/_=-]*)\}|%([%_-])", re.IGNORECASE)
_Address: TypeAlias = IPv4Address | IPv6Address


class NoAnswer(Exception):
    """The DNS cannot be asked just now."""


class _Broken(Exception):
    """A record that breaks the rules: the result is `permerror`."""


def check(host: str, sender: str, look_up: LookUp) -> Result:
    """Whether `host`, an IP address, may send for the domain of `sender`. Never raises."""
    try:
        return _Check(ip_address(host), sender, look_up).of(sender.rpartition("@")[2])
    except NoAnswer:
        return "temperror"
    except (_Broken, ValueError):
        return "permerror"


@dataclass
class _Check:
    """One check: the asking host, the sender, and how many more times the DNS may be asked."""

    host: _Address
    sender: str
    look_up: LookUp
    left: int = MOST_LOOK_UPS

    def of(self, domain: str) -> Result:
        """`check_host` (RFC 7208, 4)."""
        records = [text for text in self.look_up(domain, "TXT") if re.match(r"v=spf1( |$)", text, re.IGNORECASE)]
        if len(records) != 1:
            return "permerror" if records else "none"
        redirect = ""
        for term in records[0].split()[1:]:
            name, _, value = term.partition("=")
            if name.lower() == "redirect":
                redirect = value
            if re.fullmatch(r"[a-z][a-z0-9_.-]*", name, re.IGNORECASE) and "=" in term:
                continue
            found = _TERM.fullmatch(term)
            if found is None:
                raise _Broken
            if self._matches(found[2].lower(), found[3] or "", found[4], domain):
                return _QUALIFIERS[found[1] or "+"]
        if not redirect:
            return "neutral"
        self._count()
        result = self.of(self._expanded(redirect, domain))
        return "permerror" if result == "none" else result

    def _matches(self, mechanism: str, value: str, length: str, domain: str) -> bool:
        if mechanism == "all":
            return True
        if mechanism in ("ip4", "ip6"):
            return self._within(value, length)
        self._count()
        target = self._expanded(value, domain) if value else domain
        if mechanism == "include":
            result = self.of(target)
            if result in ("none", "permerror"):
                raise _Broken
            return result == "pass"
        if mechanism == "exists":
            return bool(self.look_up(target, "A"))
        names = [target] if mechanism == "a" else self.look_up(target, "MX")[:10] if mechanism == "mx" else []
        return any(self._within(found, length) for name in names for found in self._addresses(name))

    def _addresses(self, name: str) -> Iterator[str]:
        yield from self.look_up(name, "A" if self.host.version == 4 else "AAAA")

    def _within(self, network: str, length: str) -> bool:
        """Whether the host is in a network; of two lengths (`/24//64`) the second is for IPv6 (RFC 7208, 5.6)."""
        four, _, six = length.partition("//")
        bits = four if self.host.version == 4 or not six else f"/{six}"
        known = ip_network(network + bits, strict=False)
        return known.version == self.host.version and self.host in known

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _Broken

    def _expanded(self, text: str, domain: str) -> str:
        """The macros of a domain-spec, such as `%{ir}.%{v}.arpa` (RFC 7208, 7)."""
        local_part, _, sender_domain = self.sender.rpartition("@")
        spelt = str(self.host) if self.host.version == 4 else ".".join(self.host.exploded.replace(":", ""))
        values = {"s": self.sender, "l": local_part or "postmaster", "o": sender_domain, "d": domain, "i": spelt}

        def fill(found: re.Match[str]) -> str:
            if found[5]:
                return {"%": "%", "_": " ", "-": "%20"}[found[5]]
            parts = re.split(f"[{re.escape(found[4] or '.')}]", values.get(found[1].lower(), "unknown"))
            parts = parts[::-1] if found[3] else parts
            return ".".join(parts[-int(found[2]) :] if found[2] else parts)

        return _MACRO.sub(fill, text)
