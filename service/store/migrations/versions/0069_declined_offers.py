"""Declined offers are deleted: their letters show that they were made today"""

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM offer WHERE declined")
    op.drop_column("offer", "declined")


def downgrade() -> None:
    op.add_column("offer", sa.Column("declined", sa.Boolean(), nullable=False, server_default=sa.false()))
