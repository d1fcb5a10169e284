"""Email settings for each match, a limit for a day, and letters left to a digest"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

DIGEST = sa.text("post = 'digest'")
HELD = sa.text("held")


def upgrade() -> None:
    op.add_column("player", sa.Column("most", sa.Integer(), nullable=True))
    op.add_column("seat", sa.Column("post", sa.String(10), server_default="", nullable=False))
    seat = sa.table("seat", sa.column("muted", sa.Boolean), sa.column("post", sa.String))
    op.execute(seat.update().where(seat.c.muted).values(post="mute"))
    op.drop_column("seat", "muted")
    op.add_column("letter", sa.Column("held", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index("player_by_digest", "player", ["id"], sqlite_where=DIGEST, postgresql_where=DIGEST)
    op.create_index("seat_by_digest", "seat", ["player_id"], sqlite_where=DIGEST, postgresql_where=DIGEST)
    op.create_index("letter_held", "letter", ["player_id"], sqlite_where=HELD, postgresql_where=HELD)


def downgrade() -> None:
    op.drop_index("letter_held", "letter")
    op.drop_index("seat_by_digest", "seat")
    op.drop_index("player_by_digest", "player")
    op.drop_column("letter", "held")
    op.add_column("seat", sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False))
    seat = sa.table("seat", sa.column("muted", sa.Boolean), sa.column("post", sa.String))
    op.execute(seat.update().where(seat.c.post.in_(("mute", "off"))).values(muted=True))
    op.drop_column("seat", "post")
    op.drop_column("player", "most")
