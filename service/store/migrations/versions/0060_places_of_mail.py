"""Where the text of an incoming mail is, if not in the database"""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

INDEXES = (
    ("incoming_mail_unmoved", "received", "kept AND place = ''"),
    ("incoming_mail_gone", "id", "NOT kept AND place <> ''"),
)


def upgrade() -> None:
    op.add_column("incoming_mail", sa.Column("place", sa.String(40), nullable=False, server_default=""))
    for name, column, condition in INDEXES:
        where = sa.text(condition)
        op.create_index(name, "incoming_mail", [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    for name, *_ in INDEXES:
        op.drop_index(name, "incoming_mail")
    op.drop_column("incoming_mail", "place")
