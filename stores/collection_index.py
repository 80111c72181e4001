"""The lexical index of a collection: a slot that is a function of the tables, so any process can make it."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from ..state.progress import IndexProgress, ProgressSink
from .chunk_text import CHUNKS, field_terms
from .collection_rows import in_parts
from .lexical import LexicalIndex
from .segments import Document, Segment, engine_errors, segment_size, write_rows
from .slots import LexicalStore
from .tables import ChunkRow

_KIND = "chunks"
_SEGMENT = 1_000  # chunks; they are small, and those of a document stand together, so an edit writes one or two


def lexical_store(folder: Path) -> LexicalStore:
    """The slots of a collection."""
    return LexicalStore(folder, CHUNKS)


def build_index(
    tx: Connection, collection_id: int, store: LexicalStore, report: ProgressSink = lambda _: None
) -> tuple[str, LexicalIndex]:
    """The slot of a collection as the transaction sees it, and its index; made when it is not there.

    Only segments with a chunk that changed are written anew.

    Args:
        tx: a transaction that sees one state from beginning to end.
        collection_id: of a collection with chunks.
        store: of its slots.
        report: told about progress, phase "lexical".

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    listed = _listed(tx, collection_id)
    snapshot = f"{_KIND}-{_fingerprint(listed)}"
    index = store.open(snapshot)
    if index is not None:
        return snapshot, index
    with store.building() as work:
        reuse = store.reuse(work, _KIND, listed)
        segments = list(reuse.segments)
        held = {d.path for s in segments for d in s.documents}
        rest = sorted(key for key in listed if key not in held)
        report(IndexProgress(done=0, total=len(rest), phase="lexical"))
        done = 0
        for part in in_parts(rest, max(_SEGMENT, segment_size(len(listed)))):
            first = max((s.end for s in segments), default=0)
            segments.append(_write(tx, collection_id, work, first, part))
            done += len(part)
            report(IndexProgress(done=done, total=len(rest), phase="lexical"))
        return snapshot, store.publish(work, snapshot, segments)


def content_of(document: Document) -> str:
    """The content hash of an indexed chunk."""
    return document.blob


def _listed(tx: Connection, collection_id: int) -> dict[str, str]:
    """Chunk key -> everything that its terms depend on, but for the key itself."""
    rows = tx.execute(
        select(ChunkRow.key, ChunkRow.sha256, ChunkRow.language).where(ChunkRow.collection_id == collection_id)
    )
    return {key: f"{sha256}{language}" for key, sha256, language in rows}


def _fingerprint(listed: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for key in sorted(listed):
        digest.update(f"{key}\0{listed[key]}\0".encode())
    return digest.hexdigest()[:32]


def _write(tx: Connection, collection_id: int, work: Path, first: int, keys: Sequence[str]) -> Segment:
    """Write a segment of these chunks into the folder."""
    documents, rows = [], []
    for document, row in _analysed(tx, collection_id, keys):
        documents.append(document)
        rows.append(row)
    with engine_errors(work):
        piece = Path(tempfile.mkdtemp(dir=work))
        segment = write_rows(piece, CHUNKS, first, documents, rows)
        for name in segment.files:
            os.rename(piece / name, work / name)
        shutil.rmtree(piece)
    return segment


def _analysed(tx: Connection, collection_id: int, keys: Sequence[str]) -> Iterator[tuple[Document, tuple[str, str]]]:
    """Chunks with the terms of their fields, in the order of their keys."""
    columns = (ChunkRow.key, ChunkRow.heading, ChunkRow.text, ChunkRow.language, ChunkRow.sha256)
    for part in in_parts(keys):
        query = select(*columns).where(ChunkRow.collection_id == collection_id, ChunkRow.key.in_(part))
        for key, heading, text, language, sha256 in sorted(tx.execute(query), key=lambda row: str(row.key)):
            heading_terms, body_terms = field_terms(key.rpartition("#")[0], heading, text, language)
            listed = f"{sha256}{language}"
            length = len(body_terms.split())
            yield Document(key, sha256, listed, length, language, "", False), (heading_terms, body_terms)
