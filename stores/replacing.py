"""The one transaction that changes documents: whatever depends on them is noted in it, and nothing half-way is seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from ..state.documents import StoredChunk
from .collection_rows import CollectionState, grow, in_parts
from .journal import note_lexical, note_vectors
from .sql import SqlStore
from .tables import CacheEntryRow, CacheEvidenceRow, ChunkRow, DocumentRow


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document as its source gives it."""

    document: str
    sha256: str
    chunks: Sequence[StoredChunk]


def replace_documents(
    sql: SqlStore, state: CollectionState, incoming: Sequence[Incoming], removed: Sequence[str]
) -> int:
    """Replace and remove documents; the number of cached answers that became stale.

    In the same transaction the version grows, cached answers whose evidence is gone are marked, and the journal notes
    what the lexical index and Chroma have to do.

    Raises:
        StoreUnavailable: the database cannot be written; nothing is changed then.
    """
    with sql.writing() as tx:
        grow(tx, state.id, complete=False)  # first: on a server this locks the row, and who stores an answer waits
        before = _delete(tx, state.id, [*(i.document for i in incoming), *removed])
        _insert(tx, state.id, incoming)
        after = {chunk.key: chunk.sha256 for i in incoming for chunk in i.chunks}
        note_lexical(tx, state.id)
        note_vectors(tx, state, set(before.values()) ^ set(after.values()))
        gone = [key for key, sha256 in before.items() if after.get(key) != sha256]
        return _mark_stale(tx, state.name, _reasons(gone, set(removed)))


def _delete(tx: Connection, collection_id: int, documents: Sequence[str]) -> dict[str, str]:
    """Delete documents with their chunks; the keys of these, and their content hashes."""
    gone: dict[str, str] = {}
    for part in in_parts(documents):
        which = (DocumentRow.collection_id == collection_id, DocumentRow.document.in_(part))
        held = select(ChunkRow.key, ChunkRow.sha256).join(DocumentRow, DocumentRow.id == ChunkRow.document_id)
        gone.update((key, sha256) for key, sha256 in tx.execute(held.where(*which)))
        tx.execute(delete(DocumentRow).where(*which))
    return gone


def _insert(tx: Connection, collection_id: int, incoming: Sequence[Incoming]) -> None:
    if not incoming:
        return
    rows = [{"collection_id": collection_id, "document": i.document, "sha256": i.sha256} for i in incoming]
    made = tx.execute(insert(DocumentRow).returning(DocumentRow.id, DocumentRow.document), rows)
    ids = {document: number for number, document in made}
    chunks = [_chunk_row(collection_id, ids[i.document], chunk) for i in incoming for chunk in i.chunks]
    if chunks:
        tx.execute(insert(ChunkRow), chunks)


def _chunk_row(collection_id: int, document_id: int, chunk: StoredChunk) -> dict[str, object]:
    return {
        "collection_id": collection_id,
        "document_id": document_id,
        "key": chunk.key,
        "ordinal": chunk.ordinal,
        "heading": list(chunk.heading),
        "first": chunk.first,
        "last": chunk.last,
        "text": chunk.text,
        "language": chunk.language,
        "kind": chunk.kind,
        "sha256": chunk.sha256,
    }


def _reasons(gone: Sequence[str], removed: set[str]) -> Mapping[str, list[str]]:
    """Why answers are stale -> the chunks that are not what they were."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for key in gone:
        document = key.rpartition("#")[0]
        reasons[f"document {document!r} was {'removed' if document in removed else 'changed'}"].append(key)
    return reasons


def _mark_stale(tx: Connection, collection: str, reasons: Mapping[str, list[str]]) -> int:
    """Mark cached answers that rest on chunks which are gone; their number."""
    marked = 0
    if (
        tx.execute(select(CacheEvidenceRow.id).where(CacheEvidenceRow.collection == collection).limit(1)).first()
        is None
    ):
        return 0
    for reason, keys in reasons.items():
        for part in in_parts(keys):
            resting = select(CacheEvidenceRow.entry_id).where(
                CacheEvidenceRow.collection == collection, CacheEvidenceRow.chunk.in_(part)
            )
            mark = update(CacheEntryRow).where(CacheEntryRow.stale == "", CacheEntryRow.id.in_(resting))
            marked += tx.execute(mark.values(stale=reason)).rowcount
    return marked
