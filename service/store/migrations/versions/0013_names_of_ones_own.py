"""Players who didn't choose the first half of their address as a name no longer have it"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("email", sa.String)
    player = sa.table("player", *columns)
    people = sa.select(*columns).where(player.c.email.is_not(None))
    for number, name, email in op.get_bind().execute(people).all():
        if name == email.partition("@")[0][:60]:
            op.execute(player.update().where(player.c.id == number).values(name=f"Player {number}"))


def downgrade() -> None:
    pass
