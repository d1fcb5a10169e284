"""From which block of addresses a browser signed in, and an index by which old appearances are forgotten"""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("visit", sa.Column("network", sa.String(50), nullable=False, server_default=""))
    op.create_index("appearance_by_age", "appearance", ["at"])


def downgrade() -> None:
    op.drop_index("appearance_by_age", "appearance")
    op.drop_column("visit", "network")
