"""Rows of collections and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, exists, func, select, update

from ..state.documents import CollectionInfo, StoredChunk
from .tables import ChunkRow, CollectionRow, CounterRow, DocumentRow, EmbeddingRow

KEYS_AT_ONCE = 500  # older SQLite libraries take at most 999 parameters

VECTORS = "vectors"
"""The counter of writes into Chroma's folder."""


@dataclass(frozen=True, slots=True)
class CollectionState:
    """A row of ``CollectionRow`` as it was read."""

    id: int
    uid: str
    name: str
    domain: str
    version: int
    embedder: str
    dimension: int
    space: str
    next_embedder: str
    next_dimension: int
    next_space: str
    lexical: str
    lexical_version: int


def state_of(tx: Connection, name: str) -> CollectionState | None:
    """The collection of that name; None when there is none."""
    return _state(tx, CollectionRow.name == name)


def state_by_id(tx: Connection, collection_id: int) -> CollectionState | None:
    """The collection of that id; None when it was removed."""
    return _state(tx, CollectionRow.id == collection_id)


def collection_infos(tx: Connection, name: str | None = None) -> list[CollectionInfo]:
    """Every collection at a glance (or the one of that name), by name."""
    chosen = (
        select(CollectionRow.id).where(CollectionRow.name == name) if name is not None else select(CollectionRow.id)
    )
    documents = _counts(tx, DocumentRow.collection_id, chosen)
    chunks = _counts(tx, ChunkRow.collection_id, chosen)
    rows = tx.execute(_COLUMNS.where(CollectionRow.id.in_(chosen)))
    return [
        CollectionInfo(
            name=row.name,
            domain=row.domain,
            version=row.version,
            documents=documents.get(row.id, 0),
            chunks=chunks.get(row.id, 0),
            embedder=row.embedder,
            dimension=row.dimension,
        )
        for row in sorted(rows, key=lambda row: row.name)
    ]


def grow(tx: Connection, collection_id: int, complete: bool) -> None:
    """Count a change of what a reader can find.

    complete: the lexical slot holds it too, when it held everything before.
    """
    follows = CollectionRow.lexical_version == CollectionRow.version
    values: dict[str, Any] = {"version": CollectionRow.version + 1}
    if complete:
        values["lexical_version"] = CollectionRow.lexical_version + case((follows, 1), else_=0)
    tx.execute(update(CollectionRow).where(CollectionRow.id == collection_id).values(values))


def changes(tx: Connection) -> int:
    """How often processes wrote into Chroma's folder."""
    return tx.execute(select(CounterRow.value).where(CounterRow.name == VECTORS)).scalar() or 0


def has_content(collection_id: int, sha256: Any) -> ColumnElement[bool]:
    """Whether a chunk of the collection has that content now."""
    return exists().where(ChunkRow.collection_id == collection_id, ChunkRow.sha256 == sha256)


def is_embedded(embedder: str, dimension: int) -> ColumnElement[bool]:
    """Whether the content of a chunk has a vector."""
    return exists().where(
        EmbeddingRow.embedder == embedder, EmbeddingRow.dimension == dimension, EmbeddingRow.sha256 == ChunkRow.sha256
    )


def missing_vectors(tx: Connection, collection_id: int, embedder: str, dimension: int) -> list[int]:
    """Of each content without a vector, the id of one chunk that holds it, in order."""
    query = (
        select(func.min(ChunkRow.id))
        .where(ChunkRow.collection_id == collection_id, ~is_embedded(embedder, dimension))
        .group_by(ChunkRow.sha256)
    )
    return sorted(tx.execute(query).scalars())


CHUNK_COLUMNS = (
    *(ChunkRow.key, ChunkRow.ordinal, ChunkRow.heading, ChunkRow.first, ChunkRow.last),
    *(ChunkRow.text, ChunkRow.language, ChunkRow.kind, ChunkRow.sha256),
)


def stored_chunk(row: Any) -> StoredChunk:
    """The chunk of a row of ``CHUNK_COLUMNS``."""
    return StoredChunk(
        document=row.key.rpartition("#")[0],
        ordinal=row.ordinal,
        heading=tuple(row.heading),
        first=row.first,
        last=row.last,
        text=row.text,
        language=row.language,
        kind=row.kind,
        sha256=row.sha256,
    )


def in_parts(keys: Sequence[Any], most: int = KEYS_AT_ONCE) -> Iterator[Sequence[Any]]:
    """The keys in parts that a statement can take."""
    for start in range(0, len(keys), most):
        yield keys[start : start + most]


_COLUMNS = select(*(getattr(CollectionRow, f.name) for f in fields(CollectionState)))


def _state(tx: Connection, which: ColumnElement[bool]) -> CollectionState | None:
    row = tx.execute(_COLUMNS.where(which)).one_or_none()
    return CollectionState(**row._mapping) if row is not None else None


def _counts(tx: Connection, column: Any, chosen: Select[Any]) -> dict[int, int]:
    rows = tx.execute(select(column, func.count()).where(column.in_(chosen)).group_by(column))
    return {row[0]: row[1] for row in rows}
