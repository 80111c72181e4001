"""A collection ready to be asked: its lexical index, its vectors, and the tables that say what is still true."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Select, select

from ..state.document_ports import Vectors
from ..state.documents import CollectionInfo, StoredChunk
from ..state.errors import EmbeddingMismatch, StoreUnavailable, UnknownCollection
from ..state.ports import Clause, Hit
from .collection_index import content_of
from .collection_rows import CHUNK_COLUMNS, CollectionState, in_parts, state_by_id, stored_chunk
from .embedding import as_vectors
from .lexical import LexicalIndex
from .segments import IndexDamaged
from .sql import SqlStore
from .tables import ChunkRow, DocumentRow, EmbeddingRow
from .vectors import Spaces, VectorHit, VectorIndex

T = TypeVar("T")

_SPARE = 8  # hits asked for beyond the wanted ones, since some may no longer be current
_NOISE = 1e-4  # most that Chroma's scores are wrong by
_DIGITS = 6  # of a cosine


class OpenCollection:
    """One collection at one version, for any number of threads. Made by ``SqlCollections``.

    What the indexes find is checked against the tables, so that nothing is given that a document no longer says.

    Args:
        sql: the database.
        state: the collection's row.
        info: the collection at a glance.
        lexical: its index.
        vectors: Chroma.
        mend: gives another index for a damaged one.
        standing: warnings that hold as long as this version does.
    """

    def __init__(
        self,
        sql: SqlStore,
        state: CollectionState,
        info: CollectionInfo,
        lexical: LexicalIndex,
        vectors: VectorIndex,
        mend: Callable[[], LexicalIndex],
        standing: Sequence[str],
    ) -> None:
        self.state = state
        self.lexical = lexical
        self.standing = standing
        self.warnings = list(standing)
        """What degraded when the collection was opened, or since."""
        self._sql = sql
        self._info = info
        self._vectors = vectors
        self._mend = mend
        self._mending = threading.Lock()

    @property
    def info(self) -> CollectionInfo:
        """Name, domain, version, size, embedder."""
        return self._info

    @property
    def mean_length(self) -> float:
        """Mean number of terms of a chunk."""
        lengths = [d.length for d in self.lexical.documents.values()]
        return sum(lengths) / len(lengths) if lengths else 0.0

    def chunks(self, keys: Iterable[str]) -> dict[str, StoredChunk]:
        """Key -> chunk of those that exist now."""
        found: dict[str, StoredChunk] = {}
        query = select(*CHUNK_COLUMNS).where(ChunkRow.collection_id == self.state.id)
        with self._sql.reading() as tx:
            for part in in_parts(list(dict.fromkeys(keys))):
                found.update((row.key, stored_chunk(row)) for row in tx.execute(query.where(ChunkRow.key.in_(part))))
            if not found and state_by_id(tx, self.state.id) is None:
                raise self._removed()
        return found

    def document_chunks(self, document: str) -> list[StoredChunk]:
        """The chunks of a document in order; [] when there is none."""
        query = (
            select(*CHUNK_COLUMNS)
            .join(DocumentRow, DocumentRow.id == ChunkRow.document_id)
            .where(DocumentRow.collection_id == self.state.id, DocumentRow.document == document)
            .order_by(ChunkRow.ordinal)
        )
        with self._sql.reading() as tx:
            return [stored_chunk(row) for row in tx.execute(query)]

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best chunks for a disjunction of weighted terms (fields "heading" and "body"), ties by key."""
        asked, wanted = list(clauses), limit
        while True:
            found = self._ask(partial(_found, asked, wanted))
            hits = self._current(found)
            if len(hits) >= limit or len(found) < wanted:
                return hits[:limit]
            wanted = 2 * wanted + _SPARE

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many chunks hold ``term`` in ``field``."""
        return self._ask(lambda index: index.document_frequency(term, field))

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``, the most frequent first."""
        return self._ask(lambda index: index.words_with_prefix(prefix, limit))

    def nearest(self, vector: Vectors, limit: int) -> list[Hit]:
        """The chunks whose vectors are nearest to ``vector`` (dimension,), by cosine; [] when lexical only.

        Raises:
            EmbeddingMismatch: the vector has another dimension than the collection's.
            StoreUnavailable: the database cannot be read. Trouble with Chroma is a warning.
        """
        if not self.state.space or limit < 1:
            return []
        if vector.shape != (self.state.dimension,):
            raise EmbeddingMismatch(
                f"the vectors of {self.state.name!r} have {self.state.dimension} numbers ({self.state.embedder}), the "
                f"question's has the shape {vector.shape}; use the collection's embedder, or index it again"
            )
        asked = limit + _SPARE
        while True:
            found = self._nearest_contents(vector, asked)
            hits = self._scored(found, vector)
            # Contents as near as the last place: which of them came is chance, so all of them are asked for.
            if len(found) < asked or (len(hits) >= limit and hits[limit - 1].score > found[-1].score + _NOISE):
                return hits[:limit]
            asked *= 2

    def vectors(self, keys: Iterable[str]) -> dict[str, Vectors]:
        """Key -> vector (dimension,) of those that have one."""
        query = self._joined(ChunkRow.key, EmbeddingRow.vector)
        found: dict[str, Vectors] = {}
        if not self.state.space:
            return found
        with self._sql.reading() as tx:
            for part in in_parts(list(dict.fromkeys(keys))):
                rows = tx.execute(query.where(ChunkRow.key.in_(part))).all()
                vectors = as_vectors([r.vector for r in rows], self.state.dimension)
                found.update(zip((r.key for r in rows), vectors, strict=True))
        return found

    def _removed(self) -> UnknownCollection:
        return UnknownCollection(f"the collection '{self.state.name}' was removed meanwhile; index it again")

    def _current(self, found: Sequence[tuple[Hit, str]]) -> list[Hit]:
        """The hits whose chunks say what they said when they were indexed."""
        with self._sql.reading() as tx:
            now = state_by_id(tx, self.state.id)
            if now is None:
                raise self._removed()
            if now.version == self.state.lexical_version:
                return [hit for hit, _ in found]  # nothing changed since: no need to look at each
            query = select(ChunkRow.key, ChunkRow.sha256).where(ChunkRow.collection_id == self.state.id)
            contents: dict[str, str] = {}
            for part in in_parts([hit.path for hit, _ in found]):
                contents.update((key, sha256) for key, sha256 in tx.execute(query.where(ChunkRow.key.in_(part))))
        return [hit for hit, sha256 in found if contents.get(hit.path) == sha256]

    def _nearest_contents(self, vector: Vectors, limit: int) -> list[VectorHit]:
        try:
            return self._vectors.ask(partial(_nearest, self.state.space, vector, limit))
        except StoreUnavailable as error:
            self._warn(f"{error}. Search was lexical only")
            return []

    def _scored(self, found: Sequence[VectorHit], vector: Vectors) -> list[Hit]:
        """The chunks that have these contents now, best first, ties by key.

        Scores are computed again: Chroma's float32 noise would decide between equals. Vectors that were replaced by
        another embedder's since this collection was opened give nothing: ``vector`` may be of the new kind already.
        """
        query = self._joined(ChunkRow.key, EmbeddingRow.vector)
        keys: list[str] = []
        vectors: list[bytes] = []
        with self._sql.reading() as tx:
            now = state_by_id(tx, self.state.id)
            if now is None:
                raise self._removed()
            if now.space != self.state.space:
                self._warn("the collection got other vectors meanwhile: search was lexical only; ask again")
                return []
            for part in in_parts([hit.sha256 for hit in found]):
                for row in tx.execute(query.where(ChunkRow.sha256.in_(part))):
                    keys.append(row.key)
                    vectors.append(row.vector)
        scores = as_vectors(vectors, self.state.dimension).astype(np.float64) @ vector.astype(np.float64)
        hits = [Hit(key, round(float(score), _DIGITS)) for key, score in zip(keys, scores, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.path))

    def _joined(self, *columns: Any) -> Select[Any]:
        """A query of chunks that have a vector, with it."""
        return (
            select(*columns)
            .join(EmbeddingRow, EmbeddingRow.sha256 == ChunkRow.sha256)
            .where(ChunkRow.collection_id == self.state.id)
            .where(EmbeddingRow.embedder == self.state.embedder, EmbeddingRow.dimension == self.state.dimension)
        )

    def _ask(self, work: Callable[[LexicalIndex], T]) -> T:
        """What ``work`` gives; a damaged index is made anew first."""
        index = self.lexical
        try:
            return work(index)
        except IndexDamaged:
            with self._mending:
                if self.lexical is index:
                    self.lexical = self._mend()
                    self._warn("a damaged index was rebuilt")
            return work(self.lexical)

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _found(clauses: Sequence[Clause], limit: int, index: LexicalIndex) -> list[tuple[Hit, str]]:
    """Hits, and the content of each as it was indexed."""
    return [(hit, content_of(index.documents[hit.path])) for hit in index.search(clauses, limit)]


def _nearest(space: str, vector: Vectors, limit: int, spaces: Spaces) -> list[VectorHit]:
    return spaces.nearest(space, vector, limit)
