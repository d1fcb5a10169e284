"""Finds new events quickly"""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("event_by_made", "event", ["made"])


def downgrade() -> None:
    op.drop_index("event_by_made", "event")
