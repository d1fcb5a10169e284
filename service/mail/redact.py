"""Text for people who may not see who it is about: logs, and what an operator sees of a letter."""

from __future__ import annotations

import re
from collections.abc import Iterable

GONE = "***"

_ADDRESS = re.compile(r"([\w.!#$%&*+?^{|}~-])[\w.!#$%&'*+?^{|}~-]*@(\[[^\]\s]*\]|[\w.-]*\w)")
_REPLY = re.compile(r"[\w.-]{1,24}\+[a-z2-7]{20,}", re.IGNORECASE)
_SIGNED = re.compile(r"[\w-]*\.[\w-]{27}(?![\w-])")
"""What itsdangerous signs: a payload, and twenty octets of signature."""
_RANDOM = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w-])")
"""Keys and nonces, which mix small letters, capitals and digits as none of our names do."""


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without mail addresses but for a letter and the domain, without tokens, and without `secrets`."""
    for secret in secrets:
        text = text.replace(secret, GONE)
    text = _ADDRESS.sub(rf"\1{GONE} at \2", text)
    for token in (_REPLY, _SIGNED, _RANDOM):
        text = token.sub(GONE, text)
    return text
