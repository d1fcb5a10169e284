"""Addresses change once both sides agree, and accounts are deleted after some days"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DUE, LEAVING = sa.text("due IS NOT NULL"), sa.text("leaves IS NOT NULL")


def upgrade() -> None:
    op.add_column("address_change", sa.Column("proven", sa.Boolean(), nullable=False, server_default=sa.false()))
    for name in ("confirmed", "approved", "due"):
        op.add_column("address_change", sa.Column(name, MOMENT, nullable=True))
    op.create_index("address_change_due", "address_change", ["due"], sqlite_where=DUE, postgresql_where=DUE)
    op.add_column("player", sa.Column("leaves", MOMENT, nullable=True))
    op.create_index("player_leaving", "player", ["leaves"], sqlite_where=LEAVING, postgresql_where=LEAVING)


def downgrade() -> None:
    op.drop_index("player_leaving", "player")
    op.drop_column("player", "leaves")
    op.drop_index("address_change_due", "address_change")
    for name in ("due", "approved", "confirmed", "proven"):
        op.drop_column("address_change", name)
