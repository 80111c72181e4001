"""The lexical index of one snapshot, opened: BM25 over fields, by an established engine (tantivy)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import tantivy

from ..state.ports import Clause, Hit
from .segments import Document, IndexDamaged, Segment, is_engine_error, schema

T = TypeVar("T")


class LexicalIndex:
    """One opened slot; any number of threads may ask.

    Args:
        folder: the slot.
        segments: what it holds.

    Raises:
        IndexDamaged: from every method, when the engine fails.
    """

    def __init__(self, folder: Path, segments: Sequence[Segment]) -> None:
        self._folder = folder
        self._by_id = {s.first + number: d for s in segments for number, d in enumerate(s.documents)}
        self.documents: dict[str, Document] = {d.path: d for d in self._by_id.values()}
        """Path -> document."""
        self._schema = schema()
        self._searcher = self._guarded(lambda: tantivy.Index.open(str(folder)).searcher())
        if not self._searcher.num_docs == len(self._by_id) == len(self.documents):
            raise IndexDamaged(f"the index {folder} holds other documents than its manifest says")

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.documents)

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many documents hold ``term`` in ``field``."""
        return int(self._guarded(lambda: self._searcher.doc_freq(field, term)))

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``, in alphabetical order."""
        return [str(t) for t in self._guarded(lambda: self._searcher.terms_with_prefix("body", prefix, limit=limit))]

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best ``limit`` documents for a disjunction of weighted terms, ties by path."""
        return self._guarded(lambda: self._search(list(clauses), limit))

    def _search(self, clauses: Sequence[Clause], limit: int) -> list[Hit]:
        if not clauses or limit < 1 or not self.documents:
            return []
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, self._term_query(c)) for c in clauses])
        asked = limit + 1
        while True:
            hits = self._run(query, asked)
            # Documents of equal score beyond the last place: which of them came depends on the order of the segments.
            if len(hits) < asked or hits[limit - 1].score > hits[-1].score:
                return hits[:limit]
            asked *= 2

    def _run(self, query: tantivy.Query, limit: int) -> list[Hit]:
        found = self._searcher.search(query, limit=limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in found])
        hits = [Hit(self._by_id[int(i or 0)].path, float(score)) for (score, _), i in zip(found, ids, strict=True)]
        return sorted(hits, key=lambda h: (-h.score, h.path))

    def _term_query(self, clause: Clause) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, clause.field, clause.term, "freq")
        return tantivy.Query.boost_query(query, clause.weight)

    def _guarded(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except BaseException as error:
            if isinstance(error, KeyError) or is_engine_error(error):
                raise IndexDamaged(f"the index {self._folder} cannot be read: {error}; delete the folder") from error
            raise
