"""Matches that were annulled earlier lose their results"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

MATCHES = """
UPDATE "match" SET reason = 'annulled'
WHERE id IN (SELECT about_id FROM audit_line WHERE act = 'annulled' AND about = 'match')
"""
SEATS = """
UPDATE seat SET score = NULL
WHERE match_id IN (SELECT about_id FROM audit_line WHERE act = 'annulled' AND about = 'match')
"""


def upgrade() -> None:
    op.execute(MATCHES)
    op.execute(SEATS)


def downgrade() -> None:
    """The lost results can't be restored."""
