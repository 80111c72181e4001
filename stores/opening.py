"""Collections opened for reading, the latest ones kept warm."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from functools import partial

from ..state.errors import EmptyCollection, StoreUnavailable
from .collection_index import build_index
from .collection_rows import CollectionState, collection_infos, missing_vectors, state_by_id
from .lexical import LexicalIndex
from .open_collection import OpenCollection
from .reconcile import Reconciler
from .sql import SqlStore
from .vectors import VectorIndex
from .writer_lock import WriterLock


class Openings:
    """Opens collections at the version they have now.

    Args:
        sql: the database.
        vectors: Chroma.
        reconciler: does what was left undone.
        writer: the right to do so.
        keep: how many opened versions stay in memory.
    """

    def __init__(
        self, sql: SqlStore, vectors: VectorIndex, reconciler: Reconciler, writer: WriterLock, keep: int
    ) -> None:
        self._sql = sql
        self._vectors = vectors
        self._reconciler = reconciler
        self._writer = writer
        self._keep = keep
        self._held: OrderedDict[tuple[str, int], OpenCollection] = OrderedDict()
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def open(self, state: CollectionState) -> tuple[OpenCollection, list[str]]:
        """The collection of a row that was read just now, and warnings that hold for the moment.

        Raises:
            EmptyCollection: it holds no searchable document.
            StoreUnavailable: database or folder cannot be read.
        """
        with self._opening:  # one at a time; others then find it warm
            warm = self._warm(state)
            return (warm, []) if warm else self._bring_up(state)

    def held(self, name: str, version: int) -> OpenCollection | None:
        """An opened version, if it is still held."""
        with self._lock:
            return self._held.get((name, version))

    def finish(self, collection_id: int) -> list[str]:
        """Do what a crash left, unless somebody is writing; warnings about what cannot be done."""
        try:
            with self._writer.tried() as got:
                return self._reconciler.settle(collection_id) if got else []
        except StoreUnavailable as error:  # reading goes on with what there is
            return [str(error)]

    def forget(self, name: str | None = None) -> None:
        """Let go of the opened versions of a collection, or of all."""
        with self._lock:
            for key in [key for key in self._held if name in (None, key[0])]:
                del self._held[key]

    def _warm(self, state: CollectionState) -> OpenCollection | None:
        """The collection as it is, if it is held."""
        with self._lock:
            found = self._held.get((state.name, state.version))
            if found is None or found.state.uid != state.uid or not found.lexical.untouched():
                return None
            self._held.move_to_end((state.name, state.version))
            return found

    def _bring_up(self, state: CollectionState) -> tuple[OpenCollection, list[str]]:
        notes, standing = self._heal(state), []
        with self._sql.reading() as tx:
            now = state_by_id(tx, state.id)
            infos = collection_infos(tx, state.name)
            chunks = infos[0].chunks if infos else 0
            if now is None or not chunks or not now.lexical:
                raise EmptyCollection(_nothing_yet(state.name) if chunks else _nothing(state.name))
            missing = len(missing_vectors(tx, now.id, now.embedder, now.dimension)) if now.space else 0
        if missing:
            standing.append(f"{missing} chunks have no vector yet: they are found by their words only")
        index, complete_at = self._index(now)
        now = replace(now, lexical_version=complete_at)
        mend = partial(self._mended, now)
        opened = OpenCollection(self._sql, now, infos[0], index, self._vectors, mend, standing)
        with self._lock:
            self._held[(now.name, now.version)] = opened
            while len(self._held) > self._keep:
                self._held.popitem(last=False)
        return opened, notes

    def _index(self, state: CollectionState) -> tuple[LexicalIndex, int]:
        """The index that serves, and the version it is complete at; one made now when its slot is gone or damaged."""
        index = self._shared(state) or self._reconciler.store(state.uid).open(state.lexical)
        if index is not None:
            return index, state.lexical_version
        with self._sql.reading() as tx:
            now = state_by_id(tx, state.id) or state
            return build_index(tx, state.id, self._reconciler.store(state.uid))[1], now.version

    def _shared(self, state: CollectionState) -> LexicalIndex | None:
        """The index of a held version that has the same slot."""
        with self._lock:
            for held in reversed(self._held.values()):
                if (held.state.uid, held.state.lexical) == (state.uid, state.lexical) and held.lexical.untouched():
                    return held.lexical
        return None

    def _mended(self, state: CollectionState) -> LexicalIndex:
        """An index in place of a damaged one."""
        store = self._reconciler.store(state.uid)
        store.discard(state.lexical)
        with self._sql.reading() as tx:
            return build_index(tx, state.id, store)[1]

    def _heal(self, state: CollectionState) -> list[str]:
        """Fill Chroma again when it lost what it held; warnings when that cannot be done now."""
        try:
            if not state.space or not self._vectors.reachable() or not self._reconciler.diverged(state.id):
                return []
            with self._writer.tried() as got:
                if got:
                    self._reconciler.note_divergence(state.id)
                    return self._reconciler.settle(state.id)
        except StoreUnavailable as error:
            return [f"{error}. Search is lexical only"]
        return []


def _nothing(name: str) -> str:
    return f"the collection {name!r} holds no searchable document; run `iterative-retrieval index {name} PATH`"


def _nothing_yet(name: str) -> str:
    return f"the collection {name!r} is being indexed for the first time; ask again when that is done"
