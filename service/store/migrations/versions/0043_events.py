"""Events, who takes part in them, and their matches"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

TO_START = sa.text("match_id IS NULL AND void = false")
UNNOTED = sa.text("noted = false")
ASKED = sa.text("asked IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False, unique=True),
        sa.Column("key", sa.String(200), unique=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("clock", sa.String(120), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("lowest", sa.Integer),
        sa.Column("highest", sa.Integer),
        sa.Column("founder_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("began", sa.DateTime(timezone=True)),
        sa.Column("over", sa.DateTime(timezone=True)),
    )
    op.create_index("event_by_state", "event", ["state", "id"])
    op.create_table(
        "event_entrant",
        sa.Column("event_id", sa.Integer, sa.ForeignKey("event.id"), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("joined", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True)),
    )
    op.create_index("event_entrant_by_player", "event_entrant", ["player_id"])
    op.create_index("event_entrant_asked", "event_entrant", ["asked"], sqlite_where=ASKED, postgresql_where=ASKED)
    op.create_table(
        "event_match",
        sa.Column("event_id", sa.Integer, sa.ForeignKey("event.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), unique=True),
        sa.Column("void", sa.Boolean, nullable=False),
        sa.Column("noted", sa.Boolean, nullable=False),
    )
    op.create_index(
        "event_match_to_start",
        "event_match",
        ["event_id", "number"],
        sqlite_where=TO_START,
        postgresql_where=TO_START,
    )
    op.create_index("event_match_unnoted", "event_match", ["match_id"], sqlite_where=UNNOTED, postgresql_where=UNNOTED)
    op.create_table(
        "event_seat",
        sa.Column("event_id", sa.Integer, sa.ForeignKey("event.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("share", sa.String(20)),
        sa.Column("late", sa.Boolean, nullable=False),
    )
    op.create_index("event_seat_by_player", "event_seat", ["player_id", "late"])


def downgrade() -> None:
    for table in ("event_seat", "event_match", "event_entrant", "event"):
        op.drop_table(table)
