"""SQLite gives no change of address the number of an earlier one that was deleted: links and letters name it"""

from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


LATEST = """
INSERT INTO sqlite_sequence (name, seq)
SELECT 'address_change', max(coalesce(max(id), 0), (SELECT coalesce(max(id), 0) FROM address_change)) FROM letter
"""
"""Each change had two letters, so earlier numbers were lower than the latest letter's, even if their rows are gone."""


def upgrade() -> None:
    _copy(autoincrement=True)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DELETE FROM sqlite_sequence WHERE name = 'address_change'")
        op.execute(LATEST)


def downgrade() -> None:
    _copy(autoincrement=False)


def _copy(autoincrement: bool) -> None:
    if op.get_bind().dialect.name == "sqlite":
        given = {"sqlite_autoincrement": autoincrement}
        with op.batch_alter_table("address_change", recreate="always", table_kwargs=given):
            """Nothing else changes, and no other table refers to this one."""
