"""Gives Schemathesis numbers, orders and names of the site it explores, so that its requests often make sense there.

Schemathesis loads this file because of the variable SCHEMATHESIS_HOOKS.
"""

from __future__ import annotations

from typing import Any

import schemathesis

ROWS = 9
"""Most numbers up to this are ids of matches, players and events on the site."""

LARGEST, LARGEST_PLY = 2**31, 1_000_000

TEXTS = {
    "/orders": ("e9", "e10", "pass", "resign", "takeback", "accept", "rematch", "if e9 then e10", "undo", "draw"),
    "/preview": ("e9", "", "pass", "dead e5"),
    "/variations": ("e9", "e10", "pass", ""),
    "/messages": ("Hello",),
    "/comments": ("Well played",),
}
SHORT = 30
"""Longer texts and larger numbers stay as they are: some are invalid on purpose."""

KEYS = ("order", "nothing")
GAMES = ("rosette", "go", "lotus", "chess")
SUFFIXES = ("txt", "json", "sgf", "exe")
NEW = ("lotus vs open", "rosette base=5 vs bot", "go size=9 vs bruno@example.org", "chess vs open")
WISHES = ("lotus, go 1d-7d up to 3", "chess")
RECORDS = ("# stonepost replay go --set size=9\ne5\n", "nonsense")


def _of(values: tuple[str, ...], given: object) -> str:
    return values[len(str(given)) % len(values)]


@schemathesis.hook
def map_path_parameters(_context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Three of four numbers become the id of something that exists."""
    known = {"key": KEYS, "game": GAMES, "suffix": SUFFIXES}
    for name, value in (path_parameters or {}).items():
        if isinstance(value, int) and 0 <= value < LARGEST and value % 4 and path_parameters is not None:
            path_parameters[name] = 1 + value % ROWS
        elif name in known and len(str(value)) % 3 and path_parameters is not None:
            path_parameters[name] = _of(known[name], value)
    return path_parameters


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    """Two of three texts become something that can be understood; invalid values stay as they are."""
    if not isinstance(body, dict):
        return body
    path = context.operation.path
    texts = {"new": NEW, "wish": WISHES, "record": RECORDS, "game": GAMES}
    texts |= {"text": next((known for end, known in TEXTS.items() if end in path), ())}
    for name, known in texts.items():
        given = body.get(name)
        if known and isinstance(given, str) and 0 < len(given) <= SHORT and len(given) % 3:
            body[name] = _of(known, given)
    if isinstance(body.get("ply"), int) and body["ply"] % 4 and 0 < body["ply"] < LARGEST_PLY:
        body["ply"] %= 3
    return body
