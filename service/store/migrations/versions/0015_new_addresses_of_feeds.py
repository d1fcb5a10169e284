"""Addresses of feeds that can be replaced"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("feeds", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("player", "feeds")
