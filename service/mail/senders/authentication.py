"""Whether the owner of the address in From wrote an email: by DKIM, checked here, or by our own server's results.

DMARC (RFC 7489, 3.1) requires that the domain proven by a signature (RFC 6376) or by the sending host (RFC 7208) be
aligned with the domain in From. They are aligned if they share an organisational domain, which only the public suffix
list knows: strict equality would refuse the many whose provider signs with a subdomain. A domain that wants strict
equality says so in its DMARC record. `service/THREATS.md` says what this protects against.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from ipaddress import ip_address
from typing import Literal, TypeAlias

import dkim

from service.mail import mailbox
from service.mail.name_lookup import LookUp, NoAnswer
from service.mail.parsing import mime
from service.mail.parsing.mime import Part
from service.mail.senders import authentication_results, dkim_signature
from service.mail.senders.authentication_results import AuthenticationResults
from service.mail.senders.dkim_signature import Signature

MAX_SIGNATURES = 4
"""The most signatures of the domain in From that are checked, so that a forger can't make us query the DNS forever."""

MAX_SIGNATURE_HEADERS = 20
"""The most DKIM-Signature headers. An email with more isn't proven."""

MAX_LINES = 200_000
"""The most lines of an email whose signatures are checked: half again as many as in ten megabytes of pictures."""

_BLANK_LINE = re.compile(rb"\n\r?\n")

_Verdict: TypeAlias = Literal["holds", "broken", "unknown"]
"""The result of our own check of a signature. `unknown`: there was no key to check it with."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves an email's sender, such as `DKIM example.org`, and for which recipients."""

    how: str
    recipients: frozenset[str] | None = None
    """The lower-case addresses that the proof covers; None if it covers the delivery and so all of them."""

    def covers(self, recipient: str) -> bool:
        """Whether the mail is proven to be meant for this lower-case address."""
        return self.recipients is None or recipient in self.recipients


class _Silence:
    """A logger that drops everything: our log has no use for what is wrong with strangers' signatures."""

    def debug(self, *_words: object) -> None:
        pass

    info = warning = error = debug


def proof(raw: bytes, sender: str, peer: str, received: datetime, look_up: LookUp, trusted: str = "") -> Proof | None:
    """What proves that the owner of the address `sender` sent this; None if nothing does.

    `peer` is the address of the sending host, "" for one of our own mail servers. `trusted` is the name under which
    that server writes Authentication-Results: it is believed only in the topmost such headers, if the mail didn't come
    from a stranger's host, and never against our own check of a signature. Never raises; without an answer from the
    DNS, nothing is proven.
    """
    domain = sender.rpartition("@")[2]
    message = mime.parse(raw)
    if not domain or message.is_cut:
        return None
    try:
        return _Case(raw, message, domain, received, look_up).proof("" if _is_outside(peer) else trusted)
    except NoAnswer:
        return None


def aligned(proven: str, domain: str, strict: bool = False) -> bool:
    """Whether a proven domain is aligned with the domain in From (RFC 7489, 3.1)."""
    proven, domain = proven.lower().rstrip("."), domain.lower().rstrip(".")
    return proven == domain or (not strict and organisation(proven) == organisation(domain))


def organisation(domain: str) -> str:
    """The organisational domain, such as `example.co.uk` of `mail.example.co.uk`; the domain itself if it has none."""
    return _suffixes()(domain) or domain


@cache
def _suffixes() -> Callable[[str], str | None]:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList().privatesuffix


