"""One SQLite file of things that can all be computed again: shared by processes, rebuilt when damaged."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..state.errors import StoreUnavailable

T = TypeVar("T")
Rows = list[tuple[Any, ...]]

_KEYS_AT_ONCE = 500  # older SQLite libraries take at most 999 parameters
_PATIENCE = 60.0  # seconds to wait for another process that writes
_MOST_BYTES = 3_000_000_000  # a larger file begins anew: it holds mostly what nobody asks for any more


class Database:
    """A SQLite file in WAL mode.

    Args:
        path: the file; created with its folder when absent.
        schema: statements that create the tables.
        version: of the schema; a file of another version, or of several gigabytes, is replaced.

    Raises:
        StoreUnavailable: from every method, when the file cannot be used for a reason that is not damage.
    """

    def __init__(self, path: Path, schema: str, version: int) -> None:
        self.path = path
        self.damaged = False
        """Whether a damaged file was found and replaced."""
        self._schema = f"{schema}PRAGMA user_version = {version};"
        self._version = version
        self._lock = threading.Lock()
        self._left_behind: list[sqlite3.Connection] = []
        with _told_what_to_do(path):
            self._connect()

    def select(self, sql: str, keys: Sequence[str]) -> Rows:
        """The rows of a statement whose ``{}`` stands for the keys; asked in batches, in no particular order."""
        found: Rows = []
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            part = keys[start : start + _KEYS_AT_ONCE]
            statement = sql.format(",".join("?" * len(part)))
            found += self._run(partial(_fetch, statement, part))
        return found

    def insert(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement for every row, all in one transaction."""
        if rows:
            self._run(partial(_insert, sql, rows))

    def close(self) -> None:
        """Close the file; the database cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What ``work`` gives; when it meets damage, the file is replaced by an empty one and asked again."""
        with self._lock, _told_what_to_do(self.path):
            if self._process != os.getpid():  # SQLite connections must not be carried through a fork, nor closed there
                self._left_behind.append(self._connection)
                self._connect()
            try:
                return work(self._connection)
            except sqlite3.Error as error:
                if not _is_damage(error):
                    raise
            self._replace()
            return work(self._connection)

    def _connect(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _one_process(self.path):
            self._connection = self._open()
            self._inode = self.path.stat().st_ino
            self._process = os.getpid()

    def _open(self) -> sqlite3.Connection:
        """A connection to a file of this schema; what else stands at the path is removed."""
        try:
            return self._prepared()
        except _Outdated:
            self._remove()
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
            self.damaged = True
            self._remove()
        return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("PRAGMA synchronous = NORMAL")
            (known,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if known == tables == 0:
                connection.executescript(self._schema)
            elif known != self._version or self.path.stat().st_size > _MOST_BYTES:
                raise _Outdated
        except BaseException:  # an interrupt too must not leave the file open; it goes on
            connection.close()
            raise
        return connection

    def _replace(self) -> None:
        """Start over with an empty file, unless another process did so already."""
        self.damaged = True
        with _one_process(self.path):
            if self._is_ours():
                self._remove()
            self._connection.close()  # after the removal: SQLite leaves the log of a file that is no longer its own
        self._connect()

    def _is_ours(self) -> bool:
        """Whether the file at the path is still the one that is open (so its inode cannot be in use again)."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)


class _Outdated(Exception):
    """The file has another schema, or outgrew its limit."""


@contextmanager
def _one_process(path: Path) -> Iterator[None]:
    """Opening and replacing is for one process at a time: SQLite's own locks do not cover a file that is replaced."""
    with open(f"{path}.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(sql: str, values: Sequence[str], connection: sqlite3.Connection) -> Rows:
    return connection.execute(sql, values).fetchall()


def _insert(sql: str, rows: Sequence[tuple[Any, ...]], connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(sql, rows)
        connection.execute("COMMIT")
    except BaseException:  # an interrupt too must not leave half a transaction; it goes on
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_WORLD = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}
"""Codes of troubles that a new file would not end."""


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file holds something else than was written: SQLite says so, or misses a table, a column, a text."""
    if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, sqlite3.ProgrammingError):
        return False  # a mistake of ours, such as using a closed database
    code: int | None = getattr(error, "sqlite_errorcode", None)  # none when Python found it: text that is no UTF-8
    return code is None or code & 0xFF not in _WORLD


@contextmanager
def _told_what_to_do(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(
            f"cannot use the cache {path}: {error}; make room, or set IR_CACHE_DIR to a folder that can be written"
        ) from error
