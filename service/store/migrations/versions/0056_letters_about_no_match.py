"""An index by which old letters about no match are deleted"""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

ALONE = sa.text("match_id IS NULL")


def upgrade() -> None:
    op.create_index("letter_alone", "letter", ["created"], sqlite_where=ALONE, postgresql_where=ALONE)


def downgrade() -> None:
    op.drop_index("letter_alone", "letter")
