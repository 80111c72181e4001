"""What the answer cache may serve: a decision with its reason, closed whenever something could not be verified.

An entry is served when all of it holds: its key is the asker's, it is neither stale nor too old, every chunk its
answer rests on has the same content as then, and the question is the same one. *The same one* is either the same
spelling, or a similarity of at least ``min_similarity``, an agreeing guard (``guard.py``) and agreeing evidence.

Evidence agrees when a fresh, cheap retrieval for the new question brings chunks that the stored answer knew: the
first ``COMPARED`` overlap with the stored first ones by ``min_evidence_overlap`` (Jaccard), and none of them is unknown
to the stored list, which is longer (``KEPT``). Chunks are named with their content (``chunk_mark``), so that a section
rewritten in its place counts as new.

The index version in the key names the state of the collection that an answer saw. It is not part of the name space: if
it were, one changed document would empty the cache, and a cache that never survives an edit serves nothing. Staleness
is settled by evidence instead: chunks that changed make their own answers stale, and what no stored hash can tell, that
a *new* document knows better, is asked of a fresh retrieval. Hence an exact hit is served without one only while the
index version is the one it was written at; later the evidence must agree as for a semantic hit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...state.caching import CacheEntry, CacheKey, CacheLookup, CachePolicyGenome, LookupReason
from ...state.document_ports import AnswerCache, NearEntry, Vectors
from ...state.documents import StoredChunk
from ...state.errors import IterativeRetrievalError
from .guard import same_question
from .normalise import normalise

COMPARED = 5
"""How many of the best chunks are compared."""
KEPT = 20
"""How many of the best chunks an entry keeps: a paraphrase ranks the same chunks a little differently."""
NEIGHBOURS = 5
"""How many entries near to the question are looked at."""

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Served:
    """The outcome of a look-up. entry: what may be served, None on a miss."""

    lookup: CacheLookup
    entry: CacheEntry | None = None


@dataclass(frozen=True)
class Verifier:
    """What a look-up asks of the world, each only when needed.

    vector: of the question, None without an embedder. fresh_top: marks of the best chunks for the question now, best
    first. now: unix seconds.
    """

    cache: AnswerCache
    vector: Callable[[], Vectors | None]
    fresh_top: Callable[[], Sequence[str]]
    now: float


def serve(question: str, key: CacheKey, policy: CachePolicyGenome, verifier: Verifier) -> Served:
    """Decide whether a stored answer may be served.

    Every error that this package raises on purpose (a store is down, the embedder is missing) makes it a miss with
    VERIFIER_FAILED; any other is a mistake in the program and rises.
    """
    try:
        return _serve(question, key, policy, verifier)
    except IterativeRetrievalError as error:
        return _miss(LookupReason.VERIFIER_FAILED, f"{type(error).__name__}: {error}")


def refused(reason: LookupReason) -> Served:
    """A look-up that was not made: DISABLED or BYPASSED."""
    detail = "a fresh answer was asked for" if reason is LookupReason.BYPASSED else "the cache is switched off"
    return _miss(reason, detail)


def chunk_mark(chunk: StoredChunk) -> str:
    """Names a chunk together with its content, for comparing evidence."""
    return f"{chunk.key}@{chunk.sha256[:16]}"


def evidence_overlap(fresh: Sequence[str], stored: Sequence[str]) -> float:
    """Jaccard overlap, 0 to 1, of the fresh marks with as many of the stored ones; 0 when there are none."""
    now, then = set(fresh), set(stored[: len(fresh)])
    return len(now & then) / len(now | then) if now | then else 0.0


def _serve(question: str, key: CacheKey, policy: CachePolicyGenome, verifier: Verifier) -> Served:
    fresh_top = lru_cache(maxsize=1)(lambda: list(verifier.fresh_top())[:COMPARED])
    first: CacheLookup | None = None
    entry = verifier.cache.exact(key, normalise(question, key.language))
    if entry is not None and _same_space(entry.key, key):
        again = entry.key.index_version != key.index_version
        problem = _unfit(entry, key, policy, verifier) or (_disagrees(entry, policy, fresh_top) if again else None)
        if problem is None:
            return _hit(LookupReason.EXACT, entry, 1.0)
        first = _miss(*problem, similarity=1.0).lookup
    for near, problem in _semantic(question, key, policy, verifier, fresh_top):
        if problem is None:
            return _hit(LookupReason.SEMANTIC, near.entry, near.similarity)
        first = first or _miss(*problem, similarity=near.similarity).lookup
    return Served(first) if first else _miss(LookupReason.NO_ENTRY)


Problem = tuple[LookupReason, str]


def _semantic(
    question: str,
    key: CacheKey,
    policy: CachePolicyGenome,
    verifier: Verifier,
    fresh_top: Callable[[], Sequence[str]],
) -> Iterator[tuple[NearEntry, Problem | None]]:
    """The nearest entries and what speaks against each, cheapest question first."""
    for near in verifier.cache.near(key, question, verifier.vector(), NEIGHBOURS):
        if not _same_space(near.entry.key, key):
            continue
        problem = _dissimilar(near, policy) or _differs(question, near.entry)
        problem = problem or _unfit(near.entry, key, policy, verifier)
        yield near, problem or _disagrees(near.entry, policy, fresh_top)


def _same_space(a: CacheKey, b: CacheKey) -> bool:
    """Whether two keys share answers; the store sees to it, and here it is made sure of."""
    return a.model_copy(update={"index_version": b.index_version}) == b


def _dissimilar(near: NearEntry, policy: CachePolicyGenome) -> Problem | None:
    if near.similarity >= policy.min_similarity:
        return None
    return LookupReason.BELOW_THRESHOLD, f"similarity {near.similarity:.3f}, {policy.min_similarity:.3f} wanted"


def _differs(question: str, entry: CacheEntry) -> Problem | None:
    verdict = same_question(question, entry.question, entry.key.language)
    return None if verdict.agrees else (LookupReason.GUARD, f"{verdict.differs}: {verdict.detail}")


def _unfit(entry: CacheEntry, key: CacheKey, policy: CachePolicyGenome, verifier: Verifier) -> Problem | None:
    """What keeps an entry from being served, whatever was asked."""
    if entry.stale:
        return LookupReason.STALE, entry.stale
    age = (verifier.now - entry.created) / _DAY
    if age >= policy.max_age_days:
        return LookupReason.EXPIRED, f"{age:.1f} days old, less than {policy.max_age_days:g} wanted"
    if not entry.evidence and entry.key.index_version != key.index_version:
        return LookupReason.EVIDENCE_CHANGED, "the answer names no chunk, and the documents changed"
    if not verifier.cache.current(key.collection, entry.evidence):
        return LookupReason.EVIDENCE_CHANGED, "a chunk behind the answer has another content now"
    return None


def _disagrees(entry: CacheEntry, policy: CachePolicyGenome, fresh_top: Callable[[], Sequence[str]]) -> Problem | None:
    fresh = fresh_top()
    if not fresh:
        return LookupReason.EVIDENCE_DISAGREES, "retrieval finds nothing"
    if unknown := [mark for mark in fresh if mark not in set(entry.top)]:
        return LookupReason.EVIDENCE_DISAGREES, f"{unknown[0].rpartition('@')[0]} is new to the answer"
    overlap = evidence_overlap(fresh, entry.top)
    if overlap < policy.min_evidence_overlap:
        return LookupReason.EVIDENCE_DISAGREES, f"overlap {overlap:.2f}, {policy.min_evidence_overlap:.2f} wanted"
    return None


def _hit(reason: LookupReason, entry: CacheEntry, similarity: float) -> Served:
    lookup = CacheLookup(hit=True, reason=reason, entry=entry.id, similarity=min(1.0, similarity))
    return Served(lookup, entry)


def _miss(reason: LookupReason, detail: str = "", similarity: float = 0.0) -> Served:
    return Served(CacheLookup(hit=False, reason=reason, detail=detail, similarity=max(0.0, min(1.0, similarity))))


__all__ = [
    "COMPARED",
    "KEPT",
    "NEIGHBOURS",
    "Served",
    "Verifier",
    "chunk_mark",
    "evidence_overlap",
    "refused",
    "serve",
]
