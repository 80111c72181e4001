"""The lexical index: a tantivy index on disk for each snapshot, cloned from its nearest neighbour.

A slot is a folder named by the snapshot's fingerprint and never changes once published, so any number of processes
read it without locks. A new snapshot starts from the nearest slot: tantivy's segment files are immutable, so they are
hard-linked, documents of changed files are deleted and added, and the folder is renamed into place as a whole. A
killed build leaves only a temporary folder; a damaged slot is deleted and built again.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import tantivy

from ..retrieval.analysis import VERSION, IndexText
from ..retrieval.text import stream
from ..state.analysis import FileAnalysis
from ..state.ports import Clause, Hit
from ..state.source import FileEntry

FIELDS = ("path", "definitions", "body")
_MANIFEST = "manifest.json"
_KEEP = 6  # slots a repository; the least recently used go first
_CLONE_SHARE = 0.25  # clone when at most this share of the documents changes
_TOMBSTONES = 0.3  # rebuild when deleted documents would pass this share, since they still count in idf
_HEAP = 128_000_000  # bytes of tantivy's writer
_STALE = 3600.0  # seconds after which an abandoned temporary folder is swept


Analysed = Callable[[list[FileEntry]], Iterator[tuple[FileEntry, FileAnalysis, IndexText]]]
"""Gives the analyses and index texts of the files it is asked for, in any order."""


@dataclass(frozen=True, slots=True)
class Document:
    """One line of a slot's manifest.

    blob: content id of the bytes that were read. listed: content id by which the corpus lists the file; the two differ
    when git filters the file (line ends). length: number of parts. language: '' when unknown. reason: why the text is left out ('' when it is searchable;
    such a file is indexed by its path alone). generated: a banner says that a program wrote it.
    """

    path: str
    blob: str
    listed: str
    length: int
    language: str
    reason: str
    generated: bool


class LexicalIndex:
    """One opened slot."""

    def __init__(self, folder: Path, documents: list[Document | None]) -> None:
        self._documents = documents
        self.documents = {d.path: d for d in documents if d is not None}
        self._schema = _schema()
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()
        if self._searcher.num_docs != len(self.documents):
            raise ValueError("the slot holds another number of documents than its manifest says")

    @property
    def size(self) -> int:
        """Number of documents."""
        return int(self._searcher.num_docs)

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many documents hold ``term`` in ``field``."""
        return int(self._searcher.doc_freq(field, term))

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best ``limit`` documents for a disjunction of weighted terms, ties by path."""
        queries = [(tantivy.Occur.Should, _term_query(self._schema, c)) for c in clauses]
        if not queries or limit < 1:
            return []
        return self._run(tantivy.Query.boolean_query(queries), limit)

    def holding(self, field: str, terms: Iterable[str], limit: int = 1000) -> list[Hit]:
        """Documents that hold at least one of the exact ``terms`` in ``field``."""
        return self.search((Clause(field, t, 1.0) for t in terms), limit)

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``."""
        return [str(t) for t in self._searcher.terms_with_prefix("body", prefix, limit=limit)]

    def _run(self, query: tantivy.Query, limit: int) -> list[Hit]:
        found = self._searcher.search(query, limit=limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in found])
        hits = [Hit(d.path, float(score)) for (score, _), i in zip(found, ids, strict=True) if (d := self._documents[i]) is not None]
        return sorted(hits, key=lambda h: (-h.score, h.path))


