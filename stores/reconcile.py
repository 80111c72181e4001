"""Working the journal off: the lexical index, Chroma and leftovers are brought to what the tables say."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, distinct, func, insert, select, update

from ..state.errors import StoreUnavailable
from ..state.progress import ProgressSink
from .chroma_server import VectorsUnreachable
from .collection_index import build_index, lexical_store
from .collection_rows import VECTORS, changes, grow, has_content, is_embedded, state_by_id
from .embedding import as_vectors, swap_when_complete
from .journal import Target, has_pending, note_contents, spaces_of
from .slots import LexicalStore
from .sql import SqlStore
from .tables import ChunkRow, CollectionRow, CounterRow, EmbeddingRow, JournalRow
from .vectors import Spaces, VectorIndex

_AT_ONCE = 2_000  # contents brought into Chroma while readers wait
_KEYS = 500


class Reconciler:
    """Does what the journal says. Only whoever holds the writer lock may let it change anything.

    Args:
        sql: the database.
        vectors: Chroma.
        folder: of the lexical slots, one folder a collection.
    """

    def __init__(self, sql: SqlStore, vectors: VectorIndex, folder: Path) -> None:
        self._sql = sql
        self._vectors = vectors
        self._folder = folder

    def store(self, uid: str) -> LexicalStore:
        """The lexical slots of a collection."""
        return lexical_store(self._folder / uid)

    def settle(self, collection_id: int, report: ProgressSink = lambda _: None) -> list[str]:
        """Work off what is noted for a collection, and leftovers; warnings about what has to wait.

        Raises:
            StoreUnavailable: disk, database or Chroma's folder cannot be written; the journal keeps what is not done.
        """
        self.publish_lexical(collection_id, report)
        self._drop_folders()
        return self.settle_vectors(collection_id)

    def publish_lexical(self, collection_id: int, report: ProgressSink = lambda _: None) -> None:
        """Make the slot of the collection as it is, if one is asked for, and let it serve.

        Raises:
            StoreUnavailable: the folder or the database cannot be written.
        """
        with self._sql.reading() as tx:
            state = state_by_id(tx, collection_id)
            if state is None or not has_pending(tx, collection_id, Target.LEXICAL):
                return
            upto = tx.execute(select(func.max(JournalRow.id)).where(*_noted(collection_id, Target.LEXICAL))).scalar()
            empty = (
                tx.execute(select(ChunkRow.id).where(ChunkRow.collection_id == collection_id).limit(1)).first() is None
            )
            snapshot = "" if empty else build_index(tx, collection_id, self.store(state.uid), report)[0]
        with self._sql.writing() as tx:
            grow(tx, collection_id, complete=False)  # an answer found with the old slot is not one of this version
            values = {"lexical": snapshot, "lexical_version": CollectionRow.version}
            tx.execute(update(CollectionRow).where(CollectionRow.id == collection_id).values(values))
            tx.execute(delete(JournalRow).where(*_noted(collection_id, Target.LEXICAL), JournalRow.id <= upto))

    def settle_vectors(self, collection_id: int) -> list[str]:
        """Bring Chroma to what the tables say; let complete new vectors serve; warnings when a server is down.

        Raises:
            StoreUnavailable: Chroma's folder or the database cannot be written.
        """
        try:
            self._apply(collection_id)
            with self._sql.writing() as tx:
                swap_when_complete(tx, collection_id)
            self._drop_spaces()
        except VectorsUnreachable as error:
            return [f"{error}. Vectors wait for it; until then search is lexical only"]
        return []

    def diverged(self, collection_id: int) -> list[str]:
        """Spaces whose number of vectors is not what the tables say, though nothing is pending for them.

        That happens when Chroma's folder was deleted, or its server began anew.

        Raises:
            StoreUnavailable: Chroma cannot be read.
        """
        with self._sql.reading() as tx:
            state = state_by_id(tx, collection_id)
            kinds = spaces_of(state) if state else []
            kinds = [kind for kind in kinds if not has_pending(tx, collection_id, Target.VECTOR, kind[0])]
            wanted = {kind[0]: _count(tx, collection_id, *kind[1:]) for kind in kinds}
        return [space for space, count in wanted.items() if self._vectors.ask(partial(_size, space)) != count]

    def note_divergence(self, collection_id: int) -> None:
        """Note what Chroma holds too much and too little, wherever its numbers do not agree with the tables.

        Raises:
            StoreUnavailable: Chroma cannot be read, or the database not written.
        """
        for space in self.diverged(collection_id):
            held = set(self._vectors.ask(partial(_contents, space)))
            with self._sql.writing() as tx:
                state = state_by_id(tx, collection_id)
                for name, embedder, dimension in spaces_of(state) if state else []:
                    if name == space:
                        wanted = set(tx.execute(_embedded(collection_id, embedder, dimension)).scalars())
                        note_contents(tx, collection_id, space, held ^ wanted)

    def _apply(self, collection_id: int) -> None:
        with self._sql.reading() as tx:
            state = state_by_id(tx, collection_id)
        done = False
        for space, embedder, dimension in spaces_of(state) if state else []:
            while self._apply_some(collection_id, space, embedder, dimension):
                done = True
        if done:
            with self._sql.writing() as tx:
                grow(tx, collection_id, complete=True)

    def _apply_some(self, collection_id: int, space: str, embedder: str, dimension: int) -> bool:
        """Bring the next contents of a space to what the tables say; whether there were any."""
        noted = (*_noted(collection_id, Target.VECTOR), JournalRow.space == space)
        with self._sql.reading() as tx:
            rows = tx.execute(
                select(JournalRow.id, JournalRow.item).where(*noted).order_by(JournalRow.id).limit(_AT_ONCE)
            ).all()
            if not rows:
                return False
            contents = sorted({row.item for row in rows})
            known = _vectors_of(tx, collection_id, embedder, dimension, contents)
        upto = rows[-1].id
        present = [sha256 for sha256 in contents if sha256 in known]
        absent = [sha256 for sha256 in contents if sha256 not in known]

        def work(spaces: Spaces) -> None:
            if present:
                spaces.upsert(space, present, as_vectors([known[sha256] for sha256 in present], dimension))
            spaces.delete(space, absent)

        def note() -> int:
            with self._sql.writing() as tx:
                tx.execute(delete(JournalRow).where(*noted, JournalRow.id <= upto))
                return _count_change(tx)

        self._vectors.change(work, note)
        return True

    def _drop_spaces(self) -> None:
        """Delete the spaces that nobody needs any more."""
        for number, space in self._leftovers(Target.DROP_SPACE):

            def work(spaces: Spaces, space: str = space) -> None:
                spaces.drop(space)

            def note(number: int = number) -> int:
                with self._sql.writing() as tx:
                    tx.execute(delete(JournalRow).where(JournalRow.id == number))
                    return _count_change(tx)

            self._vectors.change(work, note)

    def _drop_folders(self) -> None:
        """Delete the lexical slots of removed collections."""
        for number, uid in self._leftovers(Target.DROP_LEXICAL):
            try:
                with suppress(FileNotFoundError):  # never made, or deleted before a crash
                    shutil.rmtree(self._folder / uid)
            except OSError as error:
                raise StoreUnavailable(
                    f"cannot delete {self._folder / uid}: {error}; see to its permissions"
                ) from error
            with self._sql.writing() as tx:
                tx.execute(delete(JournalRow).where(JournalRow.id == number))

    def _leftovers(self, target: Target) -> Sequence[tuple[int, str]]:
        with self._sql.reading() as tx:
            rows = tx.execute(select(JournalRow.id, JournalRow.item).where(JournalRow.target == target))
            return [(row.id, row.item) for row in rows]


def _noted(collection_id: int, target: Target) -> tuple[ColumnElement[bool], ...]:
    return (JournalRow.collection_id == collection_id, JournalRow.target == target)


def _size(space: str, spaces: Spaces) -> int:
    return spaces.count(space)


def _contents(space: str, spaces: Spaces) -> list[str]:
    return spaces.contents(space)


def _count(tx: Connection, collection_id: int, embedder: str, dimension: int) -> int:
    """How many vectors the space of a collection should hold."""
    which = (ChunkRow.collection_id == collection_id, is_embedded(embedder, dimension))
    return tx.execute(select(func.count(distinct(ChunkRow.sha256))).where(*which)).scalar_one()


def _embedded(collection_id: int, embedder: str, dimension: int) -> Select[Any]:
    """The contents whose vectors the space of a collection should hold."""
    return (
        select(EmbeddingRow.sha256)
        .where(EmbeddingRow.embedder == embedder, EmbeddingRow.dimension == dimension)
        .where(has_content(collection_id, EmbeddingRow.sha256))
    )


def _vectors_of(
    tx: Connection, collection_id: int, embedder: str, dimension: int, contents: Sequence[str]
) -> dict[str, bytes]:
    """Content -> vector, of the contents that a chunk of the collection has now."""
    query = _embedded(collection_id, embedder, dimension).add_columns(EmbeddingRow.vector)
    found: dict[str, bytes] = {}
    for start in range(0, len(contents), _KEYS):
        rows = tx.execute(query.where(EmbeddingRow.sha256.in_(contents[start : start + _KEYS])))
        found.update((sha256, vector) for sha256, vector in rows)
    return found


def _count_change(tx: Connection) -> int:
    """Count a write into Chroma's folder; the new number."""
    step = update(CounterRow).where(CounterRow.name == VECTORS).values(value=CounterRow.value + 1)
    if not tx.execute(step).rowcount:
        tx.execute(insert(CounterRow).values(name=VECTORS, value=1))
    return changes(tx)
