"""A ban outlasts the account: it applies to anybody who comes back with its address"""

import sqlalchemy as sa
from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ban", sa.Column("address", sa.String(64)))
    op.create_index("ban_of_address", "ban", ["address"])


def downgrade() -> None:
    op.drop_index("ban_of_address", "ban")
    op.drop_column("ban", "address")
