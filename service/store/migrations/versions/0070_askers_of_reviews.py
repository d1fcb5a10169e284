"""Who asked for a review that isn't finished, so that nobody asks for many at a time"""

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

UNFINISHED = sa.text("finished IS NULL")


def upgrade() -> None:
    # In words that both databases know: SQLite would otherwise copy the table, which others refer to.
    op.execute("ALTER TABLE review ADD COLUMN asker_id INTEGER REFERENCES player (id)")
    op.create_index("review_by_asker", "review", ["asker_id"], sqlite_where=UNFINISHED, postgresql_where=UNFINISHED)


def downgrade() -> None:
    op.drop_index("review_by_asker", "review")
    op.drop_column("review", "asker_id")
