"""Letters by hook: the HTTP request that has a chat program or a server show a text.

An address is the program and the hook's URL, such as `discord+https://discord.com/api/webhooks/…`. A user name and a
password in it are for Basic authorization; Mastodon's access token stands in place of the user name.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import unquote, urlencode, urlsplit

LONGEST = {"discord": 2_000, "mastodon": 500}
"""Most characters in a message of these programs."""

QUIET = "@\u200b"
"""An at sign and a blank of no width: a player called @everyone calls nobody."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to POST, and where. `target` is the path with the query."""

    host: str
    port: int
    target: str
    headers: dict[str, str]
    body: bytes


def request(address: str, key: str, text: str) -> Request:
    """The request by which this address shows a text. A copy has the same `key`, for programs that can tell copies."""
    program, _, url = address.partition("+")
    parts = urlsplit(url)
    shown = " ".join(text.replace("@", QUIET).split())[: LONGEST.get(program)]
    kind, body = _BODIES.get(program, _plain)(shown)
    headers = {"Content-Type": kind, "User-Agent": "Stonepost", "Idempotency-Key": sha256(key.encode()).hexdigest()}
    if parts.username and program == "mastodon":
        headers["Authorization"] = f"Bearer {unquote(parts.username)}"
    elif parts.username:
        given = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(given.encode()).decode()}"
    path = parts.path or ("/api/v1/statuses" if program == "mastodon" else "/")
    target = f"{path}?{parts.query}" if parts.query else path
    return Request(parts.hostname or "", parts.port or 443, target, headers, body)


def _json(**fields: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(fields).encode()


def _discord(text: str) -> tuple[str, bytes]:
    return _json(content=text, allowed_mentions={"parse": []})


def _slack(text: str) -> tuple[str, bytes]:
    return _json(text=text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _chat(text: str) -> tuple[str, bytes]:
    """Mattermost, and Matrix by way of its bridge for hooks."""
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
