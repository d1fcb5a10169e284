"""Clocks, time off, and the pulse of the sweep"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "time_off",
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("begins", MOMENT, nullable=False),
        sa.Column("ends", MOMENT, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("time_off_by_end", "time_off", ["ends"])
    op.create_index("time_off_by_player", "time_off", ["player_id", "begins"])
    # Matches that began before there were clocks continue without one.
    op.add_column("match", sa.Column("clock", sa.String(length=120), server_default="none", nullable=False))
    op.add_column("player", sa.Column("zone", sa.String(length=60), server_default="", nullable=False))
    op.add_column("player", sa.Column("vacation", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("seat", sa.Column("budget", sa.JSON(), nullable=True))
    for name in ("since", "deadline", "remind"):
        op.add_column("seat", sa.Column(name, MOMENT, nullable=True))
    op.add_column("seat", sa.Column("missed", sa.Integer(), server_default="0", nullable=False))
    op.create_index("seat_by_deadline", "seat", ["deadline"])
    op.create_index("seat_by_reminder", "seat", ["remind"])


def downgrade() -> None:
    op.drop_index("seat_by_reminder", "seat")
    op.drop_index("seat_by_deadline", "seat")
    for name in ("missed", "remind", "deadline", "since", "budget"):
        op.drop_column("seat", name)
    op.drop_column("player", "vacation")
    op.drop_column("player", "zone")
    op.drop_column("match", "clock")
    op.drop_table("time_off")
    op.drop_table("pulse")
