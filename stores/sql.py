"""The database: a SQLite file by default, PostgreSQL by URL; brought to the newest schema when it is opened."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    NoSuchModuleError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..state.errors import StoreUnavailable

_MIGRATIONS = Path(__file__).parent / "migrations"
_PATIENCE = 60.0  # seconds to wait for another transaction that writes
BOOKKEEPING = 2.0
"""Seconds that a write may wait that nobody waits for: log lines, counters, notes of decisions."""
_ADVISORY = 0x6974_7265  # names our migrations among the advisory locks of a PostgreSQL server


class SqlStore:
    """An opened database; any number of threads and processes may use it.

    Args:
        place: path of a SQLite file (created with its folder when absent), or a database URL.

    Raises:
        StoreUnavailable: from every method, when the database cannot be used; the message says what to do.
    """

    def __init__(self, place: str | Path) -> None:
        self._url = _url_of(place)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.name = self._url.render_as_string(hide_password=True)
        """The URL, without its password."""
        with self._told_what_to_do():
            self.engine = _sqlite_engine(self._url) if self.is_sqlite else _server_engine(self._url)
            self._process = os.getpid()
            with self._one_process():
                self._upgrade()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database from its first statement to its last."""
        with self._told_what_to_do(), self._connection() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self, patience: float = _PATIENCE) -> Iterator[Connection]:
        """A transaction that writes: committed as a whole at the end, or not at all when anything is raised.

        patience: seconds to wait for another writer; short for what only keeps the books.
        """
        with self._told_what_to_do(), self._connection() as connection, self._waiting(connection, patience):
            connection.execution_options(immediate=True)
            with connection.begin():
                yield connection

    @contextmanager
    def _waiting(self, connection: Connection, patience: float) -> Iterator[None]:
        """Let this connection wait for so long; pooled connections go back as they were."""
        if not self.is_sqlite or patience == _PATIENCE:
            yield
            return
        driver: Any = connection.connection.driver_connection
        driver.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        try:
            yield
        finally:
            driver.execute(f"PRAGMA busy_timeout = {int(_PATIENCE * 1000)}")

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        self.engine.dispose()

    def _connection(self) -> Connection:
        if self._process != os.getpid():  # connections must not be carried through a fork, nor closed there
            self.engine.dispose(close=False)
            self._process = os.getpid()
        return self.engine.connect()

    @contextmanager
    def _one_process(self) -> Iterator[None]:
        """Opening is for one process at a time. On a server, the migrations' own transaction sees to it."""
        if not self.is_sqlite or not self._url.database:
            yield
            return
        Path(self._url.database).parent.mkdir(parents=True, exist_ok=True)
        with open(f"{self._url.database}.lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _upgrade(self) -> None:
        """Bring the tables to the newest revision.

        Raises:
            StoreUnavailable: they are of a revision that this version of the package does not know.
        """
        with self.engine.connect() as connection:
            if _revision(connection) == _REVISIONS[-1]:
                return
        with self.engine.connect() as connection:
            connection.execution_options(immediate=True)
            with connection.begin():
                if not self.is_sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY})
                found = _revision(connection)
                if found is not None and found not in _REVISIONS:
                    raise StoreUnavailable(
                        f"the database {self.name} has schema {found}, and this version knows none after "
                        f"{_REVISIONS[-1]}: it was written by a newer version; upgrade iterative-retrieval"
                    )
                _migrate(connection)

    @contextmanager
    def _told_what_to_do(self) -> Iterator[None]:
        try:
            yield
        except (OSError, DatabaseError, InterfaceError, PoolTimeout) as error:
            if isinstance(error, (DataError, IntegrityError, ProgrammingError)):
                raise  # a mistake of ours
            cause = getattr(error, "orig", None) or error
            raise StoreUnavailable(
                f"cannot use the database {self.name}: {cause}; {self._advice(str(cause))}"
            ) from error

    def _advice(self, trouble: str) -> str:
        if not self.is_sqlite:
            return "see that the server runs and that its URL, user and password are right"
        if "full" in trouble or "No space" in trouble:
            return "make room and run again: what was committed is kept, the rest is done then"
        if "malformed" in trouble or "not a database" in trouble:
            return "the file is damaged: move it away (with its -wal and -shm) and index the collections again"
        if "locked" in trouble:
            return "another process is writing; try again when it is done"
        return "see that its folder can be written and has room, or choose another one"


def _url_of(place: str | Path) -> URL:
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(place))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):  # what was given is not shown: it may hold a password
        raise StoreUnavailable("that is no database URL; write postgresql://user:password@host/database") from None
    known = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    if url.drivername.partition("+")[0] not in known:
        raise StoreUnavailable(f"no support for databases of kind {url.drivername!r}; use sqlite or postgresql")
    if url.drivername.startswith("sqlite") and url.database in (None, "", ":memory:"):
        raise StoreUnavailable("a database in memory is gone with its connection; write sqlite:////path/to/file")
    return url.set(drivername=known.get(url.drivername, url.drivername))


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": _PATIENCE})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # the driver must not begin transactions by itself; _begin_sqlite does
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    """Writers take the lock at once: a reader that becomes a writer half-way could only fail."""
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _server_engine(url: URL) -> Engine:
    try:
        return create_engine(url, pool_pre_ping=True)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreUnavailable(
            f"PostgreSQL needs a driver: pip install 'iterative-retrieval[postgres]' ({error})"
        ) from error


_REVISIONS = sorted(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py"))
"""Known revisions, oldest first; they are numbers."""


def _revision(connection: Connection) -> str | None:
    """The revision of the tables; None when there are none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _migrate(connection: Connection) -> None:
    from alembic import command  # takes a tenth of a second to import, and is rarely needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
