"""A snapshot ready to be searched: its files, analyses, lexical index and history."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import TypeVar

from ..retrieval.analysis import analyse_file
from ..retrieval.contents import sniff
from ..retrieval.signals import language_shares
from ..state.analysis import NO_HISTORY, FileAnalysis, History
from ..state.errors import FileVanished, GitUnavailable
from ..state.ports import Clause, Hit
from ..state.source import FileEntry
from .blobs import BlobStore, Row, analysis_key, make_row
from .corpus import Corpus
from .history import read_history
from .lexical import LexicalIndex
from .packed import indexed_of
from .segments import IndexDamaged

T = TypeVar("T")

REBUILT = "a damaged index was rebuilt"


class OpenWorkspace:
    """One snapshot of one root, open for reading by any number of threads. Made by ``CachedWorkspaces``.

    Args:
        corpus: the snapshot's files.
        blobs: their analyses.
        lexical: their index.
        mend: gives another index for a damaged one.
        warnings: what degraded so far.
    """

    def __init__(
        self,
        corpus: Corpus,
        blobs: BlobStore,
        lexical: LexicalIndex,
        mend: Callable[[Corpus], LexicalIndex],
        warnings: Iterable[str] = (),
    ) -> None:
        self.corpus = corpus
        self.warnings = list(warnings)
        self._blobs = blobs
        self._lexical = lexical
        self._mend = mend
        self._mending = threading.Lock()

    @property
    def root(self) -> str:
        """Absolute path of the root."""
        return self.corpus.root

    @property
    def commit(self) -> str | None:
        """Full id of the commit whose ancestors are the history; None outside git."""
        return self.corpus.commit

    @cached_property
    def paths(self) -> Collection[str]:
        """Every listed path."""
        return {e.path: None for e in self.corpus.files}.keys()

    @property
    def size(self) -> int:
        """Number of indexed files."""
        return self._lexical.size

    @property
    def fingerprint(self) -> str:
        """Names the content of the snapshot."""
        return self.corpus.fingerprint

    @cached_property
    def history(self) -> History:
        """Past commits of the snapshot's ancestors; empty outside git, and when git cannot tell."""
        git_dir, commit, prefix = self.corpus.git_dir, self.corpus.commit, self.corpus.prefix
        if git_dir is None or commit is None:
            return NO_HISTORY
        try:
            return self._watched(lambda: read_history(self._blobs, git_dir, commit, prefix))
        except GitUnavailable as error:
            self._warn(f"the history could not be read: {error}")
            return NO_HISTORY

    @cached_property
    def mean_length(self) -> float:
        """Mean number of parts of a searchable file."""
        lengths = [d.length for d in self._lexical.documents.values() if not d.reason]
        return sum(lengths) / len(lengths) if lengths else 1.0

    @cached_property
    def languages(self) -> dict[str, float]:
        """Language -> its share of the files that have one."""
        return language_shares([d.language for d in self._lexical.documents.values()])

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best files for a disjunction of weighted terms, ties by path."""
        asked = list(clauses)
        return self._ask(lambda index: index.search(asked, limit))

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many files hold ``term`` in ``field``."""
        return self._ask(lambda index: index.document_frequency(term, field))

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``, those in most files first."""
        return self._ask(lambda index: index.words_with_prefix(prefix, limit))

    def searchable(self, path: str) -> bool:
        """Whether the snapshot holds the file and its text is searched."""
        document = self._lexical.documents.get(path)
        return document is not None and not document.reason

    def analyses(self, paths: Iterable[str]) -> dict[str, FileAnalysis]:
        """Path -> analysis of the searchable files among ``paths``, in their order.

        One that was stored and is lost is made again; it is missing when its file has changed since.
        """
        documents = self._lexical.documents
        entries = {p: FileEntry(p, documents[p].blob, 0) for p in paths if self.searchable(p)}
        found = self._watched(lambda: self._blobs.get(entries.values()))
        if len(found) < len(entries):
            found |= self._made_again([e for p, e in entries.items() if p not in found])
        return {p: found[p] for p in entries if p in found}

    def text(self, path: str) -> str:
        """The decoded text of a file, line ends normalised.

        Raises:
            FileVanished: the file is gone, or no longer text.
        """
        text = sniff(self.corpus.read(path)).text
        if text is None:
            raise FileVanished(f"{path} is no longer a text file")
        return text

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Path -> decoded text, line ends normalised, of the files that are still there and still text."""
        found = ((path, sniff(content).text) for path, content in self.corpus.read_paths(paths))
        return {path: text for path, text in found if text is not None}

    def left_out(self) -> dict[str, int]:
        """Reason -> number of files of the root that are not searched."""
        counts: Counter[str] = Counter()
        counts.update(reason.value for reason in self.corpus.left_out.values())
        counts.update(document.reason for document in self._lexical.documents.values() if document.reason)
        if ignored := self.corpus.ignored():
            counts["ignored"] += ignored
        return dict(sorted(counts.items()))

    def explain_absence(self, path: str) -> str | None:
        """Why a path is not searched, in words; None when it is."""
        if self.searchable(path):
            return None
        document = self._lexical.documents.get(path)
        if document is not None:
            return f"{path} is left out: {document.reason.replace('_', ' ')}"
        return self.corpus.explain(path) or f"{path} vanished while the root was indexed"

    def untouched(self) -> bool:
        """Whether the index on disk is still what was opened."""
        return self._lexical.untouched()

    def _made_again(self, lost: list[FileEntry]) -> dict[str, FileAnalysis]:
        """Path -> analysis of those files that still have their content; the blob store gets them back."""
        blobs = {e.path: e.blob for e in lost}
        found: dict[str, FileAnalysis] = {}
        rows: list[Row] = []
        for entry, data in self.corpus.read_many(lost):
            if entry.blob == blobs[entry.path]:
                analysis, text = analyse_file(entry.path, data)
                found[entry.path] = analysis
                rows.append(make_row(analysis_key(entry), analysis, indexed_of(analysis, text)))
        self._blobs.put(rows)
        return found

    def _ask(self, question: Callable[[LexicalIndex], T]) -> T:
        """The index's answer; a damaged index is built again, once."""
        index = self._lexical
        try:
            return question(index)
        except IndexDamaged:
            with self._mending:
                if self._lexical is index:  # no other thread was faster
                    self._lexical = self._mend(self.corpus)
                    self._warn(REBUILT)
        return question(self._lexical)

    def _watched(self, ask: Callable[[], T]) -> T:
        """What ``ask`` gives, with a warning when the blob store turned out damaged."""
        answer = ask()
        if self._blobs.damaged:
            self._blobs.forget_damage()
            self._warn(REBUILT)
        return answer

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)
