"""lookup and admit: ask the answer cache before a question is answered, and offer it the answer afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ..retrieval.answer_cache.admission import Proposal, admit
from ..retrieval.answer_cache.contract import evidence_of
from ..retrieval.answer_cache.normalise import normalise
from ..retrieval.answer_cache.serving import COMPARED, KEPT, Served, Verifier, chunk_mark, refused, serve
from ..retrieval.answers.citations import check_citations
from ..retrieval.gather import basket
from ..state.caching import AdmissionReason, AdmissionVerdict, CacheEntry, CacheKey, CacheLookup, LookupReason
from ..state.docsearch import DocsearchState
from ..state.document_ports import AnswerCache, Collection, Collections, Domains
from ..state.errors import WorldError
from ..state.progress import CacheAdmission, CacheAsked
from ..state.query import Query
from .clock import announce
from .passage_subject import PassageSubject, PassageSubjects
from .similarity import Similarity


@dataclass(frozen=True)
class CacheReader:
    """Borrows the collections, the domains, the cache, vectors of questions, and the retrieval of chunks.

    enabled: whether the cache is asked at all. now: unix seconds.
    """

    collections: Collections
    domains: Domains
    cache: AnswerCache
    similarity: Similarity
    subjects: PassageSubjects
    enabled: bool = True
    now: Callable[[], float] = time.time

    def lookup(self, state: DocsearchState) -> DocsearchState:
        """What the cache says; on a hit the stored answer, counted as served."""
        lookup, entry = self.look(state)
        if entry is not None:
            lookup, entry = self._counted(lookup, entry)
        announce(CacheAsked(hit=lookup.hit, reason=lookup.reason.value, detail=lookup.detail))
        if entry is None:
            return {"lookup": lookup}
        verdict = AdmissionVerdict(admitted=False, reason=AdmissionReason.FROM_CACHE)
        return {"lookup": lookup, "answer": entry.answer, "admission": verdict}

    def look(self, state: DocsearchState) -> tuple[CacheLookup, CacheEntry | None]:
        """The decision and the entry that may be served, None on a miss; nothing is counted."""
        served = self._served(state)
        return served.lookup, served.entry

    def key(self, state: DocsearchState) -> CacheKey:
        """The name space of the request, by its offline route."""
        return key_of(state, self.collections, self.domains)

    def _served(self, state: DocsearchState) -> Served:
        if not self.enabled:
            return refused(LookupReason.DISABLED)
        if state.get("fresh", False):
            return refused(LookupReason.BYPASSED)
        verifier = Verifier(
            cache=self.cache,
            vector=lambda: self.similarity.question(self._collection(state), state["question"]),
            fresh_top=lambda: top_marks(self._collection(state), self.subjects(state), COMPARED),
            now=self.now(),
        )
        policy = self.domains.of(state["domain"], state.get("genomes")).cache_policy
        return serve(state["question"], self.key(state), policy, verifier)

    def _collection(self, state: DocsearchState) -> Collection:
        return self.collections.opened(state["collection"], state["version"])

    def _counted(self, lookup: CacheLookup, entry: CacheEntry) -> tuple[CacheLookup, CacheEntry | None]:
        """The hit, counted; a miss when the store cannot be written, so that no hit goes unseen."""
        try:
            self.cache.hit(entry.id, self.now())
        except WorldError as error:
            return CacheLookup(hit=False, reason=LookupReason.VERIFIER_FAILED, detail=str(error)), None
        return lookup, entry


@dataclass(frozen=True)
class CacheWriter:
    """Borrows the collections, the domains, the cache, vectors of questions, and the retrieval of chunks.

    enabled: whether answers are kept. candidate: whether a genome that is not active takes part. now: unix seconds.
    """

    collections: Collections
    domains: Domains
    cache: AnswerCache
    similarity: Similarity
    subjects: PassageSubjects
    enabled: bool = True
    candidate: bool = False
    now: Callable[[], float] = time.time

    def admit(self, state: DocsearchState) -> DocsearchState:
        """Whether the answer was kept, and why (not); a store that fails keeps it out and leaves the answer alone."""
        try:
            verdict = self._decide(state)
        except WorldError as error:
            verdict = AdmissionVerdict(admitted=False, reason=AdmissionReason.ERROR, detail=str(error))
        announce(CacheAdmission(admitted=verdict.admitted, reason=verdict.reason.value))
        return {"admission": verdict}

    def _decide(self, state: DocsearchState) -> AdmissionVerdict:
        key = key_of(state, self.collections, self.domains)
        verdict = admit(self._proposal(state), self.domains.of(state["domain"], state.get("genomes")).cache_policy)
        if verdict.admitted and not self._put(key, state):
            detail = "the documents changed while the answer was written"
            verdict = AdmissionVerdict(admitted=False, reason=AdmissionReason.STALE_SOURCES, detail=detail)
        if self.enabled:
            kept = state.get("log", True) and verdict.reason is not AdmissionReason.PERSONAL
            self.cache.decided(state["question"] if kept else "", key, verdict, self.now())
        return verdict

    def _proposal(self, state: DocsearchState) -> Proposal:
        collection = self.collections.opened(state["collection"], state["version"])
        domain = self.domains.of(state["domain"], state.get("genomes"))
        used = [e.path for e in state["evaluations"] if e.relevance >= domain.retrieval.packed]
        cited = [source.chunk for source in state["answer"].sources]
        chunks = collection.chunks(dict.fromkeys([*used[: domain.postprocess.chunk_count], *cited]))
        return Proposal(
            question=state["question"],
            answer=state["answer"],
            citations=check_citations(state["answer"], list(chunks.values())),
            evidence_texts=[" > ".join([*chunk.heading, chunk.text]) for chunk in chunks.values()],
            current=lambda evidence: self.cache.current(state["collection"], evidence),
            from_cache=state["lookup"].hit,
            enabled=self.enabled,
            candidate=self.candidate,
        )

    def _put(self, key: CacheKey, state: DocsearchState) -> bool:
        """Whether the answer was stored; not when the collection is no longer the one that it was written from."""
        collection = self.collections.opened(state["collection"], state["version"])
        if collection.info.version != state["version"]:
            return False
        question, answer = state["question"], state["answer"]
        normalized = normalise(question, key.language)
        entry = CacheEntry(
            id=0,
            key=key,
            question=question,
            normalized=normalized,
            answer=answer,
            evidence=evidence_of(answer),
            top=top_marks(collection, self.subjects(state), KEPT),
            created=self.now(),
        )
        vector = self.similarity.question(collection, question)
        return self.cache.put(key, question, normalized, vector, entry) is not None


def key_of(state: DocsearchState, collections: Collections, domains: Domains) -> CacheKey:
    """The name space of a request."""
    info = collections.opened(state["collection"], state["version"]).info
    return CacheKey(
        tenant=state["tenant"],
        domain=state["domain"],
        collection=state["collection"],
        language=state["language"],
        query_type=state["asked_type"],
        index_version=info.version,
        embedder=f"{info.embedder}/{info.dimension}" if info.embedder else "",
        epoch=domains.epoch(state["domain"], state.get("genomes")),
    )


def top_marks(collection: Collection, subject: PassageSubject, limit: int) -> list[str]:
    """Marks of the best chunks for a question by the first, cheap retrieval of the loop, best first.

    Entries keep what this gave when they were written, so that equal retrieval gives equal marks.
    """
    lists = subject.lists(1, Query(), [])
    depth = subject.depth
    best = basket(lists, lambda _: True, depth.list_depth, limit, subject.genome.rrf_k, demoted=subject.demoted)
    held = collection.chunks(candidate.path for candidate in best)
    return [chunk_mark(held[candidate.path]) for candidate in best if candidate.path in held]


__all__ = ["CacheReader", "CacheWriter", "key_of", "top_marks"]
