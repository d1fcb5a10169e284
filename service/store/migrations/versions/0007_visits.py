"""Visits, and how a player likes pages and orders"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "visit",
        sa.Column("key", sa.String(length=43), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(length=200), nullable=False),
        sa.Column("began", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("visit_by_player", "visit", ["player_id"])
    op.add_column("player", sa.Column("look", sa.String(length=5), server_default="auto", nullable=False))
    op.add_column("player", sa.Column("at_once", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("player", "at_once")
    op.drop_column("player", "look")
    op.drop_index("visit_by_player", "visit")
    op.drop_table("visit")