class LexicalStore:
    """The slots of one repository.

    Args:
        folder: where slots live; created when absent.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rebuilt = False

    def open(self, fingerprint: str) -> LexicalIndex | None:
        """The slot of a snapshot, or None when it is not built (or was damaged, and is now removed)."""
        slot = self._slot(fingerprint)
        if not slot.is_dir():
            return None
        try:
            index = LexicalIndex(slot, _manifest(slot))
        except (OSError, ValueError, KeyError, TypeError):
            self.rebuilt = True
            shutil.rmtree(slot, ignore_errors=True)
            return None
        _touch(slot)
        return index

    def build(
        self,
        fingerprint: str,
        files: list[FileEntry],
        analysed: Analysed,
        confirm: Callable[[], bool] = lambda: True,
    ) -> LexicalIndex | None:
        """Build and publish the slot of a snapshot, and open it; None when ``confirm`` says no.

        Args:
            fingerprint: names the snapshot.
            files: its files.
            analysed: asked for the files that the nearest slot does not hold.
            confirm: asked when everything is read: is the snapshot still what its fingerprint says?
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="building-", dir=self.folder))
        try:
            manifest, added = self._start(work, files)
            _write(work, manifest, added, analysed)
            if not confirm():
                return None
            self._publish(work, fingerprint)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self._evict(fingerprint)
        index = self.open(fingerprint)
        if index is None:
            raise OSError(f"the index of this snapshot vanished from {self.folder}")
        return index

    def _slot(self, fingerprint: str) -> Path:
        return self.folder / f"{fingerprint[:32]}-{VERSION}"

    def _slots(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [p for p in self.folder.iterdir() if p.is_dir() and not p.name.startswith("building-")]

    def _start(self, work: Path, files: list[FileEntry]) -> tuple[list[Document | None], list[FileEntry]]:
        """Prepare ``work`` from the nearest slot; the manifest so far and the entries to add."""
        wanted = {(f.path, f.blob) for f in files}
        best: tuple[int, Path, list[Document | None]] | None = None
        for slot in self._slots():
            if not slot.name.endswith(f"-{VERSION}"):
                continue
            try:
                manifest = _manifest(slot)
            except (OSError, ValueError):
                continue
            held = {(d.path, d.listed) for d in manifest if d}
            distance = len(held ^ wanted)
            dead = len(manifest) - len(held & wanted)
            if distance <= 2 * _CLONE_SHARE * len(wanted) and dead <= _TOMBSTONES * len(wanted) and (best is None or distance < best[0]):
                best = (distance, slot, manifest)
        if best is None:
            return [], files
        _, slot, manifest = best
        try:
            _link_tree(slot, work)
        except OSError:  # evicted or damaged under our hands: build whole
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            return [], files
        kept = [d if d and (d.path, d.listed) in wanted else None for d in manifest]
        held = {(d.path, d.listed) for d in kept if d}
        return kept, [f for f in files if (f.path, f.blob) not in held]

    def _publish(self, work: Path, fingerprint: str) -> None:
        slot = self._slot(fingerprint)
        try:
            os.rename(work, slot)
        except OSError:
            if not slot.is_dir():  # not lost to another process, truly failed
                raise

    def _evict(self, fingerprint: str) -> None:
        now = time.time()
        slots = sorted(self._slots(), key=_age)
        for slot in slots[: max(0, len(slots) - _KEEP)]:
            if slot != self._slot(fingerprint):
                shutil.rmtree(slot, ignore_errors=True)
        for left in self.folder.glob("building-*"):
            if now - _age(left) > _STALE:
                shutil.rmtree(left, ignore_errors=True)


def _write(
    work: Path,
    manifest: list[Document | None],
    added: list[FileEntry],
    analysed: Analysed,
) -> None:
    """Delete the manifest's dead documents, add the new ones, commit, and write the manifest last."""
    index = tantivy.Index.open(str(work)) if (work / "meta.json").exists() else tantivy.Index(_schema(), path=str(work))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    dead_file = work / "dead.json"
    already = set(json.loads(dead_file.read_text())) if dead_file.exists() else set()
    dead = [i for i, entry in enumerate(manifest) if entry is None]
    for i in dead:
        if i not in already:
            writer.delete_documents_by_query(tantivy.Query.term_query(index.schema, "id", i))
    listed = {e.path: e.blob for e in added}
    for entry, analysis, text in analysed(added):
        writer.add_document(_document(len(manifest), entry, text))
        manifest.append(_described(entry, listed[entry.path], analysis))
    writer.commit()
    writer.wait_merging_threads()
    dead_file.write_text(json.dumps(dead))
    (work / _MANIFEST).write_text(json.dumps([astuple(d) if d else None for d in manifest]))


def _described(entry: FileEntry, listed: str, analysis: FileAnalysis) -> Document:
    reason = analysis.reason.value if analysis.reason else ""
    return Document(entry.path, entry.blob, listed, len(analysis.parts), analysis.structure.language, reason, analysis.generated)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=False, indexed=True, fast=True)
    for name in (*FIELDS, "symbols", "imports"):
        builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _document(i: int, entry: FileEntry, text: IndexText) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("id", i)
    document.add_text("path", stream(entry.path).text)
    document.add_text("definitions", text.definitions)
    document.add_text("body", text.body)
    document.add_text("symbols", text.symbols)
    document.add_text("imports", text.imports)
    return document


def _term_query(schema: tantivy.Schema, clause: Clause) -> tantivy.Query:
    query = tantivy.Query.term_query(schema, clause.field, clause.term, "freq")
    return query if clause.weight == 1.0 else tantivy.Query.boost_query(query, clause.weight)


def _manifest(slot: Path) -> list[Document | None]:
    return [Document(*row) if row else None for row in json.loads((slot / _MANIFEST).read_text())]


def _link_tree(source: Path, target: Path) -> None:
    """Hard-link a slot's files (copy where the file system cannot), without its locks."""
    for file in source.iterdir():
        if file.name.endswith(".lock") or not file.is_file():
            continue
        if file.suffix == ".json":  # small and rewritten: never share these
            shutil.copy2(file, target / file.name)
            continue
        try:
            os.link(file, target / file.name)
        except OSError:
            shutil.copy2(file, target / file.name)


def _touch(slot: Path) -> None:
    try:
        os.utime(slot / _MANIFEST)
    except OSError:
        return


def _age(slot: Path) -> float:
    try:
        return (slot / _MANIFEST).stat().st_mtime
    except OSError:
        try:
            return slot.stat().st_mtime
        except OSError:
            return 0.0
