"""Notices: who wants to hear of players who look for opponents, and at which games"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice",
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rests", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("notice_by_time", "notice", ["game", "told"])
    op.create_index("notice_by_player", "notice", ["player_id"])


def downgrade() -> None:
    op.drop_table("notice")
