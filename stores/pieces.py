"""Pieces: a few hundred files become one segment and their rows. What a helper process does, or this one."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..retrieval.analysis import analyse_file
from ..state.source import FileEntry
from .blobs import Row, analysis_key, make_row
from .packed import Indexed, indexed_of, unpack_indexed
from .segments import Document, Segment, engine_errors, write_segment


@dataclass(frozen=True, slots=True)
class Item:
    """One file to index. Either its bytes are given, or what the store keeps of them.

    entry: carries the content id of the bytes. listed: content id by which the corpus lists the file. stored: as
    ``BlobStore.indexed`` gives it, None when the content is new.
    """

    entry: FileEntry
    listed: str
    data: bytes
    stored: bytes | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """Items for one segment. work: where the folder of the piece is made. first: id of the first document."""

    work: Path
    first: int
    items: list[Item]


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment in its own folder, and the rows of the contents that were not stored yet."""

    folder: Path
    segment: Segment
    rows: list[Row]


def make_piece(job: Job) -> Piece:
    """Analyse what is new among the items, and write the segment.

    Raises:
        StoreUnavailable: the segment cannot be written.
    """
    with engine_errors(job.work):
        folder = Path(tempfile.mkdtemp(prefix="piece-", dir=job.work))  # a job may be done again after a helper died
    new: dict[str, tuple[Row, Indexed]] = {}
    indexed = [_indexed(item, new) for item in job.items]
    documents = [_document(item, found) for item, found in zip(job.items, indexed, strict=True)]
    segment = write_segment(folder, job.first, documents, [found.text for found in indexed])
    return Piece(folder, segment, [row for row, _ in new.values()])


def _indexed(item: Item, new: dict[str, tuple[Row, Indexed]]) -> Indexed:
    """What the index takes of one file; a content that is new is added under its key."""
    if item.stored is not None:
        return unpack_indexed(item.stored)
    key = analysis_key(item.entry)
    if key not in new:
        analysis, text = analyse_file(item.entry.path, item.data)
        indexed = indexed_of(analysis, text)
        new[key] = make_row(key, analysis, indexed), indexed
    return new[key][1]


def _document(item: Item, found: Indexed) -> Document:
    entry = item.entry
    return Document(entry.path, entry.blob, item.listed, found.length, found.language, found.reason, found.generated)