@dataclass
class _Case:
    """One email that claims to be from `domain`."""

    raw: bytes
    message: Part
    domain: str
    received: datetime
    look_up: LookUp

    def proof(self, trusted: str) -> Proof | None:
        fields = self.message.exactly("dkim-signature")
        if len(fields) != len(self.message.headers.get("dkim-signature", ())) or len(fields) > MAX_SIGNATURE_HEADERS:
            return None
        read = [dkim_signature.read(field) for field in fields]
        ours = [(at, found) for at, found in enumerate(read) if found and self._speaks(found.domain, "adkim")]
        verdicts: list[_Verdict] = []
        for at, signature in ours[:MAX_SIGNATURES]:
            if dkim_signature.covers(signature, self.message, self.received):
                verdicts.append(self._check(at))
                if verdicts[-1] == "holds":
                    return Proof(f"DKIM {signature.domain}", self._named(signature))
        if not trusted or None in read or not _has_plain_return_path(self.message):
            return None  # A server repeats these fields: odd words may imitate the server's own.
        told = _told(self.message, trusted)
        return self._believed(told, [found for _, found in ours], "broken" not in verdicts) if told else None

    def _speaks(self, proven: str, tag: str) -> bool:
        return aligned(proven, self.domain) and (proven == self.domain or not self._is_strict(tag))

    def _is_strict(self, tag: str) -> bool:
        """Whether the domain, or else its organisation, wants `adkim` or `aspf` strict (RFC 7489, 6.3)."""
        for asked in dict.fromkeys((self.domain, organisation(self.domain))):
            for record in self.look_up(f"_dmarc.{asked}", "TXT"):
                if record.lower().startswith("v=dmarc1"):
                    return re.search(rf"\b{tag}\s*=\s*s\b", record.lower()) is not None
        return False

    def _named(self, signature: Signature) -> frozenset[str]:
        return dkim_signature.signed_recipients(signature, self.message)

    def _check(self, number: int) -> _Verdict:
        """Verifies the signature with this index."""
        keys: list[bytes] = []

        def ask(name: bytes, timeout: int = 0) -> bytes | None:
            del timeout
            try:
                found = self.look_up(name.decode("ascii", "replace").rstrip("."), "TXT")
            except NoAnswer:
                return None
            keys.extend(filter(dkim_signature.is_quick_to_check, map(str.encode, found)))
            return keys[0] if keys else None

        if _is_beyond_measure(self.raw):
            return "unknown"
        try:
            holds = dkim.DKIM(self.raw, logger=_Silence()).verify(number, ask)
        except dkim.NaClNotFoundError:
            return "unknown"
        except (dkim.DKIMException, ValueError, KeyError, IndexError):
            return "broken"
        return "holds" if holds else "broken" if keys else "unknown"

    def _believed(self, told: AuthenticationResults, ours: list[Signature], unbroken: bool) -> Proof | None:
        """What our server's results prove. `ours` are the signatures of the domain in From.

        A valid signature doesn't show when it was made and for which recipient, so those that the server vouches for
        must cover as much as if we had checked them.
        """
        covering = unbroken and all(dkim_signature.covers(found, self.message, self.received) for found in ours)
        for method, name in (("dmarc", "header.from"), ("spf", "smtp.mailfrom"), ("dkim", "header.d")):
            found = {(result.result, result.value(name).lower()) for result in told.results if result.method == method}
            passed = [value for result, value in found if result == "pass"]
            if method != "dkim" and len(found) != 1:
                continue
            for value in passed:
                if self._is_proven(method, value, ours, covering) and sum(value == other for _, other in found) == 1:
                    signed = ours if method != "spf" else []
                    named = frozenset[str]().union(*map(self._named, signed)) if signed else None
                    return Proof(f"{told.server}: {method.upper()} {value.rpartition('@')[2]}", named)
        return None

    def _is_proven(self, method: str, value: str, ours: list[Signature], covering: bool) -> bool:
        if method == "dmarc":
            return value == self.domain and covering
        if method == "dkim":
            return covering and any(value == signature.domain for signature in ours)
        proven = value.rpartition("@")[2]
        return (
            mailbox.is_plain(f"a@{proven}")
            and ("@" not in value or mailbox.is_plain(value))
            and self._speaks(proven, "aspf")
        )


def _is_outside(peer: str) -> bool:
    try:
        return ip_address(peer).is_global
    except ValueError:
        return False


def _is_beyond_measure(raw: bytes) -> bool:
    """Whether checking a signature would cost too much: dkimpy keeps every line, and copies a header for each line that
    continues it, so a head of some megabytes would take it hours."""
    return raw.count(b"\n") > MAX_LINES or (len(raw) > mime.MAX_HEAD and not _BLANK_LINE.search(raw, 0, mime.MAX_HEAD))


def _has_plain_return_path(message: Part) -> bool:
    path = "".join(message.exactly("return-path")[:1]).strip().removeprefix("<").removesuffix(">")
    return not path or mailbox.is_plain(path)


def _told(message: Part, trusted: str) -> AuthenticationResults | None:
    """The results that our own mail server wrote under its name.

    Everything above the first Received was added at the last server, by any number of programs. Otherwise, a stranger's
    header may follow ours, so only the topmost counts. An unreadable one may be our server's too, and ends the search.
    """
    above = [authentication_results.parse(text) for text in message.exactly("authentication-results", above="received")]
    ours = [found for found in above if found is None or found.server == trusted.lower()]
    if ours:
        results = [result for found in ours if found is not None for result in found.results]
        return None if None in ours else AuthenticationResults(trusted.lower(), tuple(results))
    for text in message.exactly("authentication-results"):
        found = authentication_results.parse(text)
        if found is None or found.server == trusted.lower():
            return found
    return None
