"""Passwords, passkeys, and addresses being changed"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "password",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=300), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_table(
        "passkey",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("credential", sa.String(length=1400), nullable=False, unique=True),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("passkey_by_player", "passkey", ["player_id"])
    op.create_table(
        "address_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("old", sa.String(length=254), nullable=False),
        sa.Column("new", sa.String(length=254), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("address_change_by_player", "address_change", ["player_id", "asked"])
    op.create_index("address_change_by_old", "address_change", ["old"])
    op.create_index("address_change_by_time", "address_change", ["asked"])


def downgrade() -> None:
    op.drop_table("address_change")
    op.drop_table("passkey")
    op.drop_table("password")
