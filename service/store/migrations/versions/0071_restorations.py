"""When the database was restored from a backup, so that letters since then have names of their own"""

import sqlalchemy as sa
from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("restoration", sa.Column("at", sa.DateTime(timezone=True), primary_key=True))


def downgrade() -> None:
    op.drop_table("restoration")
