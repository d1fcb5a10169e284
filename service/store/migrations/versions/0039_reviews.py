"""What the computer thinks of matches, for their players"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("leased", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    unfinished = sa.text("finished IS NULL")
    op.create_index("review_unfinished", "review", ["leased"], sqlite_where=unfinished, postgresql_where=unfinished)
    op.create_table(
        "reviewed_move",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("shares", sa.JSON(), nullable=False),
        sa.Column("best", sa.Text(), nullable=False),
        sa.Column("line", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["review.match_id"]),
        sa.PrimaryKeyConstraint("match_id", "ply"),
    )
    op.create_table(
        "review_reader",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["review.match_id"]),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"]),
        sa.PrimaryKeyConstraint("match_id", "submission_id"),
    )
    op.create_table(
        "estimate",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("dead", sa.Text(), server_default="", nullable=False),
        sa.Column("owners", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id", "round"),
    )


def downgrade() -> None:
    for table in ("estimate", "review_reader", "reviewed_move", "review"):
        op.drop_table(table)
