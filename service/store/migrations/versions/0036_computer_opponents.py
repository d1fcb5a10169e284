"""What computer opponents think of their turns, and names that only they can have"""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

NAMES = (
    *("clover", "harrow", "whetstone", "daisy", "briar", "cathedral", "tadpole", "heron", "deepwater"),
    *("pebbles", "adder", "euryale", "magpie", "surveyor", "castellan", "finch", "broker", "chancellor"),
    *("starling", "clockwork", "kestrel", "sparrow", "weaver", "concert", "chalk", "marble", "obsidian"),
)
"""The computer opponents there were at this time."""


def upgrade() -> None:
    op.create_table(
        "bot_turn",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("leased", sa.DateTime(timezone=True), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "ply"),
    )
    columns = sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("name_key", sa.String)
    player = sa.table("player", *columns, sa.column("bot", sa.String))
    rows = op.get_bind().execute(
        sa.select(player.c.id, player.c.name).where(player.c.name_key.in_(NAMES), player.c.bot.is_(None))
    )
    for number, name in rows.all():
        new = _free(player, name)
        op.execute(player.update().where(player.c.id == number).values({"name": new, "name_key": _key(new)}))


def downgrade() -> None:
    op.drop_table("bot_turn")


def _free(player: sa.TableClause, name: str) -> str:
    """The name with the first number after it that nobody has."""
    count = 2
    while op.get_bind().scalar(sa.select(player.c.id).where(player.c.name_key == _key(f"{name} {count}"))) is not None:
        count += 1
    return f"{name} {count}"


def _key(name: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())[:200]
