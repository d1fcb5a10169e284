"""PostgreSQL's pages keep a tenth free for the new versions of rows that each move changes"""

from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

CHANGED = ("match", "seat", "submission", "letter")


def upgrade() -> None:
    # On full pages, a new row or version goes to any old page that has a few bytes left, which has to be read first.
    if op.get_bind().dialect.name == "postgresql":
        for table in CHANGED:
            op.execute(f"ALTER TABLE {table} SET (fillfactor = 90)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table in CHANGED:
            op.execute(f"ALTER TABLE {table} RESET (fillfactor)")
