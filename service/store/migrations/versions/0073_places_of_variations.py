"""Variations belong to a place in the log: the number of a move changes when hidden entries become known"""

from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


PLACES = """
WITH public AS (
    SELECT entry.match_id, entry.ply, row_number() OVER (PARTITION BY entry.match_id ORDER BY entry.ply) AS number
    FROM entry JOIN match ON match.id = entry.match_id
    WHERE entry.fate <> 'replaced' AND (NOT entry.private OR match.state = 'over')
    AND entry.match_id IN (SELECT match_id FROM variation)
)
UPDATE variation SET ply = (
    SELECT public.ply FROM public WHERE public.match_id = variation.match_id AND public.number = variation.ply
)
WHERE EXISTS (
    SELECT 1 FROM public WHERE public.match_id = variation.match_id AND public.number = variation.ply
)
"""
"""Where all entries count for everybody, these are the same. Packed logs are left out: few need it."""


def upgrade() -> None:
    op.execute(PLACES)


def downgrade() -> None:
    """Places stay: in nearly all matches they are the numbers."""
