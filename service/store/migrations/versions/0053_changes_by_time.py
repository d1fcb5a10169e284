"""Indexes of what has happened lately, for programs that wait for it"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("match_by_time", "match", ["moved"])
    op.create_index("saying_by_time", "saying", ["said"])


def downgrade() -> None:
    op.drop_index("saying_by_time", "saying")
    op.drop_index("match_by_time", "match")
