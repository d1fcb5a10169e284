"""Which process holds a letter's lease"""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("letter", sa.Column("holder", sa.String(60), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("letter", "holder")
