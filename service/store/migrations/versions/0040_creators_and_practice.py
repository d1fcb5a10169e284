"""Who opened a match and with which address, which matches are practice, and boards turned match by match"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

GUESTS = """
UPDATE match SET practice = true WHERE EXISTS (
    SELECT 1 FROM seat JOIN player ON player.id = seat.player_id
    WHERE seat.match_id = match.id AND player.email IS NULL AND player.bot IS NULL AND player."left" IS NULL
)
"""


def upgrade() -> None:
    op.add_column("match", sa.Column("practice", sa.Boolean(), nullable=False, server_default=sa.false()))
    # In words that both databases know: SQLite would otherwise copy the table, which others refer to.
    op.execute("ALTER TABLE match ADD COLUMN creator_id INTEGER REFERENCES player (id)")
    op.execute(GUESTS)
    watched = sa.text("practice = false")
    op.create_index("match_watched", "match", ["id"], sqlite_where=watched, postgresql_where=watched)
    for table in ("seat", "teammate"):
        op.add_column(table, sa.Column("written", sa.String(254), nullable=False, server_default=""))
        op.add_column(table, sa.Column("turned", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_column("player", "turned")
    op.drop_column("player", "turned_first")


def downgrade() -> None:
    for column in ("turned", "turned_first"):
        op.add_column("player", sa.Column(column, sa.Boolean(), nullable=False, server_default=sa.false()))
    for table in ("seat", "teammate"):
        op.drop_column(table, "turned")
        op.drop_column(table, "written")
    op.drop_index("match_watched", "match")
    op.drop_column("match", "creator_id")
    op.drop_column("match", "practice")
