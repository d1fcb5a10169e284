"""Digests at chosen hours, and what was seen"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("digest_hours", sa.String(80), server_default="18", nullable=False))
    op.add_column("seat", sa.Column("seen", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("seat", "seen")
    op.drop_column("player", "digest_hours")
