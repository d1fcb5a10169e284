"""Events with seasons and parts, and places on ladders"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

DUE = sa.text("begins IS NOT NULL")

WHEN_DRAWN = """
    UPDATE event_match
    SET drawn = (SELECT coalesce(event.began, event.made) FROM event WHERE event.id = event_match.event_id)
"""


def upgrade() -> None:
    _add("event", "kind", sa.String(10), "cup")
    for table in ("event", "event_match"):
        _add(table, "season", sa.Integer, "1")
        _add(table, "part", sa.Integer, "1")
    op.add_column("event", sa.Column("begins", sa.DateTime(timezone=True)))
    op.create_index("event_due", "event", ["begins"], sqlite_where=DUE, postgresql_where=DUE)
    op.add_column("event_entrant", sa.Column("place", sa.Integer))
    op.add_column("event_seat", sa.Column("place", sa.Integer))
    _add("event_match", "drawn", sa.DateTime(timezone=True), "2026-11-22 00:00:00")
    op.add_column("event_match", sa.Column("challenger", sa.Integer))
    op.execute(WHEN_DRAWN)


def _add(table: str, name: str, kind: Any, default: str) -> None:
    op.add_column(table, sa.Column(name, kind, nullable=False, server_default=default))


def downgrade() -> None:
    op.drop_index("event_due", "event")
    for table, columns in {
        "event_match": ("challenger", "drawn", "part", "season"),
        "event_seat": ("place",),
        "event_entrant": ("place",),
        "event": ("begins", "part", "season", "kind"),
    }.items():
        for column in columns:
            op.drop_column(table, column)
