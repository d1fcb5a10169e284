"""Orders ahead"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("ahead", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("seat", "ahead")
