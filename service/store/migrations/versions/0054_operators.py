"""What operators do: passkeys confirmed for them, their log, bans, announcements, and reports that are dealt with"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("passkey", sa.Column("operates", sa.DateTime(timezone=True)))
    op.add_column("visit", sa.Column("operating", sa.DateTime(timezone=True)))
    op.add_column("report", sa.Column("closed", sa.DateTime(timezone=True)))
    op.create_index("report_about", "report", ["other_id", "id"])
    unfinished = sa.text("closed IS NULL")
    op.create_index("report_open", "report", ["id"], sqlite_where=unfinished, postgresql_where=unfinished)
    op.create_table(
        "audit_line",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("operator_id", sa.Integer, sa.ForeignKey("player.id")),
        sa.Column("act", sa.String(30), nullable=False),
        sa.Column("about", sa.String(12), nullable=False),
        sa.Column("about_id", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_index("audit_line_about", "audit_line", ["about", "about_id", "id"])
    op.create_table(
        "ban",
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True)),
        sa.Column("reason", sa.String(400), nullable=False),
    )
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("text", sa.String(400), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("announcement")
    op.drop_table("ban")
    op.drop_table("audit_line")
    op.drop_index("report_open", "report")
    op.drop_index("report_about", "report")
    for table, column in (("report", "closed"), ("visit", "operating"), ("passkey", "operates")):
        with op.batch_alter_table(table) as changed:
            changed.drop_column(column)
