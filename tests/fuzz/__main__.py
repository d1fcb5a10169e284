"""`python -m tests.fuzz [SECONDS]` looks for an email that trips the reader, with the corpus to begin from.

It ends with an error and keeps the mail in the present directory when it finds one: such an email becomes a test.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from unicodedata import category

import atheris

with atheris.instrument_imports(include=["service.mail"]):
    from service.mail.grammar.reading import parse
    from service.mail.parsing import bounce
    from service.mail.parsing.read import read
    from service.mail.senders import authentication

CORPUS = Path(__file__).parents[1] / "data" / "mail"
SECONDS = "60"
BLANKS = str.maketrans("", "", "\n\t")


def look_up(name: str, kind: str) -> list[str]:
    """A DNS in which everybody has a key."""
    return ["v=DKIM1; k=rsa; p=AAAA"] if "._domainkey." in name else []


def one(raw: bytes) -> None:
    """What must hold for any bytes."""
    found = read(raw)
    assert found == read(raw), "the same bytes are read alike"
    assert found.order in found.text
    assert "\n" not in found.order + found.sender + found.subject + found.message_id
    for text in (found.order, found.remark, found.text, found.rest, found.subject, found.sender):
        assert not any(category(character) in ("Cc", "Cs") for character in text.translate(BLANKS)), repr(text)
    parse(found.subject, found.text, lambda text: len(text) < 4)
    bounce.read(raw)
    authentication.proof(raw, found.sender, "192.0.2.1", datetime(2026, 11, 21, tzinfo=UTC), look_up, "mx.example.org")


def main(seconds: str = SECONDS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for mail in CORPUS.glob("*.eml"):
            shutil.copy(mail, folder)
        bounds = [f"-max_total_time={seconds}", "-max_len=20000", "-timeout=10", "-rss_limit_mb=1024"]
        atheris.Setup([sys.argv[0], folder, *bounds, "-print_final_stats=1"], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
