"""Redacted text, for readers who may not see who it is about."""

from __future__ import annotations

import pytest

from service.mail.redact import redacted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("550 5.1.1 <ben@example.net>: no such user", "550 5.1.1 <b*** at example.net>: no such user"),
        ("to=<ada.l+x@sub.example.org>, relay=192.0.2.1", "to=<a*** at sub.example.org>, relay=192.0.2.1"),
        ("mailto:o'neil@x.example.", "mailto:o*** at x.example."),
        ("Exception on /mail/stop/WzIsMV0.Ue1I1OuV1e_1DGH9T7yfoNd6g-Q [POST]", "Exception on /mail/stop/*** [POST]"),
        ("/feed/WzFd.1_2345678-abcdefghijklmnopq/turns.xml", "/feed/***/turns.xml"),
        ("for g+abcdefghijklmnopqrstuvwxyz2345", "for ***"),
        ("key sign_in:3kJ2hs9AKs82hs_sk2K1sjk2", "key sign_in:***"),
        ("open sesame, she said", "***, she said"),
        (
            'File "/usr/lib/python3.11/site-packages/sqlalchemy/engine/base.py", line 1964, in _exec',
            None,
        ),
        ("service.play.outbox.deliver.what_is_more_than_a_day 0001_the_first_tables", None),
    ],
)
def test_addresses_and_tokens_are_removed_and_everything_else_stays(text: str, shown: str | None) -> None:
    assert redacted(text, ["open sesame"]) == (text if shown is None else shown)
