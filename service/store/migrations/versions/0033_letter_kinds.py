"""A kind of its own for each letter: offers and saved orders no longer share one, and contents are what the kind has"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

BATCH = 500
"""Letters rewritten at a time."""

LETTER = sa.table("letter", sa.column("id", sa.Integer), sa.column("kind", sa.String), sa.column("data", sa.JSON))
SUBMISSION = sa.table("submission", sa.column("id", sa.Integer), sa.column("text", sa.Text))

OFFERS = {
    f"{what} {step}": f"{what}_{step}"
    for what in ("draw", "takeback", "pause", "resume")
    for step in ("offered", "agreed", "declined")
    if (what, step) != ("draw", "agreed")
}
SAVED = {"choice_saved": "noted", "not_ready": "noted", "private_saved": "noted"}
AHEAD = {"conditional_saved": "ahead", "standing_saved": "ahead"}
OWN_SEAT = ("seat", "taken", "released", "left")
"""Kinds whose `by` was always the seat itself."""

RENAMED = {"undone": ("name", "order"), "rematch": ("name", "title")}

SEEN = "ply seat outside"
ANSWERED = "submission outside unheard"
FIELDS = {
    **dict.fromkeys(("begun", "result", "taken", "released", "left"), SEEN),
    **dict.fromkeys(("reminder",), f"{SEEN} deadline"),
    **dict.fromkeys(("declined",), f"{SEEN} by name text"),
    **dict.fromkeys(("substitute", "fewer"), f"{SEEN} by name"),
    **dict.fromkeys(("late", "sought", "bounces"), f"{SEEN} deadline by who mate"),
    **dict.fromkeys(OFFERS.values(), f"{SEEN} by text"),
    **dict.fromkeys(("takeback_offered", "takeback_agreed"), f"{SEEN} by text taken"),
    **dict.fromkeys(("pause_offered", "pause_agreed"), f"{SEEN} by text until"),
    **dict.fromkeys((*SAVED, *AHEAD, "unheard"), ANSWERED),
    "turn": f"{SEEN} deadline dropped",
    "invitation": f"{SEEN} inviter rematch",
    "said": f"{SEEN} by text name chosen",
    "extended": f"{SEEN} deadline by",
    "seat": f"{SEEN} name",
    "refusal": f"{ANSWERED} again waits sentence",
    "receipt": f"{ANSWERED} event",
    "undone": f"{ANSWERED} order",
    "rematch": f"{ANSWERED} by title",
    "sign_in": "nonce expires guest",
    "account": "event name address change due",
    "answer": "mail lines resigns asks match round seat",
    "confirm": "mail",
    "unknown_sender": "mail",
    "digest": "rows held",
    "limit": "most own hours",
}
"""What the contents of each kind may have from now on. Anything else was never read."""

FLAGS = ("outside", "mate", "again", "waits", "sentence", "resigns", "own")


def upgrade() -> None:
    connection = op.get_bind()
    for rows in _batches(connection):
        texts = _texts(connection, [data.get("submission", 0) for _, kind, data in rows if kind in ("noted", "ahead")])
        _write(connection, [(number, kind, data, *_new(kind, data, texts)) for number, kind, data in rows])


def downgrade() -> None:
    connection = op.get_bind()
    for rows in _batches(connection):
        _write(connection, [(number, kind, data, *_old(kind, data)) for number, kind, data in rows])


def _batches(connection: sa.Connection) -> Iterator[list[tuple[int, str, dict[str, Any]]]]:
    last = 0
    while True:
        some = sa.select(LETTER.c.id, LETTER.c.kind, LETTER.c.data).where(LETTER.c.id > last)
        rows = [(row[0], row[1], row[2]) for row in connection.execute(some.order_by(LETTER.c.id).limit(BATCH))]
        if not rows:
            return
        yield rows
        last = rows[-1][0]


def _texts(connection: sa.Connection, numbers: list[int]) -> dict[int, str]:
    """The texts of these orders."""
    found = sa.select(SUBMISSION.c.id, SUBMISSION.c.text).where(SUBMISSION.c.id.in_(numbers))
    return {row[0]: row[1] for row in connection.execute(found)} if numbers else {}


def _write(connection: sa.Connection, letters: list[tuple[int, str, dict[str, Any], str, dict[str, Any]]]) -> None:
    changed = [
        {"number": number, "new_kind": kind, "new_data": data}
        for number, old_kind, old, kind, data in letters
        if (old_kind, old) != (kind, data) or any(type(old[name]) is not type(data[name]) for name in data)
    ]
    if changed:
        new = {"kind": sa.bindparam("new_kind"), "data": sa.bindparam("new_data", type_=sa.JSON)}
        connection.execute(sa.update(LETTER).where(LETTER.c.id == sa.bindparam("number")).values(new), changed)


def _new(kind: str, data: dict[str, Any], texts: dict[int, str]) -> tuple[str, dict[str, Any]]:
    """Kind and contents of an old letter from now on. A kind that is unknown here stays as it is."""
    text = texts.get(data.get("submission", 0), "")
    if kind == "agreement":
        kind = OFFERS.get(data.get("event", ""), kind)
    elif kind == "noted":
        waits = text.strip(" .").lower() == "wait"
        kind = "private_saved" if data.get("event") == "kept" else "not_ready" if waits else "choice_saved"
    elif kind == "ahead":
        kind = "standing_saved" if text.lower().startswith("standing") else "conditional_saved"
    if kind not in FIELDS:
        return kind, data
    old_name, new_name = RENAMED.get(kind, ("", ""))
    known = FIELDS[kind].split()
    data = {new_name if name == old_name else name: value for name, value in data.items()}
    data = {name: bool(value) if name in FLAGS else value for name, value in data.items() if name in known}
    if "ply" in known:
        data.setdefault("ply", 0)
    if kind == "digest":
        data["rows"] = [[*row, *[""] * (4 - len(row))] for row in data.get("rows", ())]
    return kind, data


def _old(kind: str, data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Kind and contents of a letter as they were before."""
    events = {new: old for old, new in OFFERS.items()}
    if kind in events:
        return "agreement", {**data, "event": events[kind]}
    if kind in OWN_SEAT:
        return kind, {**data, "by": data.get("seat", 0)}
    old_name, new_name = RENAMED.get(kind, ("", ""))
    data = {old_name if name == new_name else name: value for name, value in data.items()}
    kept = {"event": "kept"} if kind == "private_saved" else {}
    return (SAVED | AHEAD).get(kind, kind), {**data, **kept}
