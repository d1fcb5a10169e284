"""Go columns without i: what is stored under the old names of points gets the new ones"""

import re
from collections.abc import Callable, Iterator, Sequence

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

GAMES = ("go", "multigo", "multigo-coop", "multigo-parallel", "multigo-parallel-coop")
WITH_I, WITHOUT_I = "abcdefghijklmnopqrstuvwxy", "abcdefghjklmnopqrstuvwxyz"
BATCH = 500
"""Matches renamed at a time."""

POINT = re.compile(r"(?<![^\W_])([a-z])(?=[\s-]?0*[1-9]\d?(?![^\W_]))", re.IGNORECASE)
"""The column letter of a point, in a move, a setup or an order as a person typed it."""

TEXTS = (
    ("entry", ("match_id", "ply"), "move", None),
    ("variation", ("id",), "move", None),
    ("seat", ("match_id", "number"), "ahead", None),
    ("seat", ("match_id", "number"), "standing", None),
    ("teammate", ("id",), "standing", None),
    ("submission", ("id",), "text", "verdict IS NULL"),
)
"""Table, key, column with points in it, and which rows: an order that is judged stays as it was typed."""


def upgrade() -> None:
    _rename_all(WITH_I, WITHOUT_I)


def downgrade() -> None:
    _rename_all(WITHOUT_I, WITH_I)


def _rename_all(old: str, new: str) -> None:
    letters = dict(zip(old, new, strict=True))

    def renamed(text: str) -> str:
        return POINT.sub(lambda found: _like(found[1], letters.get(found[1].lower(), found[1])), text)

    connection = op.get_bind()
    match = sa.table("match", sa.column("id", sa.Integer), sa.column("game", sa.String), sa.column("options", sa.JSON))
    for rows in _batches(connection, match):
        for match_id, options in rows:
            if options.get("setup"):
                changed = {**options, "setup": renamed(options["setup"])}
                connection.execute(sa.update(match).where(match.c.id == match_id).values(options=changed))
        for table, key, column, condition in TEXTS:
            _rename(connection, table, key, column, condition, [row[0] for row in rows], renamed)


def _like(example: str, letter: str) -> str:
    return letter.upper() if example.isupper() else letter


def _batches(connection: sa.Connection, match: sa.TableClause) -> Iterator[list[tuple[int, dict[str, str]]]]:
    last = 0
    while True:
        some = sa.select(match.c.id, match.c.options).where(match.c.game.in_(GAMES), match.c.id > last)
        rows = connection.execute(some.order_by(match.c.id).limit(BATCH)).all()
        if not rows:
            return
        yield [(row[0], row[1]) for row in rows]
        last = rows[-1][0]


def _rename(
    connection: sa.Connection,
    name: str,
    key: Sequence[str],
    column: str,
    condition: str | None,
    matches: Sequence[int],
    renamed: Callable[[str], str],
) -> None:
    table = sa.table(name, *map(sa.column, dict.fromkeys((*key, "match_id", column, "verdict"))))
    found = sa.select(*(table.c[each] for each in key), table.c[column]).where(table.c.match_id.in_(matches))
    if condition:
        found = found.where(sa.text(condition))
    changes = [
        {**{f"old_{each}": row._mapping[each] for each in key}, "fresh": renamed(row._mapping[column])}
        for row in connection.execute(found)
        if row._mapping[column] and renamed(row._mapping[column]) != row._mapping[column]
    ]
    if changes:
        same = (table.c[each] == sa.bindparam(f"old_{each}") for each in key)
        connection.execute(sa.update(table).where(*same).values({column: sa.bindparam("fresh")}), changes)
