"""Answers on the documentation set: what they say of the reference, and whether sources and sentences hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from iterative_retrieval.graph.ask import AskResult
from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.support import support
from iterative_retrieval.retrieval.passages.words import question_words, words
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.documents import StoredChunk

from .document_sets import DocumentSet
from .document_store import Bench

_SPACE = re.compile(r"\s+")


def measure_answers(documents: DocumentSet, answered: Mapping[str, AskResult], bench: Bench) -> dict[str, Any]:
    """Shares over all questions of the set.

    coverage: mean share of the reference's content words that the answer says. precision: mean share of the answer's
    content words that the reference says. citations_valid: share of sources that resolve to a chunk, verbatim.
    with_unsupported: share of answers with a sentence that its sources do not support. empty: share without an answer.
    """
    collection = bench.collections.open(documents.name)
    rows = []
    for question in documents.questions:
        answer = answered[question.id].answer
        held = collection.chunks([*(s.chunk for s in answer.sources), *answered[question.id].ranked[:8]])
        rows.append(_row(question.text, question.answer, answer, list(held.values())))
    given = [r for r in rows if r["words"]]
    sources = sum(r["sources"] for r in rows)
    return {
        "coverage": _mean([r["coverage"] for r in rows]),
        "precision": _mean([r["precision"] for r in given]),
        "citations_valid": round(sum(r["valid"] for r in rows) / sources, 4) if sources else None,
        "quotes_verbatim": round(sum(r["verbatim"] for r in rows) / sources, 4) if sources else None,
        "with_unsupported": _mean([float(r["unsupported"] > 0) for r in rows]),
        "empty": _mean([float(r["words"] == 0) for r in rows]),
        "with_warnings": _mean([float(r["warnings"] > 0) for r in rows]),
        "words": float(np.median([r["words"] for r in given])),
        "sources_each": round(sources / len(rows), 2),
    }


def _row(question: str, reference: str, answer: Answer, chunks: Sequence[StoredChunk]) -> dict[str, Any]:
    wanted, said = set(question_words(reference, "en")), set(words(answer.answer, "en"))
    told = set(question_words(answer.answer, "en"))
    by_key = {c.key: _squeezed(c.text) for c in chunks}
    return {
        "coverage": len(wanted & said) / len(wanted) if wanted else 1.0,
        "precision": len(told & set(words(reference, "en"))) / len(told) if told else 0.0,
        "valid": sum(c.verdict == "supported" for c in check_citations(answer, chunks)),
        "verbatim": sum(_squeezed(s.quote.removesuffix("...")) in by_key.get(s.chunk, "") for s in answer.sources),
        "unsupported": sum(bool(s.problem) for s in support(answer, chunks, question)),
        "sources": len(answer.sources),
        "warnings": len(answer.warnings),
        "words": len(answer.answer.split()),
    }


def _squeezed(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0
