"""When each part of the service that reaches outside last worked, and since when it has failed"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "part",
        sa.Column("name", sa.String(10), primary_key=True),
        sa.Column("worked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("failing", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.String(200), nullable=False, server_default=""),
    )


def downgrade() -> None:
    op.drop_table("part")
