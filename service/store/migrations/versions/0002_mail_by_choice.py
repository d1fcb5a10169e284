"""What players want emailed, emails that wait to be acted on, and addresses that bounce"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

UNREAD = sa.text("verdict = 'commands'")


def upgrade() -> None:
    op.add_column("player", sa.Column("post", sa.String(10), server_default="instant", nullable=False))
    op.add_column("player", sa.Column("bounced", sa.DateTime(timezone=True), nullable=True))
    op.add_column("seat", sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False))
    # In words that both databases know: SQLite would otherwise copy the table, which others refer to.
    op.execute("ALTER TABLE incoming_mail ADD COLUMN player_id INTEGER REFERENCES player (id)")
    op.create_index("incoming_mail_unread", "incoming_mail", ["id"], sqlite_where=UNREAD, postgresql_where=UNREAD)


def downgrade() -> None:
    op.drop_index("incoming_mail_unread", "incoming_mail")
    op.drop_column("incoming_mail", "player_id")
    op.drop_column("seat", "muted")
    op.drop_column("player", "bounced")
    op.drop_column("player", "post")
