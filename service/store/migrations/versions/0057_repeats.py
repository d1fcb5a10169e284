"""Why an order was refused, and what programs sent with which Idempotency-Key"""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("code", sa.String(20), nullable=False, server_default=""))
    op.create_table(
        "repeat",
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("said", sa.String(32), nullable=False),
        sa.Column("came", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("repeat_by_time", "repeat", ["came"])


def downgrade() -> None:
    op.drop_table("repeat")
    op.drop_column("submission", "code")
