"""Imported records"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # In words that both databases know: SQLite would otherwise copy the table, which others refer to.
    op.execute("ALTER TABLE match ADD COLUMN importer_id INTEGER REFERENCES player (id)")
    op.add_column("seat", sa.Column("name", sa.String(length=60), server_default="", nullable=False))
    with op.batch_alter_table("entry") as entry:
        entry.alter_column("submission_id", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM entry WHERE submission_id IS NULL")
    with op.batch_alter_table("entry") as entry:
        entry.alter_column("submission_id", existing_type=sa.Integer(), nullable=False)
    op.drop_column("seat", "name")
    op.drop_column("match", "importer_id")
