"""Checks of a domain's DNS records, and the advice they give."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.mail.letters.dns_records import examine
from service.mail.name_lookup import Kind, NoAnswer

WELL = {
    "play.example MX": ["mx.play.example"],
    "mx.play.example A": ["203.0.113.9"],
    "9.113.0.203.in-addr.arpa PTR": ["mx.play.example"],
    "play.example TXT": ["v=spf1 mx -all"],
    "s._domainkey.play.example TXT": ["v=DKIM1; k=rsa; p=QUJD REVG"],
    "_dmarc.play.example TXT": ["v=DMARC1; p=reject"],
}


def ill(zone: dict[str, list[str]], key: str | None = "v=DKIM1; k=rsa; p=QUJDREVG") -> dict[str, str]:
    """What is wrong, by the name of the check."""

    def look_up(name: str, kind: Kind) -> Sequence[str]:
        if "silent" in zone:
            raise NoAnswer(name)
        return zone.get(f"{name} {kind}", [])

    return {found.what: found.found for found in examine("play.example", "s", key, look_up) if not found.well}


def test_nothing_is_wrong_with_a_domain_that_is_set_up() -> None:
    assert ill(WELL) == {}


def test_the_record_of_a_key_that_cannot_be_read_is_not_checked() -> None:
    assert "Outgoing mail isn't signed." in ill(WELL, "")["DKIM"]
    assert ill(WELL, None) == {}


@pytest.mark.parametrize(
    ("name", "records", "what", "advice"),
    [
        ("play.example MX", [], "MX", "play.example. MX 10 NAME"),
        ("mx.play.example A", [], "MX", "mx.play.example has no address"),
        ("9.113.0.203.in-addr.arpa PTR", [], "reverse DNS", "203.0.113.9 has no PTR record"),
        ("play.example TXT", [], "SPF", 'There is no SPF record. Set one: play.example. TXT "v=spf1 mx -all".'),
        ("play.example TXT", ["v=spf1 mx", "v=spf1 a"], "SPF", "if there is more than one."),
        ("play.example TXT", ["v=spf1 +all"], "SPF", "anybody can send mail as play.example"),
        ("play.example TXT", ["v=spf1 what"], "SPF", "isn't valid"),
        ("s._domainkey.play.example TXT", ["v=DKIM1; p=AAAA"], "DKIM", "the service's key at s._domainkey"),
        ("_dmarc.play.example TXT", [], "DMARC", "There is no DMARC record"),
    ],
)
def test_missing_or_wrong_records_are_named(name: str, records: list[str], what: str, advice: str) -> None:
    assert advice in ill(WELL | {name: records})[what]


def test_mail_servers_with_ipv6_addresses_need_reverse_dns_too() -> None:
    pointer = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR"
    alone = WELL | {"mx.play.example A": [], "mx.play.example AAAA": ["2001:db8::1"]}
    assert ill(alone) == {"reverse DNS": "2001:db8::1 has no PTR record. Ask the provider of this address to add one."}
    assert ill(alone | {pointer: ["mx.play.example"]}) == {}


def test_without_a_key_only_dkim_is_wrong() -> None:
    assert list(ill(WELL, key="")) == ["DKIM"]


def test_a_dns_server_that_does_not_answer_is_reported() -> None:
    found = ill({"silent": []})
    assert len(found) == 5
    assert set(found.values()) == {"The DNS server didn't answer. Try again later."}
