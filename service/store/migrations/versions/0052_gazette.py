"""The gazette: its issues, and who wants them"""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gazette_issue",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("openings", sa.JSON, nullable=False),
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id")),
        sa.Column("turning", sa.JSON),
        sa.Column("newcomers", sa.JSON, nullable=False),
        sa.Column("leaders", sa.JSON, nullable=False),
    )
    op.add_column("player", sa.Column("gazette", sa.Integer))
    reads = sa.text("gazette IS NOT NULL")
    op.create_index("player_by_gazette", "player", ["gazette"], sqlite_where=reads, postgresql_where=reads)


def downgrade() -> None:
    op.drop_index("player_by_gazette", "player")
    op.drop_column("player", "gazette")
    op.drop_table("gazette_issue")
