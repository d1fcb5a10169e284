"""Why an email has no text to read, and whether its text is an automatic answer's."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from service.mail.grammar import orders
from service.mail.parsing import mime
from service.mail.parsing.mime import Part
from service.mail.phrases import autoreplies, courtesies

Cause: TypeAlias = Literal["", "away", "calendar", "deep", "pgp", "smime", "tnef"]
"""Why an email can't be read: `away` is an automatic answer recognised only by its words, `deep` has parts nested more
than `mime.MAX_DEPTH` levels, `tnef` is Outlook's winmail.dat."""

_GREETING = re.compile(r"[^\d\n]{1,40}[,!:]")

_PGP = re.compile(r"^-----BEGIN PGP MESSAGE", re.MULTILINE)

_KINDS: dict[str, Cause] = {
    "application/pkcs7-mime": "smime",
    "application/x-pkcs7-mime": "smime",
    "application/pgp-encrypted": "pgp",
    "multipart/encrypted": "pgp",
    "application/ms-tnef": "tnef",
    "application/vnd.ms-tnef": "tnef",
    "text/calendar": "calendar",
    "application/ics": "calendar",
}


def why(message: Part, own: str, text: str) -> Cause:
    """Why an email with this text, of which `own` is its writer's, can't be read; "" if it can."""
    if _is_encrypted(own, text):
        return "pgp"
    if own.strip():
        return "away" if _is_away(own) else ""
    waiting, causes = [(message, 0)], set[Cause]()
    for _ in range(mime.MAX_PARTS):
        if not waiting:
            break
        part, depth = waiting.pop()
        causes.add(_KINDS.get(part.kind, ""))
        if "winmail.dat" in part.header("content-type").lower():
            causes.add("tnef")
        if part.kind.startswith("multipart/"):
            if depth >= mime.MAX_DEPTH:
                causes.add("deep")
            else:
                waiting += [(piece, depth + 1) for piece in mime.pieces(part)]
    order: tuple[Cause, ...] = ("pgp", "smime", "tnef", "calendar", "deep")
    return next((cause for cause in order if cause in causes), "")


def _is_encrypted(own: str, text: str) -> bool:
    """Whether the email is a PGP message (RFC 9580, 6.2), or some of the writer's own lines are from one."""
    found = _PGP.search(text)
    if found is None:
        return False
    message = text[found.start() :].partition("-----END PGP MESSAGE")[0]
    lines = {line.strip() for line in message.split("\n")} - {""}
    return not text[: found.start()].strip() or any(line.strip() in lines for line in own.split("\n"))


def _is_away(own: str) -> bool:
    """Whether the first sentence below a greeting is an automatic answer's. Below a move, it is a person's."""
    lines = [line.strip() for line in own[:2_000].split("\n") if line.strip()][:4]
    if len(lines) > 1 and _greets(lines[0]) and not autoreplies.AWAY_TEXT.search(lines[0]):
        lines = lines[1:]
    wrapped = " ".join(lines[:2]) if len(lines[0]) > 40 else lines[0]
    return bool(autoreplies.AWAY_TEXT.search(wrapped))


def _greets(line: str) -> bool:
    if orders.answers_invitation(line) or not isinstance(orders.parse(line), orders.Move):
        return False
    return bool(_GREETING.fullmatch(line) or courtesies.GREETING.fullmatch(line))
