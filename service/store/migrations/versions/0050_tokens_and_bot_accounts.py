"""Tokens of programs, and bot accounts that players own"""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("scopes", sa.String(60), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True)),
        sa.Column("used", sa.DateTime(timezone=True)),
        sa.Column("revoked", sa.DateTime(timezone=True)),
    )
    op.create_index("token_by_player", "token", ["player_id", "made"])
    # In words that both databases know: SQLite would otherwise copy the table, which others refer to.
    op.execute("ALTER TABLE player ADD COLUMN owner_id INTEGER REFERENCES player (id)")
    owned = sa.text("owner_id IS NOT NULL")
    op.create_index("player_by_owner", "player", ["owner_id"], sqlite_where=owned, postgresql_where=owned)


def downgrade() -> None:
    op.drop_index("player_by_owner", "player")
    op.drop_column("player", "owner_id")
    op.drop_table("token")
