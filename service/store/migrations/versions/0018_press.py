"""What may be said at a table, and to several seats at a time"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("press", sa.String(length=20), nullable=False, server_default="private"))
    op.execute("ALTER TABLE saying ADD COLUMN player_id INTEGER REFERENCES player (id)")
    speaker = "SELECT player_id FROM seat WHERE seat.match_id = saying.match_id AND seat.number = saying.seat"
    op.execute(f"UPDATE saying SET player_id = ({speaker})")  # noqa: S608 (nothing in it comes from outside)
    op.execute('UPDATE saying SET "to" = 1 << "to" WHERE "to" IS NOT NULL')


def downgrade() -> None:
    # A message to several seats becomes one to the first of them: to fewer than it was meant for, never to more.
    first = " ".join(f'WHEN ("to" & {1 << seat}) <> 0 THEN {seat}' for seat in range(8))
    op.execute(f'UPDATE saying SET "to" = CASE {first} END WHERE "to" IS NOT NULL')  # noqa: S608 (as above)
    op.drop_column("saying", "player_id")
    op.drop_column("match", "press")
