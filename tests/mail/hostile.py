"""Emails made to do harm, as large as we accept. Run as a program, it reads them all within bounds.

The reader may use little more memory than the email itself, and little time: the operating system enforces both.
"""

from __future__ import annotations

import io
import resource
import zipfile
from base64 import encodebytes
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from service.inbound.smtp import SIZE_LIMIT
from service.mail.parsing.read import read
from service.mail.senders import authentication

HEAD = b"From: Ana <ana@example.org>\r\nTo: g+aaaa@play.example\r\nMessage-ID: <1@program.example>\r\n"
HEAD += b"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SIGNATURE = b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=s; bh=AAAA; b=AAAA;\r\n"
SIGNATURE += b" h=from:to:date:message-id:subject\r\n"
MIXED = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
MEGABYTE = 1 << 20
ROOM, SECONDS = 120 * MEGABYTE, 60
"""The limits for all of them: memory at any moment, and processor time in total."""


def _filled(begun: bytes, piece: bytes, end: bytes = b"") -> bytes:
    """An email that repeats `piece` up to the largest size."""
    return HEAD + begun + piece * ((SIZE_LIMIT - len(HEAD) - len(begun) - len(end)) // len(piece)) + end


def _bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb", "w") as file:
        for _ in range(100):
            file.write(bytes(MEGABYTE))
    kind = b"Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return HEAD + MIXED + b"--b\r\n" + kind + encodebytes(packed.getvalue()) + b"--b--\r\n"


def _nested(levels: int) -> bytes:
    return b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (level, level) for level in range(levels)
    )


MAILS: dict[str, Callable[[], bytes]] = {
    "ten thousand parts": lambda: HEAD + MIXED + b"--b\r\n\r\n\r\n" * 10_000 + b"--b--\r\n",
    "as many parts as fit": lambda: _filled(MIXED, b"--b\r\n\r\n\r\n"),
    "a zip bomb": _bomb,
    "a charset that unpacks": lambda: _filled(b"Content-Type: text/plain; charset=zlib\r\n\r\n", b"x\x9c"),
    "parts in parts": lambda: HEAD + _nested(100_000),
    "parts in parts of one name": lambda: _filled(b"", b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"),
    "large parts in parts": lambda: _filled(_nested(8) + b"\r\n", b"a b\r\n"),
    "headers": lambda: _filled(b"", b"X: y\r\n"),
    "one header": lambda: _filled(b"X: ", b"y"),
    "one header on many lines": lambda: _filled(b"X: y\r\n", b" y\r\n"),
    "encoded words": lambda: _filled(b"Subject: ", b"=?utf-8?q?a?= "),
    "open tags": lambda: _filled(b"Content-Type: text/html\r\n\r\n", b"<a "),
    "blank lines": lambda: _filled(b"\r\n", b"\r\n"),
    "no lines": lambda: _filled(b"\r\n", b"\0"),
    "quotations": lambda: _filled(b"\r\n", b"On 2026 a@b.c wrote:\r\n>\r\n"),
    "base64": lambda: _filled(b"Content-Transfer-Encoding: base64\r\n\r\n", b"QUFB"),
}


def look_up(name: str, kind: str) -> list[str]:
    """A DNS in which everybody has a key, so that every signature is checked."""
    return ["v=DKIM1; k=rsa; p=AAAA"] if "._domainkey." in name else []


def read_all() -> Iterator[str]:
    """Reads each email and checks who wrote it; yields the names of those that it believes."""
    for name, make in MAILS.items():
        raw = make()
        assert read(raw).sender in ("ana@example.org", "")
        if authentication.proof(SIGNATURE * 4 + raw, "ana@example.org", "192.0.2.1", NOW, look_up):
            yield name


if __name__ == "__main__":
    bombs = {name: make() for name, make in MAILS.items() if name == "a zip bomb"}
    MAILS["a zip bomb"] = lambda: bombs["a zip bomb"]
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    print(*read_all(), sep="\n")
