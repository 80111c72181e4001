"""A snapshot ready to be searched: its files, analyses, lexical index and history, opened or brought up to date."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from ..retrieval.analysis import IndexText, analyse_file, index_text
from ..retrieval.contents import sniff
from ..retrieval.signals import language_shares
from ..state.analysis import FileAnalysis
from ..state.errors import FileVanished, StoreUnavailable
from ..state.ports import Clause, Hit
from ..state.progress import IndexProgress, ProgressSink
from ..state.source import FileEntry
from .blobs import BlobStore
from .corpus import Corpus, open_corpus
from .history import NO_HISTORY, History, read_history
from .lexical import LexicalIndex, LexicalStore

_BATCH = 400  # analyses a transaction; a killed run loses at most one batch
_TRIES = 3


class OpenWorkspace:
    """One snapshot of one root, open for reading. Made by :class:`CachedWorkspaces`."""

    def __init__(self, corpus: Corpus, blobs: BlobStore, lexical: LexicalIndex, warnings: list[str]) -> None:
        self.corpus = corpus
        self.blobs = blobs
        self.lexical = lexical
        self.warnings = warnings
        self.entries = {e.path: e for e in corpus.files}

    @property
    def root(self) -> str:
        """Absolute path of the root."""
        return self.corpus.root

    @property
    def commit(self) -> str | None:
        """Full id of the commit whose ancestors are the history; None outside git."""
        return self.corpus.commit

    @property
    def paths(self) -> Collection[str]:
        """Every listed path."""
        return self.entries.keys()

    @property
    def size(self) -> int:
        """Number of indexed files."""
        return self.lexical.size

    @property
    def fingerprint(self) -> str:
        """Names the content of the snapshot."""
        return self.corpus.fingerprint

    @cached_property
    def history(self) -> History:
        """Past commits of the snapshot's ancestors; empty outside git."""
        if self.corpus.git_dir is None or self.corpus.commit is None:
            return NO_HISTORY
        return read_history(self.blobs, self.corpus.git_dir, self.corpus.commit, self.corpus.prefix)

    @cached_property
    def mean_length(self) -> float:
        """Mean number of parts of a searchable file."""
        lengths = [d.length for d in self.lexical.documents.values() if not d.reason]
        return sum(lengths) / len(lengths) if lengths else 1.0

    @cached_property
    def languages(self) -> dict[str, float]:
        """Language -> its share of the files that have one."""
        return language_shares([d.language for d in self.lexical.documents.values()])

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best files for a disjunction of weighted terms, ties by path."""
        return self.lexical.search(clauses, limit)

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many files hold ``term`` in ``field``."""
        return self.lexical.document_frequency(term, field)

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``."""
        return self.lexical.words_with_prefix(prefix, limit)

    def searchable(self, path: str) -> bool:
        """Whether the snapshot holds the file and its text is searched."""
        document = self.lexical.documents.get(path)
        return document is not None and not document.reason

    def analyses(self, paths: Iterable[str]) -> dict[str, FileAnalysis]:
        """Path -> analysis of the searchable files among ``paths``."""
        documents = [self.lexical.documents[p] for p in paths if self.searchable(p)]
        entries = [FileEntry(d.path, d.blob, 0) for d in documents]
        found = self.blobs.get(entries)
        lost = [e for e in entries if e.path not in found]
        if lost:  # the store was damaged and rebuilt since the index was made
            deque(_analysed(self.corpus, self.blobs, lost, lambda _: None, []), maxlen=0)
            found |= self.blobs.get(lost)
        return found

    def text(self, path: str) -> str:
        """The decoded text of a file, line ends normalised.

        Raises:
            FileVanished: the file is gone, or no longer text.
        """
        text = sniff(self.corpus.read(path)).text
        if text is None:
            raise FileVanished(f"{path} is no longer a text file")
        return text

    def left_out(self) -> dict[str, int]:
        """Reason -> number of files of the root that are not searched."""
        counts: dict[str, int] = {}
        for reason in self.corpus.left_out.values():
            counts[reason.value] = counts.get(reason.value, 0) + 1
        for document in self.lexical.documents.values():
            if document.reason:
                counts[document.reason] = counts.get(document.reason, 0) + 1
        if ignored := self.corpus.ignored():
            counts["ignored"] = counts.get("ignored", 0) + ignored
        return dict(sorted(counts.items()))


    def explain_absence(self, path: str) -> str | None:
        """Why a path is not searched, in words; None when it is."""
        if self.searchable(path):
            return None
        document = self.lexical.documents.get(path)
        if document is not None:
            return f"{path} is left out: {document.reason.replace('_', ' ')}"
        return self.corpus.explain(path) or f"{path} vanished while the root was indexed"


class CachedWorkspaces:
    """Opens workspaces and keeps the latest ones warm.

    Args:
        cache_dir: where indexes live, one folder a repository.
        keep: how many opened snapshots stay in memory.
    """

    def __init__(self, cache_dir: Path, keep: int = 4) -> None:
        self.cache_dir = cache_dir
        self._keep = keep
        self._open: OrderedDict[tuple[str, str], OpenWorkspace] = OrderedDict()
        self._stores: dict[Path, BlobStore] = {}
        self._lock = threading.RLock()

    def open(self, root: str | Path, ref: str | None = None, report: ProgressSink = lambda _: None) -> OpenWorkspace:
        """The workspace of a root as it is now, indexed as far as needed.

        Args:
            root: a folder, a work tree, or a bare repository.
            ref: a git ref; None means the working tree.
            report: called with progress while indexing.

        Raises:
            UnknownRoot, UnknownRef, GitUnavailable, StoreUnavailable.
        """
        corpus = open_corpus(root, ref)
        with self._lock:
            key = (corpus.root, corpus.fingerprint)
            known = self._open.get(key)
            if known is not None and known.corpus.commit == corpus.commit:
                self._open.move_to_end(key)
                return known
            workspace = self._bring_up(corpus, root, ref, report)
            self._open[(workspace.corpus.root, workspace.fingerprint)] = workspace
            while len(self._open) > self._keep:
                self._open.popitem(last=False)
            return workspace

    def opened(self, root: str, ref: str | None, fingerprint: str) -> OpenWorkspace:
        """The workspace that a request began with; when it was evicted, the root is opened again as it is now."""
        with self._lock:
            known = self._open.get((root, fingerprint))
        return known if known is not None else self.open(root, ref)

    def _bring_up(self, corpus: Corpus, root: str | Path, ref: str | None, report: ProgressSink) -> OpenWorkspace:
        folder = self.cache_dir / repository_key(corpus)
        blobs = self._store(folder / "analyses.sqlite")
        store = LexicalStore(folder / "lexical")
        index = store.open(corpus.fingerprint)
        for last in [False] * _TRIES + [True]:
            if index is not None:
                break
            corpus, index = self._build(corpus, store, blobs, report, last, lambda: open_corpus(root, ref))
        if index is None:
            raise StoreUnavailable(f"the files below {corpus.root} keep changing; try again when they rest")
        warnings = ["a damaged index was rebuilt"] if store.rebuilt or blobs.rebuilt else []
        blobs.rebuilt = False
        return OpenWorkspace(corpus, blobs, index, warnings)

    @staticmethod
    def _build(
        corpus: Corpus, store: LexicalStore, blobs: BlobStore, report: ProgressSink, last: bool, relist: Callable[[], Corpus]
    ) -> tuple[Corpus, LexicalIndex | None]:
        """Build one slot; when files changed while they were read, the newer corpus and None, to be tried again."""
        corrected: list[str] = []
        newer: list[Corpus] = []

        def confirm() -> bool:
            if not corrected:
                return True
            newer.append(relist())  # still listed the same: a filter (line ends) explains the difference
            return last or newer[0].fingerprint == corpus.fingerprint

        index = store.build(
            corpus.fingerprint, corpus.files, lambda new: _analysed(corpus, blobs, new, report, corrected), confirm
        )
        return (corpus if index is not None else newer[0]), index

    def _store(self, path: Path) -> BlobStore:
        if path not in self._stores:
            self._stores[path] = BlobStore(path)
        return self._stores[path]


def repository_key(corpus: Corpus) -> str:
    """The cache folder of a repository: readable name and a hash; work trees of one repository share it."""
    place = corpus.git_dir or corpus.root
    name = Path(corpus.root).name or "root"
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:40]
    return f"{safe}-{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def _analysed(
    corpus: Corpus, blobs: BlobStore, entries: list[FileEntry], report: ProgressSink, corrected: list[str]
) -> Iterator[tuple[FileEntry, FileAnalysis, IndexText]]:
    """Read and analyse files, storing the analyses batch by batch."""
    listed = {e.path: e for e in entries}
    stored = blobs.get(entries)
    pending: list[tuple[FileEntry, FileAnalysis]] = []
    for done, (entry, data) in enumerate(corpus.read_many(entries)):
        if entry.blob != listed[entry.path].blob:
            corrected.append(entry.path)
        known = stored.get(entry.path)
        if known is not None and entry.blob == listed[entry.path].blob:
            analysis, text = known, index_text(known, data)
        else:
            analysis, text = analyse_file(entry.path, data)
            pending.append((entry, analysis))
        if len(pending) >= _BATCH:
            blobs.put(pending)
            pending = []
        if done % 50 == 0:
            report(IndexProgress(done=done, total=len(entries), phase="indexing"))
        yield entry, analysis, text
    blobs.put(pending)
    report(IndexProgress(done=len(entries), total=len(entries), phase="indexing"))
