"""Offers between players, and entries that are taken back"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "offer",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consents", sa.JSON(), nullable=False),
        sa.Column("declined", sa.Boolean(), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id", "kind"),
    )
    op.add_column("match", sa.Column("paused", sa.DateTime(timezone=True), nullable=True))
    op.add_column("entry", sa.Column("back", sa.Integer(), nullable=True))
    op.add_column("entry", sa.Column("clock", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("entry", "clock")
    op.drop_column("entry", "back")
    op.drop_column("match", "paused")
    op.drop_table("offer")
