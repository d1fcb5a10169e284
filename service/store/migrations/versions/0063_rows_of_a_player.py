"""Indexes by which a player's own rows are found among those of millions of matches"""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None

IMPORTED = sa.text("importer_id IS NOT NULL")


def upgrade() -> None:
    op.create_index("match_by_creator", "match", ["creator_id"])
    op.create_index("match_imported", "match", ["importer_id"], sqlite_where=IMPORTED, postgresql_where=IMPORTED)
    op.create_index("submission_by_player", "submission", ["player_id"])


def downgrade() -> None:
    op.drop_index("submission_by_player", "submission")
    op.drop_index("match_imported", "match")
    op.drop_index("match_by_creator", "match")
