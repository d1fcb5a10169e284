"""Wishes: who looks for opponents at which games, the matches that began, and who has met"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "wish",
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("shortest", sa.Integer, nullable=False),
        sa.Column("longest", sa.Integer, nullable=False),
        sa.Column("most", sa.Integer, nullable=False),
        sa.Column("lowest", sa.Integer),
        sa.Column("highest", sa.Integer),
        sa.Column("bots", sa.Boolean, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rests", sa.Boolean, nullable=False),
    )
    op.create_table(
        "wish_game",
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
    )
    op.create_index("wish_game_by_player", "wish_game", ["player_id"])
    op.create_table(
        "wish_match",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
    )
    op.create_index("wish_match_by_player", "wish_match", ["player_id", "match_id"])
    op.create_table(
        "met",
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("other_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
    )
    op.create_index("met_by_other", "met", ["other_id"])


def downgrade() -> None:
    for table in ("met", "wish_match", "wish_game", "wish"):
        op.drop_table(table)
