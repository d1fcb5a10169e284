"""Indexes for finding old rows"""

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("visit_by_time", "visit", ["seen"])
    op.create_index("used_link_by_time", "used_link", ["used"])
    for name, table, column, condition in (
        ("address_change_unmade", "address_change", "asked", "made IS NULL"),
        ("report_closed", "report", "closed", "closed IS NOT NULL"),
    ):
        where = sa.text(condition)
        op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("report_closed", "report")
    op.drop_index("address_change_unmade", "address_change")
    op.drop_index("used_link_by_time", "used_link")
    op.drop_index("visit_by_time", "visit")
