"""Vectors for contents that have none: computed once a content and embedder, kept in the tables, noted for Chroma."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sqlalchemy import Connection, delete, insert, or_, select, tuple_, update

from ..state.document_ports import Embedder, Vectors
from ..state.errors import EmbedderUnavailable
from ..state.progress import IndexProgress, ProgressSink
from .chunk_text import embedded_text
from .collection_rows import CollectionState, grow, in_parts, missing_vectors, state_by_id
from .journal import Target, has_pending, new_space, note_contents, note_drop, note_known_vectors
from .sql import SqlStore
from .tables import ChunkRow, CollectionRow, EmbeddingRow

_BATCH = 64  # contents a transaction: what a killed run computes again at most
_SETTLE_AT = 1_000  # new vectors after which Chroma gets them

FLOAT = np.dtype("<f4")
"""How vectors stand in the tables."""


def aim(tx: Connection, state: CollectionState, kind: tuple[str, int]) -> str:
    """The space that the vectors of an embedder (name, dimension) go into.

    It is the one that serves, or one that takes its place when it is complete; vectors of two kinds are never mixed.
    """
    if kind == (state.next_embedder, state.next_dimension) and state.next_space:
        return state.next_space
    note_drop(tx, Target.DROP_SPACE, state.next_space)
    if kind == (state.embedder, state.dimension):
        _set_next(tx, state.id, "", 0, "")
        return state.space
    space = new_space(state.uid)
    _set_next(tx, state.id, *kind, space)
    note_known_vectors(tx, state.id, space, *kind)
    return space


def embed_missing(
    sql: SqlStore,
    collection_id: int,
    embedder: Embedder,
    space: str,
    report: ProgressSink,
    settle: Callable[[], object],
) -> None:
    """Compute the vectors of all contents that have none, a transaction a batch.

    Args:
        sql: the database.
        collection_id: of the collection.
        embedder: computes them.
        space: that they go into.
        report: told about progress, phase "embedding".
        settle: brings them into Chroma; called now and then.

    Raises:
        EmbedderUnavailable: earlier batches are kept.
        StoreUnavailable: likewise.
    """
    kind = (embedder.name, embedder.dimension)
    with sql.reading() as tx:
        missing = missing_vectors(tx, collection_id, *kind)
    done, settled = 0, 0
    for part in in_parts(missing, _BATCH):
        report(IndexProgress(done=done, total=len(missing), phase="embedding"))
        with sql.reading() as tx:
            columns = select(ChunkRow.sha256, ChunkRow.heading, ChunkRow.text)
            chunks = tx.execute(columns.where(ChunkRow.id.in_(part)).order_by(ChunkRow.id)).all()
        vectors = _checked(
            embedder, embedder.documents([embedded_text(c.heading, c.text) for c in chunks]), len(chunks)
        )
        _keep(sql, collection_id, space, kind, [c.sha256 for c in chunks], vectors)
        done += len(part)
        if done - settled >= _SETTLE_AT:
            settle()
            settled = done
    report(IndexProgress(done=done, total=done, phase="embedding"))


def swap_when_complete(tx: Connection, collection_id: int) -> bool:
    """Let new vectors serve when every chunk has one and Chroma has them all; whether they now do."""
    state = state_by_id(tx, collection_id)
    if state is None or not state.next_space:
        return False
    if has_pending(tx, collection_id, Target.VECTOR, state.next_space):
        return False
    if missing_vectors(tx, collection_id, state.next_embedder, state.next_dimension):
        return False
    values = {"embedder": state.next_embedder, "dimension": state.next_dimension, "space": state.next_space}
    tx.execute(update(CollectionRow).where(CollectionRow.id == collection_id).values(values))
    _set_next(tx, collection_id, "", 0, "")
    note_drop(tx, Target.DROP_SPACE, state.space)
    grow(tx, collection_id, complete=True)
    return True


def forget_unused(tx: Connection) -> None:
    """Delete the vectors of contents that no chunk has, and of embedders that no collection uses."""
    used = or_(
        tuple_(EmbeddingRow.embedder, EmbeddingRow.dimension).in_(
            select(CollectionRow.embedder, CollectionRow.dimension)
        ),
        tuple_(EmbeddingRow.embedder, EmbeddingRow.dimension).in_(
            select(CollectionRow.next_embedder, CollectionRow.next_dimension)
        ),
    )
    held = select(ChunkRow.id).where(ChunkRow.sha256 == EmbeddingRow.sha256).exists()
    tx.execute(delete(EmbeddingRow).where(or_(~held, ~used)))


def as_vectors(rows: Sequence[bytes], dimension: int) -> Vectors:
    """The vectors (n, dimension) of rows of the tables."""
    return np.frombuffer(b"".join(rows), dtype=FLOAT).reshape(len(rows), dimension).astype(np.float32)


def _set_next(tx: Connection, collection_id: int, embedder: str, dimension: int, space: str) -> None:
    values = {"next_embedder": embedder, "next_dimension": dimension, "next_space": space}
    tx.execute(update(CollectionRow).where(CollectionRow.id == collection_id).values(values))


def _checked(embedder: Embedder, vectors: Vectors, count: int) -> Vectors:
    """The vectors, if they are what the embedder promised: vectors of two kinds are never mixed."""
    found = np.asarray(vectors)
    if found.shape != (count, embedder.dimension) or not np.isfinite(found).all():
        raise EmbedderUnavailable(
            f"{embedder.name} gave vectors of shape {found.shape} for {count} texts, or numbers that are not finite; "
            f"({count}, {embedder.dimension}) was promised: see whether its model changed"
        )
    return found


def _keep(
    sql: SqlStore, collection_id: int, space: str, kind: tuple[str, int], contents: Sequence[str], vectors: Vectors
) -> None:
    rows = [
        {"embedder": kind[0], "dimension": kind[1], "sha256": sha256, "vector": vector.astype(FLOAT).tobytes()}
        for sha256, vector in zip(contents, vectors, strict=True)
    ]
    with sql.writing() as tx:
        tx.execute(insert(EmbeddingRow), rows)
        note_contents(tx, collection_id, space, contents)
