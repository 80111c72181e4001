"""Answers, keys and entries for tests of the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from iterative_retrieval.retrieval.answer_cache.normalise import normalise
from iterative_retrieval.state.answer import Answer, AnswerSource, CitationCheck
from iterative_retrieval.state.caching import AdmissionVerdict, CacheEntry, CacheKey, Evidence
from iterative_retrieval.state.document_ports import NearEntry, Vectors
from iterative_retrieval.state.errors import StoreUnavailable

KEY = CacheKey(
    domain="general",
    collection="docs",
    language="en",
    query_type="how_to",
    index_version=7,
    embedder="hashing/32",
    epoch="e1",
)
QUESTION = "How do I limit retries?"
TOP = [f"retry.md#{n}@{n:016d}" for n in range(20)]


def source(number: int = 1, chunk: str = "retry.md#0", sha256: str = "aa", **more: Any) -> AnswerSource:
    fields = {"document": chunk.partition("#")[0], "first": 1, "last": 2, "quote": "Set max_retries to limit retries."}
    return AnswerSource.model_validate({"number": number, "chunk": chunk, "sha256": sha256, **fields, **more})


def answer(**more: Any) -> Answer:
    fields: dict[str, Any] = {
        "answer": "Set max_retries to limit retries. [1]",
        "key_points": ["Set max_retries."],
        "sources": [source()],
        "language": "en",
        "support": 1.0,
    }
    return Answer.model_validate({**fields, **more})


def checks(of: Answer) -> list[CitationCheck]:
    return [CitationCheck(number=s.number, verdict="supported") for s in of.sources]


def entry(question: str = QUESTION, **more: Any) -> CacheEntry:
    key = more.get("key", KEY)
    fields: dict[str, Any] = {
        "id": 1,
        "key": key,
        "question": question,
        "normalized": normalise(question, key.language),
        "answer": answer(),
        "evidence": [Evidence(chunk="retry.md#0", sha256="aa")],
        "top": TOP,
        "created": 1000.0,
    }
    return CacheEntry.model_validate({**fields, **more})


@dataclass
class ListCache:
    """A cache of a few entries. changed: chunks that are not what they were. down: every question fails."""

    entries: Sequence[CacheEntry] = ()
    similarity: float = 0.97
    changed: set[str] = field(default_factory=set)
    down: bool = False

    def exact(self, key: CacheKey, normalized: str) -> CacheEntry | None:
        return next((e for e in self.entries if e.normalized == normalized), None)

    def near(self, key: CacheKey, question: str, vector: Vectors | None, limit: int = 5) -> list[NearEntry]:
        return [] if vector is None else [NearEntry(e, self.similarity) for e in self.entries][:limit]

    def put(
        self, key: CacheKey, question: str, normalized: str, vector: Vectors | None, entry: CacheEntry
    ) -> CacheEntry | None:
        raise NotImplementedError("decisions about serving write nothing")

    def hit(self, entry: int, time: float) -> None:
        raise NotImplementedError("decisions about serving write nothing")

    def decided(self, question: str, key: CacheKey, verdict: AdmissionVerdict, time: float) -> None:
        raise NotImplementedError("decisions about serving write nothing")

    def current(self, collection: str, evidence: Sequence[Evidence]) -> bool:
        if self.down:
            raise StoreUnavailable("the disk is gone")
        return not any(piece.chunk in self.changed for piece in evidence)

    def purge(self, collection: str | None = None, stale_only: bool = False) -> int:
        raise NotImplementedError("decisions about serving write nothing")

    def stats(self, collection: str | None = None) -> dict[str, Any]:
        raise NotImplementedError("decisions about serving count nothing")
