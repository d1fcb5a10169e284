"""The dead stones that the computer has yet to find, which every sweep looks for"""

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None


def upgrade() -> None:
    where = sa.text("dead = ''")
    op.create_index("estimate_uncounted", "estimate", ["match_id"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("estimate_uncounted", "estimate")
