"""Which order a letter follows from"""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("letter", sa.Column("trail", sa.String(30), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("letter", "trail")
