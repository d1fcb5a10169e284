"""The kind of each order is stored beside its text"""

import re

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

BATCH = 1_000

AGREED = r"(?:take\s*back|resume\s+play|(?:pause|adjourn)\b.*)"
ENDS = r"[\s.,;!]*"
KINDS = {
    "undo": r"undo\W*",
    "rematch": r"(?:rematch|play again)\W*",
    "leave team": rf"leave\s+(?:(?:the|my)\s+)?team{ENDS}",
    "standing": r"standing(?:\s+order)?\b.*",
    "extend": r"extend\b[^\n]*\s*",
    "offer": rf"{AGREED}{ENDS}",
    "accept": rf"accept\b(?:\s+(?:the\s+)?{AGREED})?{ENDS}",
    "decline": rf"decline\b(?:\s+(?:the\s+)?{AGREED})?{ENDS}",
    "withdraw": rf"withdraw\b(?:\s+(?:the\s+)?{AGREED})?{ENDS}",
    "draw": r"\W*(?:(?:offer|accept|decline)\s+)?(?:an?\s+|the\s+)?draw\W*",
    "yes": rf"yes{ENDS}",
    "no": rf"no{ENDS}",
    "pass": rf"pass{ENDS}",
    "resign": rf"resign{ENDS}",
    "conditional": r".*\b(?:if\b.*|forget\W*)",
}
"""What orders look like, tried in this order; all others are moves."""

FORMS = {kind: re.compile(rf"\s*{form}", re.IGNORECASE | re.DOTALL) for kind, form in KINDS.items()}


def upgrade() -> None:
    op.add_column("submission", sa.Column("kind", sa.String(20), nullable=False, server_default=""))
    op.execute("UPDATE submission SET kind = CASE WHEN door = 'clock' THEN 'timeout' ELSE 'move' END")
    connection = op.get_bind()
    table = sa.table("submission", sa.column("id", sa.Integer), *map(sa.column, ("kind", "text")))
    some = sa.select(table.c.id, table.c.text).where(table.c.kind == "move").order_by(table.c.id).limit(BATCH)
    last = 0
    while rows := connection.execute(some.where(table.c.id > last)).all():
        kinds = [{"number": row.id, "fresh": kind} for row in rows if (kind := _kind(row.text)) != "move"]
        if kinds:
            changed = sa.update(table).where(table.c.id == sa.bindparam("number"))
            connection.execute(changed.values(kind=sa.bindparam("fresh")), kinds)
        last = rows[-1].id


def downgrade() -> None:
    op.drop_column("submission", "kind")


def _kind(text: str) -> str:
    return next((kind for kind, form in FORMS.items() if form.fullmatch(text)), "move")
