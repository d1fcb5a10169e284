"""No two people have the same name, and nobody has a bot's"""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

PEBBLE = "pebble"
"""The one bot there is, which has no row before it plays."""


def upgrade() -> None:
    op.add_column("player", sa.Column("name_key", sa.String(200), nullable=True))
    columns = sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("name_key", sa.String)
    player = sa.table("player", *columns, sa.column("bot", sa.String), sa.column("left", sa.DateTime))
    people = sa.select(player.c.id, player.c.name).where(player.c.bot.is_(None), player.c.left.is_(None))
    rows = op.get_bind().execute(people.order_by(player.c.id)).all()
    # A player who shares a name with an older one gets the next number that nobody has.
    free = {number for number, name in rows if name not in (f"Player {number}", f"Guest {number}")}
    taken = {PEBBLE} | {_key(name) for number, name in rows if number not in free}
    for number, name in rows:
        if number in free:
            name = _alone(name, taken)
            taken.add(_key(name))
            values = {"name": name, "name_key": _key(name)}
            op.execute(player.update().where(player.c.id == number).values(values))
    op.create_index("player_by_name", "player", ["name_key"], unique=True)


def downgrade() -> None:
    op.drop_index("player_by_name", "player")
    op.drop_column("player", "name_key")


def _alone(name: str, taken: set[str]) -> str:
    # A number can't tell apart names that are invisible, or whose key is many times as long.
    stem = name[:54] if 0 < len(_key(name[:54])) < 190 else "Somebody"
    wanted, count = (name if _key(name) else stem), 1
    while _key(wanted) in taken:
        count += 1
        wanted = f"{stem} {count}"
    return wanted


def _key(name: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())[:200]
