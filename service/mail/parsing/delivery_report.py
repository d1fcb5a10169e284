"""What mail servers report about our mail: that it couldn't be delivered, or that its reader complained."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from email import message_from_bytes
from typing import Literal

from flufl.bounce import all_failures

from service.mail.parsing import mime
from service.mail.parsing.mime import Part
from service.mail.phrases import autoreplies

# The library fails on some strangers' messages, and would log a traceback each time.
logging.getLogger("flufl.bounce").disabled = True

_STATUS = re.compile(r"(?<![\w.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\w)")
"""A status code, which isn't part of an IP address."""
_FIELD = re.compile(r"^([a-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
_PASSING = re.compile(r"5\.(?:1\.[78]|2\.[23]|3\.[24]|4\.[57]|[67]\.\d+)$")
"""Permanent codes that don't mean the address is bad (RFC 3463): the sender's address, a full mailbox, too large an
email, its contents, a policy."""
_TEMPORARY = re.compile(
    r"over ?quota|quota exceeded|(?:mail)?box (?:is )?full|too large|spam|blocked|black ?list|block ?list|rate limit"
    r"|relay(?:ing)? (?:not permitted|(?:access )?denied)|sender verif|authentication required"
    r"|try again later|will be retried|has not yet been delivered|warning message only",
    re.IGNORECASE,
)
"""Reasons in words that don't mean the address is bad."""
_ANSWER = re.compile(r"(?:^|[:;'\"(])[ \t]*([45]\d\d[ -][^\n]+)", re.MULTILINE)
"""A mail server's reply (RFC 5321, 4.2), as quoted in a report."""
_COPY = re.compile(r"^(?:Received|Message-ID|Return-Path):", re.IGNORECASE | re.MULTILINE)
"""The beginning of the copy of the undelivered mail."""
_POSTMASTER = re.compile(r"mailer-daemon|postmaster", re.IGNORECASE)
_NO_COMPLAINTS = ("not-spam", "auth-failure")
"""Feedback that isn't its reader's complaint: the email is no spam (RFC 6430), or its sender couldn't be verified (RFC
6591)."""
_LONGEST = 20_000
_MOST = 100_000
"""The most bytes read of a report in a nonstandard form."""


@dataclass(frozen=True, slots=True)
class Report:
    """`failed` permanently, `delayed` (or refused for now), or a `complaint`; `why` is in the server's own words."""

    kind: Literal["failed", "delayed", "complaint"]
    why: str = ""


def read(raw: bytes) -> Report | None:
    """Reads a message as a report; None if it isn't one. Never raises.

    Reports by RFC 3464 and RFC 5965 are read here; a library reads the nonstandard forms of many servers.
    """
    message = mime.parse(raw)
    if message.kind != "multipart/report":
        return _of_its_own_form(message, raw)
    for part in mime.pieces(message):
        if part.kind in ("message/delivery-status", "message/global-delivery-status"):
            return _delivery(_fields(part))
        if part.kind == "message/feedback-report":
            why = _fields(part).get("feedback-type", "")
            return None if why.lower() in _NO_COMPLAINTS else Report("complaint", why)
    return _of_its_own_form(message, raw)


def _of_its_own_form(message: Part, raw: bytes) -> Report | None:
    """A report in some server's own form. A temporary reason doesn't mean that the address is bad."""
    if autoreplies.AWAY.match(mime.words(message.header("subject"))):
        return None
    try:
        passing, failed = all_failures(message_from_bytes(raw[:_MOST]))
    except Exception:  # The library reads whatever strangers send.
        return None
    if not (passing or failed):
        return _in_words(message)
    text = raw[:_MOST].decode("utf-8", "replace")
    status = _STATUS.search(text)
    final = bool(failed) and not _TEMPORARY.search(text) and (status is None or is_for_good(status[1]))
    return Report("failed" if final else "delayed", status[1] if status else "no status is given")


def _in_words(message: Part) -> Report | None:
    """A report in an unknown form: sent by a mail server, and quoting another server's reply."""
    if not _POSTMASTER.search(message.header("from")):
        return None
    texts = (mime.text(part) for part in mime.leaves(message) if part.kind.startswith("text/"))
    said = _ANSWER.search(_COPY.split(next(texts, "")[:_LONGEST], 1)[0])
    if said is None:
        return None
    why = " ".join(said[1].split())[:300]
    final = is_for_good(why) and not _TEMPORARY.search(why)
    return Report("failed" if final else "delayed", why)


def is_for_good(status: str, *, after_data: bool = False) -> bool:
    """Whether a server's code or reply says that the address will never accept mail. `after_data`: it answers the
    contents, so that a code of three digits may be about those."""
    found = _STATUS.findall(status)
    # Some programs always write 5.0.0, and quote the server's own status below it.
    if clear := next((code for code in found if not code.endswith(".0.0")), ""):
        return clear.startswith("5") and not _PASSING.match(clear)
    final = found[0].startswith("5") if found else not after_data and re.match(r"\s*5(?:5[013]|21)\b", status)
    return bool(final) and not _TEMPORARY.search(status)


def _delivery(fields: dict[str, str]) -> Report:
    """The first recipient's result: each of our emails has only one recipient."""
    why = fields.get("diagnostic-code", "").partition(";")[2] or fields.get("diagnostic-code", "")
    status = fields.get("status", "")
    failed = re.match(r"failed\b", fields.get("action", ""), re.IGNORECASE) and is_for_good(f"{status} {why}")
    return Report("failed" if failed else "delayed", " ".join((why or status).split())[:300])


def _fields(part: Part) -> dict[str, str]:
    """The fields of all blocks of a report; of each name, the first."""
    text = part.body[:_LONGEST].decode("utf-8", "replace")
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(text):
        fields.setdefault(name.lower(), " ".join(value.split()))
    return fields
