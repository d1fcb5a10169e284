"""Letters by hook: the HTTP request that makes a chat program or a server show a text.

An address is the program and the hook's URL, such as `discord+https://discord.com/api/webhooks/…`. A user name and a
password in it are for Basic authorization; Mastodon's access token takes the place of the user name.

A hook of the form `standard` is sent JSON, signed by Standard Webhooks (https://www.standardwebhooks.com). The standard
library does that in a few lines; the tests compare the result with the package `standardwebhooks`.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import SplitResult, unquote, urlencode, urlsplit

LONGEST = {"discord": 2_000, "mastodon": 500}
"""The most characters in a message of these programs."""

_TAMED = {"@": "@\u200b", "](": "]\u200b("}
"""Signs and what they become, with a zero-width space, so that a player called @everyone notifies nobody, and the name
[a cup](https://example.org/) isn't shown as a link."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to POST, and where. `target` is the path with the query."""

    host: str
    port: int
    target: str
    headers: dict[str, str]
    body: bytes


def secret(site_secret: str, seed: str, rotation: int) -> str:
    """A hook's signing secret after it was replaced `rotation` times: 24 bytes, in the form in which receivers get
    it."""
    derived = hmac.digest(site_secret.encode(), f"hook {seed} {rotation}".encode(), "sha256")
    return f"whsec_{b64encode(derived[:24]).decode()}"


def signed(address: str, key: str, secrets: Sequence[str], seconds: int, content: Mapping[str, object]) -> Request:
    """The request that brings a hook its JSON, signed with each of the secrets at this time, in seconds since 1970.

    A copy has the same `webhook-id`, by which receivers recognise it.
    """
    body = json.dumps(content, separators=(",", ":")).encode()
    told = f"{name(key)}.{seconds}.".encode() + body
    proofs = (hmac.digest(b64decode(one.removeprefix("whsec_")), told, "sha256") for one in secrets)
    headers = {
        "webhook-id": name(key),
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{b64encode(proof).decode()}" for proof in proofs),
    }
    return to(address, "application/json", body, headers)


def name(key: str) -> str:
    """A call's id outside, the same for each copy. It reveals nothing about the rows behind it."""
    return f"msg_{sha256(key.encode()).hexdigest()[:32]}"


def to(address: str, kind: str, body: bytes, headers: Mapping[str, str]) -> Request:
    """A POST to a URL, with Basic authorization if it has a user name."""
    parts = urlsplit(address)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    sent = {"Content-Type": kind, "User-Agent": "Stonepost", **_basic(parts), **headers}
    return Request(parts.hostname or "", parts.port or 443, target, sent, body)


def _basic(parts: SplitResult) -> dict[str, str]:
    if not parts.username:
        return {}
    given = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(given.encode()).decode()}"}


def request(address: str, key: str, text: str) -> Request:
    """The request with which this address shows a text. A copy has the same `key`, for programs that recognise
    copies."""
    program, _, url = address.partition("+")
    parts = urlsplit(url)
    for sign, tamed in _TAMED.items():
        text = text.replace(sign, tamed)
    shown = _cut(" ".join(text.split()), LONGEST.get(program))
    kind, body = _BODIES.get(program, _plain)(shown)
    headers = {"Idempotency-Key": sha256(key.encode()).hexdigest()}
    if program == "mastodon":
        headers |= {"Authorization": f"Bearer {unquote(parts.username)}"} if parts.username else {}
        url = url if parts.path.strip("/") else f"{url.rstrip('/')}/api/v1/statuses"
    return to(url, kind, body, headers)


def _cut(line: str, most: int | None) -> str:
    """A line of at most this many characters, with the link at its end, if there is one."""
    if most is None or len(line) <= most:
        return line
    text, _, link = line.rpartition(" ")
    return f"{text[: most - len(link) - 2]}\u2026 {link}" if len(link) < most - 2 else line[:most]


def _json(**fields: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(fields).encode()


def _discord(text: str) -> tuple[str, bytes]:
    return _json(content=text, allowed_mentions={"parse": []})


def _slack(text: str) -> tuple[str, bytes]:
    return _json(text=text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _chat(text: str) -> tuple[str, bytes]:
    """Mattermost, and Matrix through its bridge for hooks."""
    return _json(text=text)


def _mastodon(text: str) -> tuple[str, bytes]:
    return "application/x-www-form-urlencoded", urlencode({"status": text}).encode()


def _plain(text: str) -> tuple[str, bytes]:
    return "text/plain; charset=utf-8", text.encode()


_BODIES: dict[str, Callable[[str], tuple[str, bytes]]] = {
    "discord": _discord,
    "slack": _slack,
    "mattermost": _chat,
    "matrix": _chat,
    "mastodon": _mastodon,
    "ntfy": _plain,
}
