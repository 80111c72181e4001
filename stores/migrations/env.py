"""What Alembic runs: migrations on the connection that ``stores/sql.py`` hands over, inside its transaction.

For ``alembic revision --autogenerate``, give the database: ``alembic -x url=sqlite:///collections.sqlite ...``.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, create_engine

from iterative_retrieval.stores import ledger_tables
from iterative_retrieval.stores.tables import Base

assert ledger_tables  # its tables stand on the same Base


def _migrate(connection: Connection) -> None:
    # Batch mode: SQLite cannot alter most of a table, so it is copied instead.
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


def _run() -> None:
    given = context.config.attributes.get("connection")
    if isinstance(given, Connection):
        _migrate(given)
        return
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as connection:
        _migrate(connection)


_run()
