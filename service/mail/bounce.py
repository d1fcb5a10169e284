"""What mail servers report about our mail: that it could not be delivered, or that its reader complains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from service.mail import mime
from service.mail.mime import Part

_STATUS = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
_FIELD = re.compile(r"^([a-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
_PASSING = re.compile(r"5\.(?:2\.[23]|3\.[24]|4\.[57]|7\.\d+)$")
"""Permanent codes that say nothing against the address (RFC 3463): a full mailbox, a mail too large, a policy."""
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Report:
    """`failed` for good, `delayed` (or refused for now), or a `complaint`; `why` is the server's own words."""

    kind: Literal["failed", "delayed", "complaint"]
    why: str = ""


def read(raw: bytes) -> Report | None:
    """The report that a message is (RFC 3464, RFC 5965); None for every other message. Never raises."""
    message = mime.parse(raw)
    if message.kind != "multipart/report":
        return None
    for part in mime.pieces(message):
        if part.kind in ("message/delivery-status", "message/global-delivery-status"):
            return _delivery(_fields(part))
        if part.kind == "message/feedback-report":
            return Report("complaint", _fields(part).get("feedback-type", ""))
    return None


def is_for_good(status: str) -> bool:
    """Whether a server's code or answer says that the address takes no mail and never will."""
    found = _STATUS.search(status)
    if found:
        return found[1].startswith("5") and not _PASSING.match(found[1])
    return bool(re.match(r"\s*5(?:5[013]|21)\b", status))


def _delivery(fields: dict[str, str]) -> Report:
    """The first recipient's fate: each of our mails has one."""
    why = fields.get("diagnostic-code", "").partition(";")[2] or fields.get("diagnostic-code", "")
    status = fields.get("status", "")
    failed = fields.get("action", "").lower() == "failed" and is_for_good(status or why)
    return Report("failed" if failed else "delayed", " ".join((why or status).split())[:300])


def _fields(part: Part) -> dict[str, str]:
    """The fields of all blocks of a report, the first of each name."""
    text = part.body[:_LONGEST].decode("utf-8", "replace")
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(text):
        fields.setdefault(name.lower(), " ".join(value.split()))
    return fields
