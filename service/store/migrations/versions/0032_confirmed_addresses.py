"""Which addresses were confirmed by their owners, and the networks their mail comes from"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
UNCONFIRMED = sa.text("email IS NOT NULL AND confirmed IS NULL")
ASKED = sa.text("kind = 'unknown_sender'")

PROVEN = (
    "visit",
    "password",
    "passkey",
    "submission",
    "saying",
    "address_change",
    "seat WHERE accepted",
    "teammate WHERE accepted",
    "incoming_mail WHERE verdict IN ('order', 'commands', 'obeyed')",
)
"""A player named there, or one who chose a name or a time zone, has signed in or written to us."""


def upgrade() -> None:
    op.add_column("player", sa.Column("confirmed", MOMENT, nullable=True))
    proven = " UNION ".join(f"SELECT player_id FROM {rows}" for rows in PROVEN)  # noqa: S608 (constants)
    proven += ' UNION SELECT importer_id FROM "match" WHERE importer_id IS NOT NULL'
    op.execute(
        "UPDATE player SET confirmed = created WHERE email IS NOT NULL "  # noqa: S608
        f"AND (name_key IS NOT NULL OR zone <> '' OR id IN ({proven}))"
    )
    op.create_index("player_unconfirmed", "player", ["created"], sqlite_where=UNCONFIRMED, postgresql_where=UNCONFIRMED)
    op.create_index("letter_to_unknown_sender", "letter", ["created"], sqlite_where=ASKED, postgresql_where=ASKED)
    op.add_column("incoming_mail", sa.Column("network", sa.String(50), nullable=False, server_default=""))
    op.create_table(
        "mail_network",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("network", sa.String(50), nullable=False),
        sa.Column("confirmed", MOMENT, nullable=False),
    )
    op.create_index("mail_network_once", "mail_network", ["player_id", "address", "network"], unique=True)


def downgrade() -> None:
    op.drop_index("mail_network_once", "mail_network")
    op.drop_table("mail_network")
    op.drop_column("incoming_mail", "network")
    op.drop_index("letter_to_unknown_sender", "letter")
    op.drop_index("player_unconfirmed", "player")
    op.drop_column("player", "confirmed")
