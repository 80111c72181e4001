"""File analyses kept by content: the same bytes are analysed once, on whatever branch they stand.

One SQLite file a repository. Rows are keyed by blob id, kind of file and analysis version, so a newer version never
reads an older row. Past commits live in the same file (see ``history``).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..retrieval.analysis import VERSION
from ..retrieval.languages import language_of
from ..state.analysis import FileAnalysis
from ..state.source import FileEntry
from .database import Database
from .packed import Indexed, pack_analysis, pack_indexed, seal, unpack_analysis, unseal

_SCHEMA = """
CREATE TABLE analysis (key TEXT PRIMARY KEY, analysis BLOB NOT NULL, indexed BLOB NOT NULL);
CREATE TABLE past_commit (key TEXT PRIMARY KEY, record BLOB NOT NULL);
"""
_SCHEMA_VERSION = 1  # grows when the tables change, or what ``packed`` and ``history`` write into them
_CACHE_BYTES = 64_000_000
_OBJECT_BYTES = 300  # about what one Symbol, Import or Chunk takes


class Row(NamedTuple):
    """What is stored of one content; both blobs are sealed."""

    key: str
    analysis: bytes
    indexed: bytes


def analysis_key(entry: FileEntry) -> str:
    """The key of an entry's analysis: its content, what its name says of the language, and the analysis version."""
    return f"{entry.blob}.{language_of(entry.path)}.{language_of(entry.path, _TELLING)}.{VERSION}"


_TELLING = "#!/bin/python\nclass"  # a head that decides the language of the names that leave it to the head


def make_row(key: str, analysis: FileAnalysis, indexed: Indexed) -> Row:
    """The row of one analysed content."""
    return Row(key, seal(key, pack_analysis(analysis)), seal(key, pack_indexed(indexed)))


class BlobStore:
    """Analyses and past commits of one repository, on disk, shared between threads and processes.

    Everything in it can be computed again: what is damaged counts as not stored.

    Args:
        path: the SQLite file; created with its folder when absent.

    Raises:
        StoreUnavailable: from every method, when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA, _SCHEMA_VERSION)
        self._cache = _Cache(_CACHE_BYTES)
        self._broken_seals = False

    @property
    def damaged(self) -> bool:
        """Whether something stored turned out damaged."""
        return self._database.damaged or self._broken_seals

    def forget_damage(self) -> None:
        """Begin to look out for damage anew."""
        self._database.damaged = self._broken_seals = False

    def put(self, rows: Iterable[Row]) -> None:
        """Store rows in one transaction; a row that is there is replaced."""
        self._database.insert("INSERT OR REPLACE INTO analysis VALUES (?, ?, ?)", list(rows))

    def missing(self, entries: Iterable[FileEntry]) -> list[FileEntry]:
        """Entries whose content is not stored yet, one for each content."""
        wanted = {analysis_key(entry): entry for entry in entries}
        known = self._database.select("SELECT key FROM analysis WHERE key IN ({})", list(wanted))
        for (key,) in known:
            wanted.pop(key, None)
        return list(wanted.values())

    def get(self, entries: Iterable[FileEntry]) -> dict[str, FileAnalysis]:
        """Path -> analysis for the entries that are stored, in the order of the entries."""
        keys = {entry.path: analysis_key(entry) for entry in entries}
        unique = dict.fromkeys(keys.values())
        found = self._cache.get(unique)
        rest = [key for key in unique if key not in found]
        for key, payload in self._payloads("SELECT key, analysis FROM analysis WHERE key IN ({})", rest).items():
            found[key] = unpack_analysis(payload)
            self._cache.put(key, found[key])
        return {path: found[key] for path, key in keys.items() if key in found}

    def indexed(self, entries: Iterable[FileEntry]) -> dict[str, bytes]:
        """Path -> what the index takes of the file, packed, for the entries that are stored."""
        keys = {entry.path: analysis_key(entry) for entry in entries}
        found = self._payloads("SELECT key, indexed FROM analysis WHERE key IN ({})", list(set(keys.values())))
        return {path: found[key] for path, key in keys.items() if key in found}

    def put_commits(self, records: Mapping[str, bytes]) -> None:
        """Store what was mined of commits: key -> record."""
        rows = [(key, seal(key, record)) for key, record in records.items()]
        self._database.insert("INSERT OR REPLACE INTO past_commit VALUES (?, ?)", rows)

    def commits(self, keys: list[str]) -> dict[str, bytes]:
        """Key -> record for the commits that are stored."""
        return self._payloads("SELECT key, record FROM past_commit WHERE key IN ({})", keys)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _payloads(self, sql: str, keys: list[str]) -> dict[str, bytes]:
        """Key -> payload of the selected rows whose seal is whole."""
        rows = self._database.select(sql, keys)
        found = {key: payload for key, sealed in rows if (payload := unseal(key, sealed)) is not None}
        self._broken_seals = self._broken_seals or len(found) < len(rows)
        return found


class _Cache:
    """The latest analyses in memory, bounded by their size in bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._items: OrderedDict[str, FileAnalysis] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Iterable[str]) -> dict[str, FileAnalysis]:
        found: dict[str, FileAnalysis] = {}
        with self._lock:
            for key in keys:
                if (item := self._items.get(key)) is not None:
                    self._items.move_to_end(key)
                    found[key] = item
        return found

    def put(self, key: str, item: FileAnalysis) -> None:
        with self._lock:
            if key in self._items:
                return
            self._items[key] = item
            self._bytes += _size(item)
            while self._bytes > self._most and len(self._items) > 1:
                self._bytes -= _size(self._items.popitem(last=False)[1])


def _size(analysis: FileAnalysis) -> int:
    """About how many bytes an analysis takes in memory."""
    arrays = (analysis.parts, analysis.wholes, analysis.chunk_ends, analysis.names)
    structure = analysis.structure
    objects = len(structure.symbols) + len(structure.imports) + len(structure.chunks) + len(structure.bases)
    return sum(a.nbytes for a in arrays) + _OBJECT_BYTES * (objects + 3)
