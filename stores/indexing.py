"""Indexing: a corpus that has no slot yet gets one, from what other slots and the blob store already hold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..state.progress import IndexProgress, ProgressSink
from ..state.source import FileEntry
from .blobs import BlobStore
from .corpus import Corpus, open_corpus
from .lexical import LexicalIndex
from .parallel import processors, unordered
from .pieces import Item, Job, Piece, make_piece
from .segments import Segment, engine_errors, segment_size
from .slots import LexicalStore, Reuse

DISK, COMMIT = "disk", "commit"

_WORTH_HELPERS = 2_000_000  # bytes to analyse; below, starting helpers takes longer than they save


def kind_of(corpus: Corpus) -> str:
    """What a snapshot's name begins with: files on disk may differ from the commit that lists them (line ends)."""
    return DISK if corpus.ref is None and corpus.root != corpus.git_dir else COMMIT


def snapshot_of(corpus: Corpus) -> str:
    """The name of a snapshot: equal content, equal name."""
    return f"{kind_of(corpus)}-{corpus.fingerprint[:32]}"


def index_corpus(
    corpus: Corpus, store: LexicalStore, blobs: BlobStore, report: ProgressSink = lambda _: None
) -> tuple[Corpus, LexicalIndex]:
    """Index a corpus; the answer is the corpus as it was read, and its index.

    The two corpora differ when files changed between listing and reading. Then the slot is named after what was read,
    so it never holds other content than its name says.

    Args:
        corpus: what is to be indexed.
        store: gets the slot.
        blobs: gets the analyses of new contents.
        report: told about progress.

    Raises:
        GitUnavailable, StoreUnavailable.
    """
    with store.building() as work:
        reuse = store.reuse(work, kind_of(corpus), {e.path: e.blob for e in corpus.files})
        reading = _Reading(corpus, blobs, reuse)
        segments = list(reuse.segments)
        done, total = 0, len(reading.listed)
        report(IndexProgress(done=0, total=total, phase="indexing"))
        for piece in unordered(make_piece, reading.jobs(work), reading.helpers()):
            blobs.put(piece.rows)
            segments.append(_adopt(work, piece))
            done += len(piece.segment.documents)
            report(IndexProgress(done=done, total=total, phase="indexing"))
        read = _as_read(corpus, reading)
        if read is not corpus:
            segments = _relisted(segments, read)
        return read, store.publish(work, snapshot_of(read), segments)


class _Reading:
    """The files that go into new segments, on their way from the corpus and the blob store.

    corrected: entries as they were read, where their content is not the listed one. vanished: paths that could not be
    read.
    """

    def __init__(self, corpus: Corpus, blobs: BlobStore, reuse: Reuse) -> None:
        self._corpus = corpus
        self._blobs = blobs
        self._next_id = max((s.end for s in reuse.segments), default=0)
        self._size = segment_size(len(corpus.files))
        self._loose = {d.path: d.blob for d in reuse.loose}
        held = {d.path for s in reuse.segments for d in s.documents}
        self.listed = {e.path: e for e in corpus.files if e.path not in held}
        self.corrected: list[FileEntry] = []
        self.vanished: set[str] = set()

    def helpers(self) -> int:
        """How many helper processes the work is worth."""
        likely = [replace(e, blob=self._loose.get(e.path, e.blob)) for e in self.listed.values()]
        size = sum(e.size for e in self._blobs.missing(likely))
        return processors() if size > _WORTH_HELPERS else 0

    def jobs(self, work: Path) -> Iterator[Job]:
        """A job for each new segment."""
        for batch in self._batches():
            items = self._items(batch)
            yield Job(work, self._next_id, items)
            self._next_id += len(items)

    def _batches(self) -> Iterator[list[FileEntry]]:
        """The entries by path, cut where one segment ends.

        What changed stands apart from what only lost its segment: who edits a file is likely to edit it again.
        """
        every = list(self.listed.values())
        if len(every) <= self._size:
            yield from _cut(every, self._size)
            return
        yield from _cut([e for e in every if e.path not in self._loose], self._size)
        yield from _cut([e for e in every if e.path in self._loose], self._size)

    def _items(self, batch: list[FileEntry]) -> list[Item]:
        """Items by path. A file is read only when the store does not know its content."""
        known = [e for e in map(self._known, batch) if e]
        stored = self._blobs.indexed(known)
        items = [Item(e, self.listed[e.path].blob, b"", stored[e.path]) for e in known if e.path in stored]
        rest = [e for e in batch if e.path not in stored]
        read = list(self._corpus.read_many(rest))
        self.vanished |= {e.path for e in rest} - {e.path for e, _ in read}
        self.corrected += [e for e, _ in read if e.blob != self.listed[e.path].blob]
        stored = self._blobs.indexed(e for e, _ in read)
        for entry, data in read:
            kept = stored.get(entry.path)
            items.append(Item(entry, self.listed[entry.path].blob, data if kept is None else b"", kept))
        return sorted(items, key=lambda item: item.entry.path)

    def _known(self, listed: FileEntry) -> FileEntry | None:
        """The entry with the id of its content, when that is certain without reading."""
        if kind_of(self._corpus) == COMMIT:
            return listed
        blob = self._loose.get(listed.path)
        return replace(listed, blob=blob) if blob else None


def _as_read(corpus: Corpus, reading: _Reading) -> Corpus:
    """The corpus with the contents that were read, without the files that vanished.

    A content other than the listed one is no change when the file is listed as before and reads as before: then git
    keeps it in another form (line ends, filters).
    """
    changed: dict[str, FileEntry] = {}
    if reading.corrected:
        now = {e.path: e.blob for e in open_corpus(corpus.root, corpus.ref).files}
        again = {e.path: e.blob for e, _ in corpus.read_many([reading.listed[e.path] for e in reading.corrected])}
        for entry in reading.corrected:
            path = entry.path
            if now.get(path) != reading.listed[path].blob or again.get(path) != entry.blob:
                changed[path] = entry
    if not changed and not reading.vanished:
        return corpus
    return replace(corpus, files=[changed.get(e.path, e) for e in corpus.files if e.path not in reading.vanished])


def _relisted(segments: Sequence[Segment], corpus: Corpus) -> list[Segment]:
    """The segments, each document under the content id by which ``corpus`` lists it."""
    listed = {e.path: e.blob for e in corpus.files}
    return [replace(s, documents=[replace(d, listed=listed[d.path]) for d in s.documents]) for s in segments]


def _adopt(work: Path, piece: Piece) -> Segment:
    """Move a piece's files to the others."""
    with engine_errors(work):
        for name in piece.segment.files:
            os.rename(piece.folder / name, work / name)
    shutil.rmtree(piece.folder, ignore_errors=True)
    return piece.segment


def _cut(entries: list[FileEntry], most: int) -> Iterator[list[FileEntry]]:
    """The entries in even batches of at most ``most``."""
    count = -(-len(entries) // most)
    for number in range(count):
        yield entries[len(entries) * number // count : len(entries) * (number + 1) // count]
