"""The logs of matches that ended long ago, each packed into the row of its match"""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

INDEXES = (
    ("match_to_pack", "match", ["state", "moved"], "state = 'over' AND log IS NULL"),
    ("submission_of_match", "submission", ["match_id"], "verdict IS NOT NULL"),
    ("letter_about", "letter", ["match_id", "player_id", "id"], "match_id IS NOT NULL"),
    ("letter_alone_of", "letter", ["player_id", "id"], "match_id IS NULL"),
)


def upgrade() -> None:
    op.add_column("match", sa.Column("log", sa.LargeBinary))
    op.create_index("review_reader_by_order", "review_reader", ["submission_id"])
    op.drop_index("letter_about", "letter")
    for name, table, columns, condition in INDEXES:
        where = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    packed = op.get_bind().execute(sa.text("SELECT count(*) FROM match WHERE log IS NOT NULL")).scalar()
    if packed:
        raise RuntimeError(f"{packed} matches are packed: older versions can't read them. Restore a backup instead.")
    for name, table, *_ in INDEXES:
        op.drop_index(name, table)
    op.create_index("letter_about", "letter", ["player_id", "match_id", "id"])
    op.drop_index("review_reader_by_order", "review_reader")
    op.drop_column("match", "log")
