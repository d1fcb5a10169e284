"""Ratings: of players, of each rated match, and what seats are worth"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

SETTLED = sa.text("deviation <= 110")


def upgrade() -> None:
    op.add_column("match", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "player_rating",
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("volatility", sa.Float, nullable=False),
        sa.Column("floor", sa.Float, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True)),
        sa.Column("absent", sa.JSON),
    )
    op.create_index(
        "player_rating_leaders",
        "player_rating",
        ["game", "floor", "player_id"],
        sqlite_where=SETTLED,
        postgresql_where=SETTLED,
    )
    op.create_table(
        "rated_seat",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("share", sa.String(20), nullable=False),
        sa.Column("absence", sa.String(40)),
        sa.Column("bot", sa.Boolean, nullable=False),
        sa.Column("fixed", sa.Boolean, nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rating_before", sa.Float, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
    )
    op.create_index("rated_seat_by_player", "rated_seat", ["player_id", "ended"])
    op.create_index("rated_seat_by_end", "rated_seat", ["ended", "match_id"])
    op.create_table(
        "seat_advantage",
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("setting", sa.String(400), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("points", sa.Float, nullable=False),
        sa.Column("information", sa.Float, nullable=False),
    )


def downgrade() -> None:
    for table in ("seat_advantage", "rated_seat", "player_rating"):
        op.drop_table(table)
    op.drop_column("match", "rated")
