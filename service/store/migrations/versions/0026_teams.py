"""Seats that several players share"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("teams", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seat", sa.Column("place", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "teammate",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match_id", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), nullable=True),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("post", sa.String(10), nullable=False, server_default=""),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=True),
        sa.Column("standing", sa.Text(), nullable=False, server_default=""),
        sa.Column("missed", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("sought", sa.Integer(), nullable=True),
        sa.Column("taken", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("teammate_of_match", "teammate", ["match_id", "number"])
    op.create_index("teammate_by_player", "teammate", ["player_id", "match_id"])
    for name, column, condition in (
        ("teammate_sought", "sought", "sought IS NOT NULL"),
        ("teammate_open", "match_id", "player_id IS NULL"),
        ("teammate_unanswered", "player_id", "accepted = false"),
    ):
        some = sa.text(condition)
        op.create_index(name, "teammate", [column], sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    op.drop_table("teammate")
    op.drop_column("seat", "place")
    op.drop_column("match", "teams")
