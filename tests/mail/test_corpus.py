"""A raw reply from every mail program we know, and how it must be read.

The emails were made by hand in the exact shape of those programs. Beside each `x.eml` there is an `x.json`: the order,
the remark, and whether a program rather than a person wrote it (in which case nothing else is checked).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.mail.parsing.read import read

MAILS = sorted((Path(__file__).parents[1] / "data" / "mail").glob("*.eml"))


def test_the_corpus_is_large() -> None:
    assert len(MAILS) >= 120


@pytest.mark.parametrize("mail", MAILS, ids=lambda mail: mail.stem)
def test_each_email_is_read_as_meant(mail: Path) -> None:
    expected = json.loads(mail.with_suffix(".json").read_text(encoding="utf-8"))
    found = read(mail.read_bytes())
    assert found.is_automatic == expected["automatic"], found.automatic
    if not found.is_automatic:
        assert (found.order, found.remark) == (expected["order"], expected["remark"])
