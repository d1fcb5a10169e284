"""Whether a mail was written by the owner of the address it names: DKIM, SPF, and DMARC's idea of alignment.

DMARC (RFC 7489, 3.1) asks that the domain which is proven, by a signature (RFC 6376) or by the sending host (RFC 7208),
belong to the domain in From. Both belong together where they share an organisational domain, which only the public
suffix list knows: strict equality would refuse the many whose provider signs with a subdomain. A domain that wants
strict equality says so in its DMARC record and gets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address

import dkim

from service.mail import mime, spf
from service.mail.mime import Part
from service.mail.spf import LookUp, NoAnswer

MOST_SIGNATURES = 4
"""Signatures looked at; a forger must not make us ask the DNS for ever."""

MOST_LINES = 200_000
"""Lines of a mail whose signatures are looked at: as many as ten megabytes of pictures have, and half as many again."""

_ALGORITHMS = (b"rsa-sha256", b"ed25519-sha256")
_METHOD = re.compile(r"\b(dkim|spf|dmarc)\s*=\s*pass\b([^;]*)", re.IGNORECASE)
_DOMAIN = re.compile(r"\b(?:header\.d|header\.i|header\.from|smtp\.mailfrom)\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_COMMENT = re.compile(r"\([^()]*\)")


class _Silence:
    """What is wrong with a stranger's signature is no news for our log."""

    def debug(self, *_words: object) -> None:
        pass

    info = warning = error = debug


def proof(raw: bytes, sender: str, peer: str, look_up: LookUp, trusted: str = "") -> str:
    """What proves that the owner of the address `sender` sent this, such as `DKIM example.org`; "" if nothing does.

    `peer` is the address of the host that brought it, "" where that was a mail server of ours. `trusted` is the name
    under which that server writes Authentication-Results (RFC 8601): it is believed in the topmost such header, and
    only where no stranger brought the mail. Never raises; no answer proves nothing.
    """
    domain = sender.rpartition("@")[2]
    if not domain:
        return ""
    outside = _is_outside(peer)
    message = mime.parse(raw)
    if trusted and not outside and (found := _told(message, domain, trusted)):
        return found
    try:
        strict = _strictness(domain, look_up)
        signed = next((d for d in _signers(raw, message, look_up) if aligned(d, domain, "adkim" in strict)), "")
        if signed:
            return f"DKIM {signed}"
        return _sent_from(message, peer, domain, look_up, "aspf" in strict) if outside else ""
    except NoAnswer:
        return ""


def aligned(proven: str, domain: str, strict: bool = False) -> bool:
    """Whether a proven domain speaks for the domain in From (RFC 7489, 3.1)."""
    proven, domain = proven.lower().rstrip("."), domain.lower().rstrip(".")
    return proven == domain or (not strict and organisation(proven) == organisation(domain))


def organisation(domain: str) -> str:
    """The organisational domain, such as `example.co.uk` of `mail.example.co.uk`; the domain itself if it has none."""
    return _suffixes()(domain) or domain


@cache
def _suffixes():  # type: ignore[no-untyped-def]  # the library has no useful type for it
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList().privatesuffix


def _is_outside(peer: str) -> bool:
    try:
        return ip_address(peer).is_global
    except ValueError:
        return False


def _strictness(domain: str, look_up: LookUp) -> frozenset[str]:
    """Which of `adkim` and `aspf` the domain, or else its organisation, wants strict."""
    for asked in dict.fromkeys((domain, organisation(domain))):
        for record in look_up(f"_dmarc.{asked}", "TXT"):
            if record.lower().startswith("v=dmarc1"):
                return frozenset(re.findall(r"\b(adkim|aspf)\s*=\s*s\b", record.lower()))
    return frozenset()


def _signers(raw: bytes, message: Part, look_up: LookUp) -> Iterator[str]:
    """The domains whose signature holds for the whole mail."""
    if "dkim-signature" not in message.headers or _is_beyond_measure(raw):
        return

    def ask(name: bytes, timeout: int = 0) -> bytes | None:
        del timeout
        return "".join(look_up(name.decode("ascii", "replace").rstrip("."), "TXT")[:1]).encode() or None

    for number in range(min(MOST_SIGNATURES, len(message.headers["dkim-signature"]))):
        signature = dkim.DKIM(raw, logger=_Silence())
        try:
            holds = signature.verify(number, ask)
        except (dkim.DKIMException, ValueError, KeyError, IndexError):
            continue
        fields = signature.signature_fields
        # With l= anybody may add text below the signed part, which a reply's reader would read (RFC 6376, 8.2).
        if holds and b"l" not in fields and fields[b"a"] in _ALGORITHMS:
            yield signature.domain.decode("ascii", "replace")


def _is_beyond_measure(raw: bytes) -> bool:
    """Whether it would cost too much to check a signature: dkimpy keeps every line, and copies a header for each line
    it goes on, so that a head of some megabytes would take it hours."""
    return raw.count(b"\n") > MOST_LINES or (len(raw) > mime.MAX_HEAD and not _BLANK_LINE.search(raw, 0, mime.MAX_HEAD))


def _sent_from(message: Part, peer: str, domain: str, look_up: LookUp, strict: bool) -> str:
    """The proof by SPF: the host may send for the return path, and that for From."""
    path = message.header("return-path").strip(" <>")
    if not aligned(path.rpartition("@")[2], domain, strict) or spf.check(peer, path, look_up) != "pass":
        return ""
    return f"SPF {path.rpartition('@')[2]}"


def _told(message: Part, domain: str, trusted: str) -> str:
    """The proof that our own mail server found."""
    for value in message.headers.get("authentication-results", []):
        server, _, results = _COMMENT.sub(" ", value).partition(";")
        if server.split()[:1] != [trusted]:
            continue
        for method, properties in _METHOD.findall(results):
            found = _DOMAIN.search(properties)
            if found and aligned(found[1].rpartition("@")[2], domain):
                return f"{trusted}: {method.upper()} {found[1].rpartition('@')[2]}"
        return ""
    return ""
