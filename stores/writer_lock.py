"""One writer at a time: a lock file between processes, and an advisory lock when hosts share a PostgreSQL server."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, text

from ..state.errors import StoreUnavailable
from ..state.progress import IndexProgress, ProgressSink
from .sql import SqlStore

_PAUSE = 0.1  # seconds between two tries
_TELL = 2.0  # seconds between two words to whoever waits
_ADVISORY = 0x6974_7266


class WriterLock:
    """The right to write into collections. Two threads of one process exclude each other too.

    Args:
        path: the lock file; created when first needed, never removed.
        sql: the database that is written.
        patience: seconds to wait for another writer.
    """

    def __init__(self, path: Path, sql: SqlStore, patience: float = 600.0) -> None:
        self._path = path
        self._sql = sql
        self._patience = patience

    @contextmanager
    def held(self, report: ProgressSink) -> Iterator[None]:
        """Hold the lock; whoever waits for it hears of it as phase "waiting".

        Raises:
            StoreUnavailable: another writer holds it for longer than the patience.
        """
        begin, told = time.monotonic(), 0.0
        while True:
            with self.tried() as got:
                if got:
                    yield
                    return
            waited = time.monotonic() - begin
            if waited > self._patience:
                raise StoreUnavailable(
                    f"{self._holder()} has been writing into {self._path.parent} for more than {self._patience:g} "
                    "seconds; wait until it is done, or end it: what it has done so far is kept"
                )
            if waited >= told:
                report(IndexProgress(done=0, total=0, phase="waiting"))
                told += _TELL
            time.sleep(_PAUSE)

    @contextmanager
    def tried(self) -> Iterator[bool]:
        """Hold the lock if nobody else does; the value says whether."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = open(self._path, "a+b")  # noqa: SIM115 (closed below; the lock goes with it)
        except OSError as error:
            raise StoreUnavailable(
                f"cannot write {self._path}: {error}; choose a folder that can be written"
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            lock.truncate(0)
            lock.write(str(os.getpid()).encode())
            lock.flush()
            with self._between_hosts() as got:
                yield got

    @contextmanager
    def _between_hosts(self) -> Iterator[bool]:
        if self._sql.is_sqlite:
            yield True
            return
        with self._sql.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if not _ask(connection, "pg_try_advisory_lock"):
                yield False
                return
            try:
                yield True
            finally:
                _ask(connection, "pg_advisory_unlock")

    def _holder(self) -> str:
        try:
            number = self._path.read_text().strip()
        except OSError:
            number = ""
        return f"process {number}" if number else "another process"


def _ask(connection: Connection, function: str) -> bool:
    return bool(connection.execute(text(f"SELECT {function}(:key)"), {"key": _ADVISORY}).scalar())
