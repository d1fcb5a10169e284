"""How players have done is counted as matches end, beginning with those that have ended so far"""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

COUNT = """
INSERT INTO player_result (player_id, game, won, lost, shared)
SELECT place.player_id, match.game,
    SUM(CASE WHEN seat.score = '1' THEN 1 ELSE 0 END),
    SUM(CASE WHEN seat.score = '0' THEN 1 ELSE 0 END),
    SUM(CASE WHEN seat.score NOT IN ('0', '1') THEN 1 ELSE 0 END)
FROM (SELECT match_id, number, player_id FROM seat UNION ALL SELECT match_id, number, player_id FROM teammate) AS place
JOIN seat ON seat.match_id = place.match_id AND seat.number = place.number
JOIN match ON match.id = place.match_id
WHERE match.state = 'over' AND seat.score IS NOT NULL AND place.player_id IS NOT NULL
GROUP BY place.player_id, match.game
"""


def upgrade() -> None:
    op.create_table(
        "player_result",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("player_id", "game"),
    )
    op.execute(COUNT)


def downgrade() -> None:
    op.drop_table("player_result")
