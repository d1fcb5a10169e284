"""Board themes, sets of stones, and sound"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("boards", sa.String(length=8), server_default="classic", nullable=False))
    op.add_column("player", sa.Column("stones", sa.String(length=8), server_default="classic", nullable=False))
    op.add_column("player", sa.Column("sound", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    for column in ("sound", "stones", "boards"):
        op.drop_column("player", column)
