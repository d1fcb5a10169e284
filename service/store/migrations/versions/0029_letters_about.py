"""The letters of a player about a match are found by an index: a reply is compared with those it may quote"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("letter_about", "letter", ["player_id", "match_id", "id"])


def downgrade() -> None:
    op.drop_index("letter_about", "letter")
