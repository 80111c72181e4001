"""All collections of an installation: tables that hold the truth, a lexical index and Chroma that follow them."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from sqlalchemy import delete, insert, update

from ..state.document_ports import ChunkSource, Embedder
from ..state.documents import CollectionInfo, IndexReport
from ..state.errors import CallerError, EmbedderUnavailable, NoDocuments, UnknownCollection
from ..state.progress import ProgressSink
from .chroma_local import LocalVectors
from .chroma_server import ServerVectors
from .collection_embedders import CollectionEmbedders, EmbedderFor
from .collection_rows import CollectionState, changes, collection_infos, missing_vectors, state_of
from .embedding import aim, embed_missing, forget_unused
from .intake import Intake
from .journal import Target, has_pending, note_drop
from .open_collection import OpenCollection
from .opening import Openings
from .reconcile import Reconciler
from .sql import SqlStore
from .tables import CacheEntryRow, CollectionRow
from .vectors import VectorIndex
from .writer_lock import WriterLock

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


class SqlCollections:
    """Collections in a database, with lexical indexes and Chroma's vectors in a folder.

    Processes may share database and folder. Hosts that share a PostgreSQL server have a folder each, and should share a
    Chroma server too.

    Args:
        place: path of a SQLite file, or a database URL.
        data_dir: where lexical indexes, vectors and the writers' lock live.
        embedder_for: finds the embedder of a collection's vectors by its name.
        default_embedder: embeds what is indexed; None keeps collections lexical only.
        chroma_url: of a Chroma server; None keeps vectors in ``data_dir``.
        patience: seconds to wait for another writer.
        keep: how many opened collections stay in memory.

    Raises:
        StoreUnavailable: from every method, when database, folder or Chroma cannot be used.
    """

    def __init__(
        self,
        place: str | Path,
        data_dir: Path,
        embedder_for: EmbedderFor,
        default_embedder: Embedder | None,
        chroma_url: str | None = None,
        patience: float = 600.0,
        keep: int = 8,
    ) -> None:
        self.sql = SqlStore(place)
        self.vectors: VectorIndex = (
            ServerVectors(chroma_url) if chroma_url else LocalVectors(data_dir / "chroma", self._changes)
        )
        self._reconciler = Reconciler(self.sql, self.vectors, data_dir / "lexical")
        self._writer = WriterLock(data_dir / "writer.lock", self.sql, patience)
        self._embedders = CollectionEmbedders(embedder_for, default_embedder)
        self._openings = Openings(self.sql, self.vectors, self._reconciler, self._writer, keep)

    def open(self, name: str) -> OpenCollection:
        """The collection as it is now; what a crash left to do is done first, unless somebody is writing.

        Raises:
            UnknownCollection: there is none of that name.
            EmptyCollection: it holds no searchable document.
            EmbeddingMismatch: its vectors come from another embedder than the configured one.
            StoreUnavailable: database or folder cannot be read.
        """
        state, pending = self._look(name)
        notes = self._openings.finish(state.id) if pending else []
        if pending:
            state, _ = self._look(name)
        notes += self._embedders.check(state)
        opened, found = self._openings.open(state)
        if opened.state.space and not self.vectors.reachable():
            notes.append(f"the Chroma server {self.vectors.name} does not answer: search is lexical only")
        opened.warnings[:] = dict.fromkeys([*opened.standing, *notes, *found])
        return opened

    def opened(self, name: str, version: int) -> OpenCollection:
        """The collection at the version a request began with, or as it is now when that version is gone."""
        return self._openings.held(name, version) or self.open(name)

    def names(self) -> list[CollectionInfo]:
        """Every collection, by name."""
        with self.sql.reading() as tx:
            return collection_infos(tx)

    def embedder(self, name: str) -> Embedder | None:
        """The embedder of a collection's vectors; None when it is lexical only or its embedder is not installed.

        Raises:
            UnknownCollection: there is none of that name.
        """
        return self._embedders.find(self._look(name)[0].embedder)

    def index(
        self,
        name: str,
        domain: str,
        sources: Iterable[ChunkSource],
        *,
        prune: bool = True,
        report: ProgressSink = lambda _: None,
    ) -> IndexReport:
        """Bring a collection up to date with ``sources``; with ``prune``, documents that are not among them go.

        A run that is stopped, or fails, keeps what it has done; the next one goes on from there.

        Raises:
            CallerError: ``name`` is no name for a collection.
            NoDocuments: ``sources`` is empty; nothing is changed then.
            StoreUnavailable: disk, database or Chroma's folder cannot be written, or another writer takes too long.
        """
        begin = time.monotonic()
        if not _NAME.fullmatch(name):
            raise CallerError(f"{name!r} is no name for a collection: take letters, digits, dots, dashes, at most 63")
        with self._writer.held(report):
            intake = self._take_in(name, domain, sources, prune, report)
            state, _ = self._look(name)
            warnings = intake.warnings + self._follow(state, report)
        (info,) = self._infos(name)
        return IndexReport(
            collection=name,
            domain=domain,
            added=intake.added,
            changed=intake.changed,
            removed=intake.removed,
            unchanged=intake.unchanged,
            chunks=info.chunks,
            embedder=info.embedder,
            skipped=intake.skipped,
            stale_answers=intake.stale,
            warnings=list(dict.fromkeys(warnings)),
            seconds=time.monotonic() - begin,
        )

    def remove(self, name: str) -> None:
        """Delete a collection with its index, vectors and cached answers.

        Raises:
            UnknownCollection: there is none of that name.
            StoreUnavailable: another writer takes too long, or something cannot be deleted: the next writer does.
        """
        self._look(name)
        with self._writer.held(lambda _: None):
            state, _ = self._look(name)
            with self.sql.writing() as tx:
                tx.execute(delete(CacheEntryRow).where(CacheEntryRow.collection == name))
                tx.execute(delete(CollectionRow).where(CollectionRow.id == state.id))
                note_drop(tx, Target.DROP_SPACE, state.space)
                note_drop(tx, Target.DROP_SPACE, state.next_space)
                note_drop(tx, Target.DROP_LEXICAL, state.uid)
                forget_unused(tx)
            self._reconciler.settle(state.id)
        self._openings.forget(name)

    def close(self) -> None:
        """Forget all opened collections, close files and connections."""
        self._openings.forget()
        self.vectors.close()
        self.sql.close()

    def _look(self, name: str) -> tuple[CollectionState, bool]:
        """The collection's row, and whether something remains to be done for it.

        Raises:
            UnknownCollection: there is none of that name.
        """
        with self.sql.reading() as tx:
            state = state_of(tx, name)
            if state is not None:
                return state, has_pending(tx, state.id)
            known = ", ".join(info.name for info in collection_infos(tx)) or "none"
        raise UnknownCollection(
            f"no collection {name!r} (there are: {known}); run `iterative-retrieval index {name} PATH` first"
        )

    def _infos(self, name: str) -> list[CollectionInfo]:
        with self.sql.reading() as tx:
            return collection_infos(tx, name)

    def _changes(self) -> int:
        with self.sql.reading() as tx:
            return changes(tx)

    def _take_in(
        self, name: str, domain: str, sources: Iterable[ChunkSource], prune: bool, report: ProgressSink
    ) -> Intake:
        """Read the documents into the tables. A collection without any is not begun."""
        state, is_new = self._begin(name, domain)
        intake = Intake(self.sql, state, report)
        try:
            intake.take(sources)
        except NoDocuments:
            if is_new:
                with self.sql.writing() as tx:
                    tx.execute(delete(CollectionRow).where(CollectionRow.id == state.id))
            raise
        if prune:
            intake.prune()
        return intake

    def _begin(self, name: str, domain: str) -> tuple[CollectionState, bool]:
        """The collection's row, and whether it was made just now."""
        with self.sql.writing() as tx:
            found = state_of(tx, name)
            if found is None:
                tx.execute(insert(CollectionRow).values(uid=uuid.uuid4().hex[:16], name=name, domain=domain))
            elif found.domain != domain:
                tx.execute(update(CollectionRow).where(CollectionRow.id == found.id).values(domain=domain))
            state = state_of(tx, name)
        assert state is not None
        return state, found is None

    def _follow(self, state: CollectionState, report: ProgressSink) -> list[str]:
        """Bring lexical index and vectors to what the tables say now; warnings."""
        self._reconciler.publish_lexical(state.id, report)
        self.vectors.reachable(patient=True)
        warnings = self._embed(state, report)
        if self.vectors.reachable(patient=True):
            self._reconciler.note_divergence(state.id)
        warnings += self._reconciler.settle(state.id)
        with self.sql.writing() as tx:
            forget_unused(tx)
        return warnings

    def _embed(self, state: CollectionState, report: ProgressSink) -> list[str]:
        """Make the vectors that are missing; warnings about those that cannot be made now."""
        embedder = self._embedders.default or self._embedders.find(state.embedder)
        if embedder is None:
            return self._without_vectors(state, f"the embedder {state.embedder} is not installed")
        try:
            kind = (embedder.name, embedder.dimension)
            with self.sql.writing() as tx:
                space = aim(tx, state, kind)
            settle = partial(self._reconciler.settle_vectors, state.id)
            embed_missing(self.sql, state.id, embedder, space, report, settle)
        except EmbedderUnavailable as error:
            return self._without_vectors(state, str(error)) or [str(error)]
        return []

    def _without_vectors(self, state: CollectionState, why: str) -> list[str]:
        """A warning about the contents that the serving vectors lack, if any."""
        if not state.embedder:
            return []
        with self.sql.reading() as tx:
            missing = len(missing_vectors(tx, state.id, state.embedder, state.dimension))
        return [f"{why}: {missing} chunks are found by their words only; index again when it is"] if missing else []
