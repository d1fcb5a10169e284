"""Letters of a player by when they were sent"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("letter_of_player", "letter", ["player_id", "sent"])


def downgrade() -> None:
    op.drop_index("letter_of_player", "letter")
