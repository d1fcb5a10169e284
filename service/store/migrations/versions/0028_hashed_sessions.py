"""Hashes in place of the keys of sessions; names without invisible control characters"""

import unicodedata
from base64 import urlsafe_b64encode
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

VISIT = sa.table("visit", sa.column("key"))
PLAYER = sa.table("player", sa.column("id"), sa.column("name"))


def upgrade() -> None:
    connection = op.get_bind()
    for (key,) in connection.execute(sa.select(VISIT.c.key)).all():
        connection.execute(sa.update(VISIT).where(VISIT.c.key == key).values(key=hashed(key)))
    for number, name in connection.execute(sa.select(PLAYER.c.id, PLAYER.c.name)).all():
        if (clean := seen(name)) != name:
            connection.execute(sa.update(PLAYER).where(PLAYER.c.id == number).values(name=clean))


def downgrade() -> None:
    """Keys can't be recovered from their hashes: everybody has to sign in again."""
    op.execute("DELETE FROM visit")


def hashed(key: str) -> str:
    """What `service.play.accounts.sessions.stored_before` makes of a key."""
    return urlsafe_b64encode(sha256(f"session before {key}".encode()).digest()).decode().rstrip("=")


def seen(name: str) -> str:
    """A name without what `service.play.accounts.display_names.is_hidden` finds."""
    return "".join(sign for sign in name if sign in "\u200c\u200d" or unicodedata.category(sign)[0] != "C")
