"""How a player sees boards, forms that open one match each, and invitations by who is invited"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

UNANSWERED = sa.text("accepted = false")


def upgrade() -> None:
    for name, default in (("turned", sa.false()), ("turned_first", sa.false()), ("coordinates", sa.true())):
        op.add_column("player", sa.Column(name, sa.Boolean(), server_default=default, nullable=False))
    op.add_column("match", sa.Column("key", sa.String(length=200), nullable=True))
    op.create_index("match_by_key", "match", ["key"], unique=True)
    op.create_index("seat_unanswered", "seat", ["player_id"], sqlite_where=UNANSWERED, postgresql_where=UNANSWERED)


def downgrade() -> None:
    op.drop_index("seat_unanswered", "seat")
    op.drop_index("match_by_key", "match")
    op.drop_column("match", "key")
    for name in ("coordinates", "turned_first", "turned"):
        op.drop_column("player", name)
