"""Redacts text for readers who may not see who it is about: logs, and what an operator sees of a letter."""

from __future__ import annotations

import re
from collections.abc import Iterable

GONE = "***"

_ADDRESS = re.compile(r"([\w.!#$%&*+?^{|}~-])[\w.!#$%&'*+?^{|}~-]*@(\[[^\]\s]*\]|[\w.-]*\w)")
_REPLY = re.compile(r"[\w.-]{1,24}\+[a-z2-7]{20,}", re.IGNORECASE)
_SIGNED = re.compile(r"[\w-]*\.[\w-]{27}(?![\w-])")
"""A token of itsdangerous: a payload, and a signature of twenty octets."""
_RANDOM = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w-])")
"""Keys and nonces: unlike our names, they mix lower case, upper case and digits."""


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without tokens and `secrets`, and with only the first letter and the domain of mail addresses."""
    for secret in secrets:
        text = text.replace(secret, GONE)
    text = _ADDRESS.sub(rf"\1{GONE} at \2", text)
    for token in (_REPLY, _SIGNED, _RANDOM):
        text = token.sub(GONE, text)
    return text
