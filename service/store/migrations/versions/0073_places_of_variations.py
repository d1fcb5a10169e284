"""Variations belong to a place in the log: the number of a move changes when hidden entries become known"""

from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


PLACES = """
UPDATE variation SET ply = coalesce((
    SELECT public.ply FROM (
        SELECT entry.ply, row_number() OVER (ORDER BY entry.ply) AS number
        FROM entry JOIN match ON match.id = entry.match_id
        WHERE entry.match_id = variation.match_id
        AND entry.fate <> 'replaced' AND (NOT entry.private OR match.state = 'over')
    ) AS public WHERE public.number = variation.ply
), ply)
"""
"""Where all entries count for everybody, these are the same. Packed logs are left out: few need it."""


def upgrade() -> None:
    op.execute(PLACES)


def downgrade() -> None:
    """Places stay: in nearly all matches they are the numbers."""
