"""One run's reading of documents: those that changed go into the tables, a batch a transaction."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sized
from dataclasses import fields

from sqlalchemy import select

from ..state.document_ports import ChunkSource
from ..state.documents import DocumentChunk, Skipped, SkipReason, StoredChunk
from ..state.errors import DocumentSkipped, NoDocuments
from ..state.progress import IndexProgress, ProgressSink
from .chunk_text import content_hash
from .collection_rows import CollectionState, in_parts
from .replacing import Incoming, replace_documents
from .sql import SqlStore
from .tables import DocumentRow

_CHUNKS, _DOCUMENTS, _SECONDS = 1_000, 200, 2.0  # a batch ends with whichever comes first
_LONGEST_ID = 1_000  # characters; PostgreSQL indexes no more than some 2,700 bytes


class Intake:
    """Documents on their way into a collection.

    Args:
        sql: the database.
        state: the collection.
        report: told about progress, phase "reading".
    """

    def __init__(self, sql: SqlStore, state: CollectionState, report: ProgressSink) -> None:
        self._sql = sql
        self._state = state
        self._report = report
        with sql.reading() as tx:
            rows = tx.execute(
                select(DocumentRow.document, DocumentRow.sha256).where(DocumentRow.collection_id == state.id)
            )
            self._known = {row.document: row.sha256 for row in rows}
        self._seen: set[str] = set()
        self._batch: list[Incoming] = []
        self._committed = time.monotonic()
        self.added = self.changed = self.removed = self.unchanged = self.stale = 0
        self.skipped: list[Skipped] = []
        self.warnings: list[str] = []

    def take(self, sources: Iterable[ChunkSource]) -> None:
        """Bring the documents in; one that is known costs nothing but a look at its hash.

        Raises:
            NoDocuments: there is none; nothing is changed then.
            StoreUnavailable: the database cannot be written; earlier batches are kept.
        """
        total = len(sources) if isinstance(sources, Sized) else 0
        for done, source in enumerate(sources, start=1):
            self._one(source)
            if self._is_full():
                self._commit()
            self._report(IndexProgress(done=done, total=total, phase="reading"))
        if not self._seen:
            raise NoDocuments(f"no document for the collection {self._state.name!r}; nothing was changed")
        self._commit()

    def prune(self) -> None:
        """Remove the documents that were not among the sources."""
        for part in in_parts(sorted(self._known.keys() - self._seen)):
            self.stale += replace_documents(self._sql, self._state, [], part)
            self.removed += len(part)

    def _one(self, source: ChunkSource) -> None:
        document = source.document
        if document in self._seen:
            self.warnings.append(f"document {printable(document)!r} came twice; the first one counts")
            return
        self._seen.add(document)
        try:
            _check_id(document)
            if self._known.get(document) == source.sha256:
                self.unchanged += 1
            else:
                self._batch.append(_incoming(source))
        except DocumentSkipped as skipped:
            self._skip(document, skipped)

    def _skip(self, document: str, skipped: DocumentSkipped) -> None:
        """What was indexed before stays: nothing is lost because a file cannot be read today."""
        name, detail = printable(document), printable(skipped.detail)
        self.skipped.append(Skipped(document=name, reason=SkipReason(skipped.reason), detail=detail))
        if document in self._known:
            self.warnings.append(f"document {name!r} stays as it was indexed before: {detail}")

    def _is_full(self) -> bool:
        waits = time.monotonic() - self._committed > _SECONDS
        return waits or len(self._batch) >= _DOCUMENTS or sum(len(i.chunks) for i in self._batch) >= _CHUNKS

    def _commit(self) -> None:
        if self._batch:
            self.stale += replace_documents(self._sql, self._state, self._batch, [])
            changed = sum(i.document in self._known for i in self._batch)
            self.changed += changed
            self.added += len(self._batch) - changed
            self._batch = []
        self._committed = time.monotonic()


def printable(text: str) -> str:
    """The text with lone surrogates as escapes: it can be encoded."""
    return text.encode("utf-8", "backslashreplace").decode()


def _incoming(source: ChunkSource) -> Incoming:
    """The document of a source.

    Raises:
        DocumentSkipped: it cannot be taken in, or holds what no database keeps.
    """
    chunks = [_stored(source.document, chunk) for chunk in source.chunks()]
    return Incoming(source.document, source.sha256, chunks)


def _stored(document: str, chunk: DocumentChunk) -> StoredChunk:
    if not (_is_storable(chunk.text) and all(map(_is_storable, chunk.heading))):
        raise DocumentSkipped(
            document,
            SkipReason.UNREADABLE,
            f"lines {chunk.first} to {chunk.last} hold NUL or half characters; mend them",
        )
    values = {f.name: getattr(chunk, f.name) for f in fields(DocumentChunk)}
    return StoredChunk(**values, sha256=content_hash(chunk))


def _check_id(document: str) -> None:
    if not _is_storable(document) or not document:
        raise DocumentSkipped(document, SkipReason.UNREADABLE, "its name is no valid text; rename it")
    if len(document) > _LONGEST_ID:
        raise DocumentSkipped(
            document, SkipReason.UNREADABLE, f"its name has more than {_LONGEST_ID} characters; give a nearer folder"
        )


def _is_storable(text: str) -> bool:
    """Whether both databases keep the text as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
