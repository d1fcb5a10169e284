"""The fate of an entry, and what is played for late players"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entry", sa.Column("fate", sa.String(length=10), server_default="", nullable=False))
    op.add_column("seat", sa.Column("standing", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("seat", "standing")
    op.drop_column("entry", "fate")
