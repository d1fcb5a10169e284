"""Seats that change hands"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("substitutes", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seat", sa.Column("sought", sa.Integer(), nullable=True))
    op.add_column("seat", sa.Column("taken", sa.DateTime(timezone=True), nullable=True))
    some = sa.text("sought IS NOT NULL")
    op.create_index("seat_sought", "seat", ["sought"], sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    op.drop_index("seat_sought", "seat")
    op.drop_column("seat", "taken")
    op.drop_column("seat", "sought")
    op.drop_column("match", "substitutes")
