"""File analyses kept by content: the same bytes are analysed once, on whatever branch they stand.

One SQLite file a repository. Rows are keyed by blob id, file suffix and analysis version, so a newer version never
reads an older row. Several processes may share the file; a damaged file is moved aside and rebuilt, because everything
in it can be computed again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..retrieval.analysis import VERSION, chunk_bounds
from ..state.analysis import FileAnalysis
from ..state.errors import StoreUnavailable
from ..state.source import Chunk, FileEntry, Import, LeftOutReason, Structure, Symbol, SymbolKind

_SCHEMA = """
CREATE TABLE IF NOT EXISTS analysis (
    key TEXT PRIMARY KEY, reason TEXT, generated INTEGER NOT NULL, lines INTEGER NOT NULL,
    parts BLOB NOT NULL, wholes BLOB NOT NULL, chunk_ends BLOB NOT NULL, names BLOB NOT NULL,
    chunk_lines BLOB NOT NULL, structure TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS past_commit (
    id TEXT PRIMARY KEY, time INTEGER NOT NULL, terms BLOB NOT NULL, files TEXT NOT NULL, subject TEXT NOT NULL
) WITHOUT ROWID;
"""
_BATCH = 500
_CACHE_ITEMS = 20_000


def analysis_key(entry: FileEntry) -> str:
    """The key of an entry's analysis: content, suffix (it decides the language) and analysis version."""
    name = entry.path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower() if "." in name else name.lower()
    return f"{entry.blob}.{suffix.encode('ascii', 'replace').decode()}.{VERSION}"


class BlobStore:
    """Analyses and past commits of one repository, on disk, shared between threads and processes.

    Args:
        path: the SQLite file; created with its folder when absent.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rebuilt = False
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, FileAnalysis] = OrderedDict()
        self._connection = self._open()

    def missing(self, entries: Iterable[FileEntry]) -> list[FileEntry]:
        """The entries whose analysis is not stored yet."""
        by_key = {analysis_key(e): e for e in entries}
        known = {key for key in by_key if key in self._cache}
        known.update(row[0] for row in self._select("SELECT key FROM analysis WHERE key IN ({})", [k for k in by_key if k not in known]))
        return [e for key, e in by_key.items() if key not in known]

    def put(self, analyses: Iterable[tuple[FileEntry, FileAnalysis]]) -> None:
        """Store analyses in one transaction; storing one again changes nothing."""
        rows = [(analysis_key(e), *_row(a)) for e, a in analyses]
        with self._transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO analysis VALUES (?,?,?,?,?,?,?,?,?,?)", rows)

    def get(self, entries: Iterable[FileEntry]) -> dict[str, FileAnalysis]:
        """Path -> analysis for the entries that are stored."""
        wanted = {analysis_key(e): e for e in entries}
        found: dict[str, FileAnalysis] = {}
        with self._lock:
            for key in wanted:
                if (hit := self._cache.get(key)) is not None:
                    self._cache.move_to_end(key)
                    found[key] = hit
        rest = [key for key in wanted if key not in found]
        for row in self._select("SELECT * FROM analysis WHERE key IN ({})", rest):
            found[row[0]] = self._remember(row[0], _analysis(row))
        return {entry.path: found[key] for key, entry in wanted.items() if key in found}

    def reasons(self, entries: Iterable[FileEntry]) -> dict[str, tuple[LeftOutReason | None, bool]]:
        """Path -> (why its text is left out or None, generated), without loading the analyses."""
        by_key: dict[str, list[str]] = {}
        for entry in entries:
            by_key.setdefault(analysis_key(entry), []).append(entry.path)
        rows = self._select("SELECT key, reason, generated FROM analysis WHERE key IN ({})", list(by_key))
        return {path: (LeftOutReason(reason) if reason else None, bool(generated)) for key, reason, generated in rows for path in by_key[key]}

    def known_commits(self, ids: list[str]) -> set[str]:
        """Those of the commit ids that are stored."""
        return {row[0] for row in self._select("SELECT id FROM past_commit WHERE id IN ({})", ids)}

    def put_commits(self, rows: Iterable[tuple[str, int, bytes, str, str]]) -> None:
        """Store commits (id, unix time, uint32 term keys, newline-joined paths, subject)."""
        with self._transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO past_commit VALUES (?,?,?,?,?)", list(rows))

    def commits(self, ids: list[str]) -> list[tuple[str, int, bytes, str, str]]:
        """The stored commits among ``ids``, in the order of ``ids``."""
        rows = {row[0]: row for row in self._select("SELECT * FROM past_commit WHERE id IN ({})", ids)}
        return [rows[i] for i in ids if i in rows]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _remember(self, key: str, analysis: FileAnalysis) -> FileAnalysis:
        with self._lock:
            self._cache[key] = analysis
            while len(self._cache) > _CACHE_ITEMS:
                self._cache.popitem(last=False)
        return analysis

    def _select(self, sql: str, keys: list[str]) -> Iterator[tuple]:  # type: ignore[type-arg]
        for start in range(0, len(keys), _BATCH):
            part = keys[start : start + _BATCH]
            with self._lock:
                rows = self._guarded(sql.format(",".join("?" * len(part))), part)
            yield from rows

    def _guarded(self, sql: str, values: list[str]) -> list[tuple]:  # type: ignore[type-arg]
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._recover(error)
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.DatabaseError as error:
                self._recover(error)
                self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise StoreUnavailable(f"cannot write {self.path}: {error}; free disk space or set IR_CACHE_DIR") from error
                raise

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self._connect()
        except OSError as error:
            raise StoreUnavailable(f"cannot write the cache folder {self.path.parent}: {error}; set IR_CACHE_DIR") from error
        except sqlite3.OperationalError as error:
            raise StoreUnavailable(f"cannot open {self.path}: {error}; set IR_CACHE_DIR to a writable folder") from error
        except sqlite3.DatabaseError:
            self._move_aside()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60.0, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA)
        return connection

    def _recover(self, error: sqlite3.DatabaseError) -> None:
        """Rebuild a damaged file; other trouble (locked, disk full) rises."""
        if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
            raise StoreUnavailable(f"cannot use {self.path}: {error}; set IR_CACHE_DIR to a writable folder") from error
        self._connection.close()
        self._move_aside()
        self._connection = self._connect()

    def _move_aside(self) -> None:
        self.rebuilt = True
        for ending in ("", "-wal", "-shm"):
            damaged = Path(f"{self.path}{ending}")
            if damaged.exists():
                os.replace(damaged, f"{self.path}.damaged{ending}")


def _row(a: FileAnalysis) -> tuple[str | None, int, int, bytes, bytes, bytes, bytes, bytes, str]:
    lines = chunk_bounds(a.structure.chunks).tobytes()
    return (
        a.reason.value if a.reason else None, int(a.generated), a.lines, a.parts.tobytes(), a.wholes.tobytes(),
        a.chunk_ends.tobytes(), a.names.tobytes(), lines, _structure_json(a.structure),
    )  # fmt: skip


def _structure_json(s: Structure) -> str:
    return json.dumps(
        {
            "language": s.language,
            "parsed": s.parsed,
            "symbols": [[x.name, x.qualified, x.kind.value, x.first, x.last] for x in s.symbols],
            "imports": [[x.module, list(x.names), x.line] for x in s.imports],
            "chunk_symbols": [c.symbol for c in s.chunks],
            "bases": {name: list(bases) for name, bases in s.bases.items()},
        },
        separators=(",", ":"),
    )


def _analysis(row: tuple) -> FileAnalysis:  # type: ignore[type-arg]
    _, reason, generated, lines, parts, wholes, chunk_ends, names, chunk_lines, structure = row
    bounds = np.frombuffer(chunk_lines, dtype=np.int32).reshape(-1, 2)
    return FileAnalysis(
        reason=LeftOutReason(reason) if reason else None,
        generated=bool(generated),
        lines=lines,
        parts=np.frombuffer(parts, dtype=np.uint32),
        wholes=np.frombuffer(wholes, dtype=np.uint32),
        chunk_ends=np.frombuffer(chunk_ends, dtype=np.int32).reshape(-1, 2),
        names=np.frombuffer(names, dtype=np.uint32),
        structure=_structure(json.loads(structure), bounds.tolist()),
    )


def _structure(d: Mapping[str, list], bounds: list[list[int]]) -> Structure:  # type: ignore[type-arg]
    return Structure(
        language=str(d["language"]),
        symbols=tuple(Symbol(n, q, SymbolKind(k), a, b) for n, q, k, a, b in d["symbols"]),
        imports=tuple(Import(m, tuple(names), line) for m, names, line in d["imports"]),
        chunks=tuple(Chunk(a, b, s) for (a, b), s in zip(bounds, d["chunk_symbols"], strict=True)),
        bases={name: tuple(bases) for name, bases in dict(d["bases"]).items()},
        parsed=bool(d["parsed"]),
    )
