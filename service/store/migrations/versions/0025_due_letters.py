"""The index of due letters has only letters that are due, and none that were unwanted or given up"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

UNSENT, DUE = sa.text("sent IS NULL"), sa.text("sent IS NULL AND due IS NOT NULL")


def upgrade() -> None:
    op.drop_index("letter_due", "letter")
    op.create_index("letter_due", "letter", ["due"], sqlite_where=DUE, postgresql_where=DUE)


def downgrade() -> None:
    op.drop_index("letter_due", "letter")
    op.create_index("letter_due", "letter", ["due"], sqlite_where=UNSENT, postgresql_where=UNSENT)
