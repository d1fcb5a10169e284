"""Runs migrations on the connection that `Store.migrate` hands over."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import text

from service.store.rows import Instant, Row
from service.store.session import TURN


def written_plainly(kind: str, item: Any, _context: AutogenContext) -> str | Literal[False]:
    """Migrations name plain column types, so that they outlive changes of the models."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, Instant) else False


with context.config.attributes["engine"].connect() as connection:
    if connection.dialect.name == "postgresql":
        # Of several machines that start at the same time, one migrates; the others wait, and find it done.
        connection.execute(text(TURN))
    context.configure(
        connection=connection,
        target_metadata=Row.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        render_item=written_plainly,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
