"""The journal: what the lexical index and Chroma still have to do, noted by the transaction that made it necessary.

A row only says where to look. What is right there is read from the tables when it is worked off, so rows may come
twice and in any order, and a crash at any point costs nothing but doing some of it again.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, literal, or_, select

from .collection_rows import CollectionState, has_content, in_parts
from .tables import EmbeddingRow, JournalRow


class Target(StrEnum):
    """Where something remains to be done; see ``JournalRow``."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    DROP_SPACE = "drop_space"
    DROP_LEXICAL = "drop_lexical"


def note_lexical(tx: Connection, collection_id: int) -> None:
    """The lexical index is behind."""
    tx.execute(insert(JournalRow).values(collection_id=collection_id, target=Target.LEXICAL))


def note_vectors(tx: Connection, state: CollectionState, contents: Collection[str]) -> None:
    """Contents came or went: spaces that have, or should have, their vectors are behind.

    A content without a vector has nothing to do in Chroma yet; it is noted when its vector is made.
    """
    for space, embedder, dimension in spaces_of(state):
        for part in in_parts(sorted(contents)):
            which = (
                EmbeddingRow.embedder == embedder,
                EmbeddingRow.dimension == dimension,
                EmbeddingRow.sha256.in_(part),
            )
            _note_embedded(tx, state.id, space, *which)


def note_known_vectors(tx: Connection, collection_id: int, space: str, embedder: str, dimension: int) -> None:
    """A new space has to get the vectors that are known already."""
    which = (EmbeddingRow.embedder == embedder, EmbeddingRow.dimension == dimension)
    _note_embedded(tx, collection_id, space, *which, has_content(collection_id, EmbeddingRow.sha256))


def note_contents(tx: Connection, collection_id: int, space: str, contents: Collection[str]) -> None:
    """These contents of a space may differ from the tables."""
    rows = [
        {"collection_id": collection_id, "target": Target.VECTOR, "space": space, "item": sha256}
        for sha256 in sorted(contents)
    ]
    if rows:
        tx.execute(insert(JournalRow), rows)


def note_drop(tx: Connection, target: Target, item: str) -> None:
    """Nobody needs this space, or folder, any more; what was to be done there is not."""
    if item:
        tx.execute(delete(JournalRow).where(JournalRow.target == Target.VECTOR, JournalRow.space == item))
        tx.execute(insert(JournalRow).values(target=target, item=item))


def has_pending(tx: Connection, collection_id: int, target: Target | None = None, space: str | None = None) -> bool:
    """Whether anything remains to be done for a collection, or for nobody's leftovers."""
    whose = JournalRow.collection_id == collection_id
    query = exists().where(or_(whose, JournalRow.collection_id.is_(None)) if target is None else whose)
    if target is not None:
        query = query.where(JournalRow.target == target)
    if space is not None:
        query = query.where(JournalRow.space == space)
    return bool(tx.execute(select(query)).scalar())


def spaces_of(state: CollectionState) -> list[tuple[str, str, int]]:
    """(space, embedder, dimension) of the vectors that serve and of those that are being made."""
    both = [
        (state.space, state.embedder, state.dimension),
        (state.next_space, state.next_embedder, state.next_dimension),
    ]
    return [kind for kind in both if kind[0]]


def new_space(uid: str) -> str:
    """A name that no space ever had."""
    return f"{uid}-{uuid.uuid4().hex[:12]}"


def _note_embedded(tx: Connection, collection_id: int, space: str, *which: ColumnElement[bool]) -> None:
    columns = ["collection_id", "target", "space", "item"]
    values = (literal(collection_id), literal(str(Target.VECTOR)), literal(space), EmbeddingRow.sha256)
    tx.execute(insert(JournalRow).from_select(columns, select(*values).where(*which)))
