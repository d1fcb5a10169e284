"""Whether others are shown that a player's mail bounces, apart from whether it does"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("bounces_known", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE player SET bounces_known = true WHERE bounced IS NOT NULL")


def downgrade() -> None:
    op.drop_column("player", "bounces_known")
