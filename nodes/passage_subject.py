"""The chunks of a documentation collection as the loop's subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..retrieval.gather import Lists
from ..retrieval.passages.foreign import for_foreign, relative
from ..retrieval.passages.gaps import nothing_gap, passage_gaps
from ..retrieval.passages.gather import first_lists, next_lists
from ..retrieval.passages.judge import judge_passages
from ..retrieval.passages.learn import meanings_of, names_of
from ..retrieval.passages.question import Question, idf, read_question
from ..retrieval.passages.reasons import reason_for
from ..retrieval.passages.signals import PassageTable, Surroundings, beside_likely, passage_table
from ..retrieval.passages.views import ChunkView, DocumentView, document_view
from ..retrieval.passages.words import words
from ..retrieval.relevance import row_evidence, scaled, scales_of
from ..state.candidate import Evaluation, Gap
from ..state.docsearch import DocsearchState
from ..state.document_ports import Collection, Collections, Domains, Vectors
from ..state.genome import RetrievalGenome
from ..state.ports import Hit
from ..state.query import Query
from ..state.routing import DepthBudget
from .route import profile_of
from .scene import Memo
from .similarity import Similarity
from .subject import Judged

_BEST = 5
"""Chunks whose neighbours and documents the next cycle looks at."""
_PREFIXES = 20
_VIEWS, _QUESTIONS = 400, 32


@dataclass(frozen=True)
class PassageSubjects:
    """Opens the collection of a question. Borrows the collections, the domains and their similarity."""

    collections: Collections
    domains: Domains
    similarity: Similarity
    _views: Memo[DocumentView] = field(default_factory=lambda: Memo(_VIEWS), repr=False)
    _questions: Memo[Question] = field(default_factory=lambda: Memo(_QUESTIONS), repr=False)

    def __call__(self, state: DocsearchState) -> PassageSubject:
        """The subject of a request."""
        domain = self.domains.of(state["domain"], state.get("genomes"))
        collection = self.collections.opened(state["collection"], state["version"])
        depth = profile_of(domain.routing, state["route"]).depth_budget
        return self.subject(collection, state["question"], state["language"], domain.retrieval, depth)

    def subject(
        self, collection: Collection, question: str, language: str, genome: RetrievalGenome, depth: DepthBudget
    ) -> PassageSubject:
        """The subject of a question to a collection."""
        info = collection.info
        key = (info.name, info.version, question, language)
        asked = self._questions.get(
            key, lambda: read_question(question, language, collection.document_frequency, info.chunks)
        )
        vector, baseline = self.similarity.question(collection, question), self.similarity.baseline(collection)
        if self.similarity.troubles(collection):
            vector = None  # a cosine says nothing while nobody knows that of unrelated texts
        foreign = vector is not None and self.similarity.multilingual(collection)
        return PassageSubject(
            collection,
            asked,
            vector,
            baseline,
            for_foreign(genome, asked.known) if foreign else genome,
            depth,
            self._views,
            foreign,
        )


@dataclass(frozen=True)
class PassageSubject:
    """One collection under one question.

    vector: of the question, None when lexical only. baseline: cosine of unrelated texts under the collection's
    embedder. views: documents taken apart before. foreign: whether vectors reach across languages.
    """

    collection: Collection
    question: Question
    vector: Vectors | None
    baseline: float
    genome: RetrievalGenome
    depth: DepthBudget
    views: Memo[DocumentView] = field(default_factory=lambda: Memo(_VIEWS), repr=False)
    foreign: bool = False

    def lists(self, cycle: int, query: Query, known: Sequence[Evaluation]) -> Lists:
        """What the question's words and meaning give; later, what was learned and what stands around the best."""
        search, depth = self.collection.search, self.depth.list_depth
        if cycle == 1:
            return first_lists(self.question, search, self._nearest(self.vector, depth), self._siblings, depth)
        best = [e.path for e in known[:_BEST]]
        return next_lists(
            query.keywords,
            query.focus_areas,
            best,
            self._alike(best, depth // 2),
            search,
            self._siblings,
            self.question.language,
            depth,
        )

    def further_lists(self, cycle: int) -> Lists:
        """None: a question is all there is."""
        return {}

    def allowed(self, query: Query) -> Callable[[str], bool]:
        """Every chunk that refine did not exclude."""
        return lambda key: key not in query.excludes

    def demoted(self, path: str) -> bool:
        """No chunk stands behind the others."""
        return False

    def judge(
        self, paths: Sequence[str], known: Sequence[Evaluation], learned: Sequence[str], scales: Mapping[str, float]
    ) -> Judged:
        """Score, probability and relevance of chunks."""
        documents, surroundings = self.documents(paths), self.surroundings(paths)
        alone = passage_table(self.question, paths, documents, surroundings, self.genome, self._weights(learned))
        fixed = scales_of(alone, scales)
        table = beside_likely(alone, documents, self._likely(alone, fixed))
        values = scaled(table, fixed)

        def reason(i: int) -> str:
            return reason_for(self.question, table.views[i], row_evidence(table.names, values[i], self.genome))

        return Judged(table.paths, judge_passages(self.question, table, fixed, self.genome), fixed, reason)

    def _likely(self, table: PassageTable, scales: Mapping[str, float]) -> dict[str, float]:
        """The chunks that are likeliest by themselves, with their probabilities: the next ones to them gain."""
        chances = judge_passages(self.question, table, scales, self.genome).probability
        best = sorted(range(len(chances)), key=lambda i: (-chances[i], table.paths[i]))[:_BEST]
        return {table.paths[i]: float(chances[i]) for i in best}

    def gaps(self, best: Sequence[Evaluation]) -> list[Gap]:
        """What the evidence still lacks, critical gaps first."""
        if not any(e.relevance >= self.genome.packed for e in best):
            return [nothing_gap(self.question, self.collection.info.chunks, self.collection.info.documents)]
        relevant = self._chunk_views([e.path for e in best if e.relevance >= self.genome.related])
        return passage_gaps(self.question, relevant, self.collection.document_frequency)

    def learn(self, high: Sequence[Evaluation]) -> tuple[list[str], list[str]]:
        """The documents' own words for the question, and what the relevant chunks' headings say besides."""
        frequency, limit = self.collection.document_frequency, self.genome.learned_words
        meanings = meanings_of(
            self.question,
            frequency,
            lambda prefix: self.collection.words_with_prefix(prefix, _PREFIXES),
            self.collection.info.chunks,
            limit,
        )
        names = names_of(self.question, self._chunk_views([e.path for e in high]), frequency, limit - len(meanings))
        return meanings, names

    def _weights(self, learned: Sequence[str]) -> dict[str, float]:
        terms = [t for w in learned for t in words(w, self.question.language) if t not in self.question.weights]
        size = self.collection.info.chunks
        return {t: idf(self.collection.document_frequency(t), size) for t in dict.fromkeys(terms)}

    def surroundings(self, keys: Sequence[str]) -> Surroundings:
        """What the collection says of the given chunks."""
        info, mean = self.collection.info, self.collection.mean_length
        return Surroundings(mean, mean * info.chunks / max(1, info.documents), self._cosines(keys))

    def _cosines(self, keys: Sequence[str]) -> dict[str, float]:
        """Key -> similarity above that of unrelated texts, 0 to 1."""
        if self.vector is None:
            return {}
        vector, room = self.vector, max(1e-6, 1.0 - self.baseline)
        cosines = {
            k: max(0.0, (float(np.dot(v, vector)) - self.baseline) / room)
            for k, v in self.collection.vectors(keys).items()
        }
        return relative(cosines) if self.foreign else cosines

    def _nearest(self, vector: Vectors | None, limit: int) -> list[Hit]:
        return self.collection.nearest(vector, limit) if vector is not None else []

    def _alike(self, keys: Sequence[str], limit: int) -> list[Hit]:
        """Chunks nearest to the mean of the best two and the question."""
        held = list(self.collection.vectors(keys[:2]).values())
        if self.vector is None or not held:
            return []
        mean = np.mean([self.vector, *held], axis=0)
        return self.collection.nearest((mean / np.linalg.norm(mean)).astype(np.float32), limit)

    def _siblings(self, key: str) -> list[str]:
        return [v.chunk.key for v in self._document(key.rpartition("#")[0]).chunks]

    def documents(self, keys: Sequence[str]) -> dict[str, DocumentView]:
        """Document -> its view, for every document of the given chunks."""
        return {d: self._document(d) for d in dict.fromkeys(k.rpartition("#")[0] for k in keys)}

    def _document(self, document: str) -> DocumentView:
        info = self.collection.info
        key = (info.name, info.version, document)
        return self.views.get(key, lambda: document_view(self.collection.document_chunks(document)))

    def _chunk_views(self, keys: Sequence[str]) -> list[ChunkView]:
        documents = self.documents(keys)
        found = [(documents[k.rpartition("#")[0]], k) for k in keys]
        return [d.chunks[d.place[k]] for d, k in found if k in d.place]
