"""Checks whether a domain's DNS records are what receivers of its mail expect, and says what to change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address

from service.mail.name_lookup import LookUp, NoAnswer

_SPF_TERM = re.compile(
    r"[+?~-]?(all|include:\S+|a|mx|ptr|exists:\S+|ip[46]:[0-9a-f.:]+|(a|mx|ptr):[^\s/]+)(/\d+)?(//\d+)?|[a-z][a-z0-9_.-]*=\S*"
)
"""A term of an SPF record in lower case, roughly (RFC 7208, 12)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was checked, whether it's right, and one sentence on what was found or what to do."""

    what: str
    well: bool
    found: str


def examine(domain: str, selector: str, key: str | None, look_up: LookUp) -> Iterator[Finding]:
    """All findings on a domain. `key` is the DKIM record for our key, "" while there is no key, and None if the key
    can't be read, so that there's nothing to compare."""
    checks: tuple[tuple[str, Callable[[], tuple[str, str]]], ...] = (
        ("MX", lambda: _mx(domain, look_up)),
        ("SPF", lambda: _spf(domain, look_up)),
        ("DKIM", lambda: _dkim(f"{selector}._domainkey.{domain}", key or "", look_up)),
        ("DMARC", lambda: _dmarc(domain, look_up)),
        ("reverse DNS", lambda: _reverse(domain, look_up)),
    )
    for what, check in checks:
        if what == "DKIM" and key is None:
            continue
        try:
            trouble, found = check()
        except NoAnswer:
            trouble, found = "The DNS server didn't answer. Try again later.", ""
        yield Finding(what, not trouble, trouble or found)


def _mx(domain: str, look_up: LookUp) -> tuple[str, str]:
    hosts = look_up(domain, "MX")
    if not hosts:
        return f"Replies can't reach you. Add a DNS record with your mail server's name: {domain}. MX 10 NAME.", ""
    lost = [host for host in hosts if not look_up(host, "A") and not look_up(host, "AAAA")]
    return (f"{lost[0]} has no address. Add a DNS record: {lost[0]}. A." if lost else ""), ", ".join(hosts)


def _spf(domain: str, look_up: LookUp) -> tuple[str, str]:
    records = [text for text in look_up(domain, "TXT") if text.lower().startswith("v=spf1")]
    if len(records) != 1:
        wrong = "Receivers ignore SPF records if there is more than one." if records else "There is no SPF record."
        return f'{wrong} Set one: {domain}. TXT "v=spf1 mx -all".', ""
    terms = records[0].lower().split()[1:]
    if not all(map(_SPF_TERM.fullmatch, terms)):
        return "The SPF record isn't valid. Compare it with RFC 7208.", ""
    if {"all", "+all"} & {*terms}:
        return f"With this SPF record, anybody can send mail as {domain}. It must end in -all, not {terms[-1]}.", ""
    return "", records[0]


def _dkim(name: str, key: str, look_up: LookUp) -> tuple[str, str]:
    if not key:
        return "Outgoing mail isn't signed. Run stonepost mail dkim-key and add the record it prints.", ""
    if any(_public(text) == _public(key) for text in look_up(name, "TXT")):
        return "", name
    return f"The DNS doesn't have the service's key at {name}. Add the record that stonepost mail dkim-key prints.", ""


def _dmarc(domain: str, look_up: LookUp) -> tuple[str, str]:
    records = [text for text in look_up(f"_dmarc.{domain}", "TXT") if text.lower().startswith("v=dmarc1")]
    if not records:
        return f'There is no DMARC record. Set one: _dmarc.{domain}. TXT "v=DMARC1; p=quarantine".', ""
    return "", records[0]


def _reverse(domain: str, look_up: LookUp) -> tuple[str, str]:
    """Whether each mail server's address has a PTR record. Many receivers refuse mail from one without."""
    hosts = look_up(domain, "MX")
    addresses = [found for host in hosts for found in (*look_up(host, "A"), *look_up(host, "AAAA"))]
    for found in addresses:
        if not look_up(ip_address(found).reverse_pointer, "PTR"):
            return f"{found} has no PTR record. Ask the provider of this address to add one.", ""
    return ("" if addresses else "No mail server has an address."), ", ".join(addresses)


def _public(record: str) -> str:
    found = re.search(r"\bp=([A-Za-z0-9+/=\s]+)", record)
    return re.sub(r"\s", "", found[1]) if found else ""
