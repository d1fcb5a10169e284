"""Players found by how their names begin, on PostgreSQL too: its usual order of texts isn't that of their characters"""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("player", "name_key", type_=sa.String(200, collation="C"))


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("player", "name_key", type_=sa.String(200, collation="default"))
