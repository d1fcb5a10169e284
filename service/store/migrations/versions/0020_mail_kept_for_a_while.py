"""The text of mail is only kept for a while, and an index of letters that were given up"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

GIVEN_UP = sa.text("sent IS NULL AND due IS NULL AND error <> ''")
KEPT = sa.text("kept")


def upgrade() -> None:
    op.add_column("incoming_mail", sa.Column("kept", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_index("incoming_mail_kept", "incoming_mail", ["received"], sqlite_where=KEPT, postgresql_where=KEPT)
    op.create_index("letter_given_up", "letter", ["id"], sqlite_where=GIVEN_UP, postgresql_where=GIVEN_UP)


def downgrade() -> None:
    op.drop_index("letter_given_up", "letter")
    op.drop_index("incoming_mail_kept", "incoming_mail")
    op.drop_column("incoming_mail", "kept")
