"""Segments: the engine's files for a few hundred documents, written once, shared by every index that holds them all.

An index never holds a deleted document. Those would still count in the engine's document frequencies and mean lengths,
and the same tree would rank differently after another past. So an index is put together from whole segments only.
"""

from __future__ import annotations

import errno
import json
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tantivy

from ..retrieval.analysis import VERSION, IndexText
from ..retrieval.text import stream
from ..state.errors import StoreUnavailable

META = "meta.json"
_HEAP = 64_000_000  # bytes that the engine's writer may take; past that it would cut a segment in two
_SMALLEST = 150  # documents; fewer a segment cost more at every query than they save at an edit


@dataclass(frozen=True, slots=True)
class Layout:
    """What the documents of an index are made of.

    fields: names of its fields, all of them analysed text. format: part of the name of every slot: what documents are
    analysed into, the engine whose files they are, our own form.
    """

    fields: tuple[str, ...]
    format: str


FILES = Layout(("path", "definitions", "body", "symbols", "imports"), f"{VERSION}-{version('tantivy')}-1")
"""The layout of a repository's files."""


class IndexDamaged(StoreUnavailable):
    """What is on disk is not what was written."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of an index.

    blob: content id of the bytes that were read. listed: content id by which the corpus lists the file; the two differ
    when git filters the file (line ends). length: number of parts. language: '' when unknown. reason: why the text is
    left out, '' when it is searchable; such a file is indexed by its path alone. generated: a banner says that a
    program wrote it.
    """

    path: str
    blob: str
    listed: str
    length: int
    language: str
    reason: str
    generated: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Some documents, and the files that hold them.

    first: id of the first document in the engine; the others follow. engine: the engine's own description. files:
    name -> (size in bytes, CRC-32).
    """

    first: int
    engine: list[Any]
    files: dict[str, tuple[int, int]]
    documents: list[Document]

    @property
    def end(self) -> int:
        """The first id after the segment's own."""
        return self.first + len(self.documents)


def schema(layout: Layout) -> tantivy.Schema:
    """The fields of a document, and its number."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=False, indexed=False, fast=True)
    for name in layout.fields:
        builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def segment_size(n_documents: int) -> int:
    """How many documents a segment of a new index holds.

    Every segment costs each query some microseconds a term, and an edit writes the whole segment of each edited file.
    """
    return max(_SMALLEST, int(2 * math.sqrt(n_documents)))


def write_segment(folder: Path, first: int, documents: Sequence[Document], texts: Iterable[IndexText]) -> Segment:
    """Write files into an empty folder.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    rows = (
        (stream(document.path).text, text.definitions, text.body, text.symbols, text.imports)
        for document, text in zip(documents, texts, strict=True)
    )
    return write_rows(folder, FILES, first, documents, rows)


def write_rows(
    folder: Path, layout: Layout, first: int, documents: Sequence[Document], rows: Iterable[Sequence[str]]
) -> Segment:
    """Write documents into an empty folder.

    Args:
        folder: gets the engine's files.
        layout: of the index.
        first: id of the first document.
        documents: what the segment holds.
        rows: of each document, the text of every field, terms joined by blanks.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    with engine_errors(folder):
        index = tantivy.Index(schema(layout), path=str(folder))
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        for number, (_, row) in enumerate(zip(documents, rows, strict=True), start=first):
            writer.add_document(_engine_document(number, layout, row))
        writer.commit()
        writer.wait_merging_threads()
        engine = json.loads((folder / META).read_text())["segments"]
        files = {file.name: checksum_of(file) for file in _segment_files(folder, engine)}
    return Segment(first, engine, files, list(documents))


def write_meta(folder: Path, segments: Iterable[Segment], layout: Layout) -> None:
    """Make the folder that holds the segments' files an index of them all.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    with engine_errors(folder):
        tantivy.Index(schema(layout), path=str(folder))
        meta = json.loads((folder / META).read_text())
        meta["segments"] = [description for segment in segments for description in segment.engine]
        (folder / META).write_text(json.dumps(meta))


def check_segments(folder: Path, segments: Iterable[Segment]) -> None:
    """Read the segments' files through.

    Raises:
        IndexDamaged: one is not there, or not as it was written.
        StoreUnavailable: one cannot be read.
    """
    with reading(folder):
        for name, expected in (item for segment in segments for item in segment.files.items()):
            if checksum_of(folder / name) != expected:
                raise IndexDamaged(f"{folder / name} is damaged")


def checksum_of(file: Path) -> tuple[int, int]:
    """Size and CRC-32 of a file."""
    size = crc = 0
    with open(file, "rb", buffering=0) as opened:
        while piece := opened.read(1 << 20):
            size += len(piece)
            crc = zlib.crc32(piece, crc)
    return size, crc


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Trouble while reading: what is not there is damage, what may not be read is the world's."""
    try:
        yield
    except OSError as error:
        if error.errno in _DAMAGE:
            raise IndexDamaged(f"the index {folder} is damaged: {error}") from error
        raise StoreUnavailable(
            f"cannot read the index {folder}: {error}; mend it, or set IR_CACHE_DIR to another folder"
        ) from error


_DAMAGE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EIO)


@contextmanager
def engine_errors(folder: Path) -> Iterator[None]:
    """Trouble while writing, told as what to do about it."""
    try:
        yield
    except BaseException as error:
        if not is_engine_error(error):
            raise
        raise StoreUnavailable(
            f"cannot write the index {folder}: {error}; make room, or set IR_CACHE_DIR to a folder that can be written"
        ) from error


def is_engine_error(error: BaseException) -> bool:
    """Whether the engine or the file system failed; a panic of the engine comes as a class that cannot be imported."""
    return isinstance(error, (OSError, ValueError)) or type(error).__name__ == "PanicException"


def _engine_document(number: int, layout: Layout, row: Sequence[str]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("id", number)
    for name, text in zip(layout.fields, row, strict=True):
        document.add_text(name, text)
    return document


def _segment_files(folder: Path, engine: Sequence[Any]) -> Iterator[Path]:
    for description in engine:
        yield from folder.glob(f"{description['segment_id'].replace('-', '')}.*")
