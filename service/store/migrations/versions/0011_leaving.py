"""When a player deleted their account"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("left", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("player", "left")
