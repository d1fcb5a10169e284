"""Orders that can be withdrawn for a while"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("grace", sa.Integer(), server_default="0", nullable=False))
    op.add_column("submission", sa.Column("held", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("submission", "held")
    op.drop_column("player", "grace")
