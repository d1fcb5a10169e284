"""Emails without readable text are told apart by their cause, and automatic answers by their words."""

from __future__ import annotations

import pytest

from service.mail.parsing.read import read

HEAD = "From: ada@example.org\nSubject: Re: Rosette 12\nMIME-Version: 1.0\n"


def deep(levels: int) -> str:
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(levels))
    return f"{parts}Content-Type: text/plain\n\nf12\n"


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        ("smime", 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"\n\nMIAG\n'),
        (
            "pgp",
            "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\n"
            "Version: 1\n--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n--b--\n",
        ),
        ("pgp", "Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"),
        ("tnef", 'Content-Type: application/ms-tnef; name="winmail.dat"\n\nx\n'),
        ("tnef", 'Content-Type: application/octet-stream; name="winmail.dat"\n\nx\n'),
        ("calendar", "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n"),
        ("deep", deep(12)),
        ("", deep(3)),
        ("", "Content-Type: text/plain\n\n\n"),
        ("", "Content-Type: text/plain\n\nf12\n\nI am on vacation until Monday.\n"),
        ("", "Content-Type: text/plain\n\nf12\n\nI am out of the office, this is an automatic reply of mine!\n"),
        ("away", "Content-Type: text/plain\n\nI am out of the office until Monday.\nWrite to Ben.\n"),
        ("away", "Content-Type: text/plain\n\nHello,\n\nI'm on vacation until 3 December and read no email.\n"),
        ("away", "Content-Type: text/plain; charset=utf-8\n\nGuten Tag,\nich bin derzeit nicht im Büro.\n"),
        ("away", "Content-Type: text/plain; charset=utf-8\n\nBonjour,\n\nJe suis absent jusqu'au 3 décembre.\n"),
        ("away", "Content-Type: text/plain\n\nYour message is being held. Please click to prove you are human.\n"),
    ],
)
def test_the_cause_is_named(cause: str, message: str) -> None:
    assert read((HEAD + message).encode()).unread == cause
