"""Hooks and devices, and what they are owed"""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "door",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("form", sa.String(12), nullable=False),
        sa.Column("address", sa.String(1000), nullable=False),
        sa.Column("name", sa.String(80), nullable=False, server_default=""),
        sa.Column("seed", sa.String(32), nullable=False),
        sa.Column("rotation", sa.Integer, nullable=False, server_default="0"),
        sa.Column("former_until", sa.DateTime(timezone=True)),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("events", sa.String(60), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True)),
        sa.Column("rests", sa.DateTime(timezone=True), nullable=False),
        sa.Column("failing", sa.DateTime(timezone=True)),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("error", sa.String(200), nullable=False, server_default=""),
        sa.Column("off", sa.DateTime(timezone=True)),
    )
    op.create_index("door_of_player", "door", ["player_id", "address"], unique=True)
    op.create_table(
        "call",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(240), nullable=False, unique=True),
        sa.Column("door_id", sa.Integer, sa.ForeignKey("door.id", ondelete="CASCADE"), nullable=False),
        sa.Column("event", sa.String(12), nullable=False),
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id")),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True)),
        sa.Column("sent", sa.DateTime(timezone=True)),
        sa.Column("error", sa.Text, nullable=False, server_default=""),
    )
    waiting = sa.text("due IS NOT NULL")
    op.create_index("call_due", "call", ["due"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_index("call_waiting", "call", ["door_id", "id"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_index("call_by_age", "call", ["created"])


def downgrade() -> None:
    op.drop_table("call")
    op.drop_table("door")
