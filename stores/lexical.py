"""The lexical index of one snapshot, opened: BM25 over fields, by an established engine (tantivy)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import tantivy

from ..state.ports import Clause, Hit
from .segments import FILES, IndexDamaged, Layout, Segment, is_engine_error, schema

T = TypeVar("T")


class LexicalIndex:
    """One opened slot; any number of threads may ask.

    Args:
        folder: the slot.
        segments: what it holds.
        layout: of its documents.

    Raises:
        IndexDamaged: from every method, when the engine fails.
    """

    def __init__(self, folder: Path, segments: Sequence[Segment], layout: Layout = FILES) -> None:
        self._stamps = {file: _stamp(file) for s in segments for name in s.files if (file := folder / name)}
        self._folder = folder
        self._by_id = {s.first + number: d for s in segments for number, d in enumerate(s.documents)}
        self.documents = {d.path: d for d in sorted(self._by_id.values(), key=lambda d: d.path)}
        """Path -> document, by path."""
        self._layout = layout
        self._schema = schema(layout)
        self._searcher = self._guarded(lambda: tantivy.Index.open(str(folder)).searcher())
        if not self._searcher.num_docs == len(self._by_id) == len(self.documents):
            raise IndexDamaged(f"the index {folder} holds other documents than its manifest says")

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.documents)

    def moved(self, folder: Path) -> None:
        """Note that the files now stand in another folder."""
        self._stamps = {folder / file.name: stamp for file, stamp in self._stamps.items()}
        self._folder = folder

    def untouched(self) -> bool:
        """Whether nobody wrote into the files since they were opened. Files that are gone stay readable for us."""
        return all(_stamp(file) in (stamp, None) for file, stamp in self._stamps.items())

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many documents hold ``term`` in ``field``."""
        word = _encodable(term)
        return int(self._guarded(lambda: self._searcher.doc_freq(self._known(field), word)))

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``, those in most documents first, ties in alphabetical order."""
        begin = _encodable(prefix)
        found = self._guarded(lambda: self._searcher.terms_with_prefix("body", begin, limit=limit))
        return [term for term, _ in found]

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best ``limit`` documents for a disjunction of weighted terms, ties by path."""
        terms = [(tantivy.Occur.Should, self._term_query(c)) for c in clauses]
        limit = min(limit, self.size)
        if not terms or limit < 1:
            return []
        query, asked = tantivy.Query.boolean_query(terms), limit + 1
        while True:
            hits = self._guarded(partial(self._run, query, asked))
            # Documents of equal score around the last place: which of them came depends on the order of the segments.
            if len(hits) < asked or hits[limit - 1].score > hits[-1].score:
                return hits[:limit]
            asked *= 2

    def _run(self, query: tantivy.Query, limit: int) -> list[Hit]:
        found = self._searcher.search(query, limit=limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in found])
        hits = [Hit(self._by_id[int(i or 0)].path, float(score)) for (score, _), i in zip(found, ids, strict=True)]
        return sorted(hits, key=lambda h: (-h.score, h.path))

    def _term_query(self, clause: Clause) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, self._known(clause.field), _encodable(clause.term), "freq")
        return tantivy.Query.boost_query(query, clause.weight)

    def _known(self, field: str) -> str:
        if field not in self._layout.fields:
            raise TypeError(f"no field {field!r}; there are {', '.join(self._layout.fields)}")
        return field

    def _guarded(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except BaseException as error:
            if isinstance(error, LookupError) or is_engine_error(error):  # a document that we do not know, or a failure
                raise IndexDamaged(f"the index {self._folder} cannot be read: {error}; delete the folder") from error
            raise


def _stamp(file: Path) -> tuple[int, int] | None:
    """Size and time of the last change; None when the file is gone."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _encodable(term: str) -> str:
    """The term as the engine takes it; one with lone surrogates stands nowhere, so any other word does."""
    return term.encode("utf-8", "replace").decode()
