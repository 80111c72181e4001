"""Reasons in words: why a chunk should answer the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .question import Question
from .views import ChunkView

_MOST = 3
_TERMS = 4


def reason_for(question: Question, view: ChunkView, evidence: Mapping[str, float]) -> str:
    """The strongest kinds of evidence for a chunk, strongest first.

    Args:
        question: the question.
        view: the chunk.
        evidence: signal -> what it adds to the score.
    """
    by_kind: dict[str, float] = {}
    for signal, gain in evidence.items():
        if gain > 0:
            by_kind[_KIND[signal]] = by_kind.get(_KIND[signal], 0.0) + gain
    said = [_PHRASES[kind](question, view) for kind in sorted(by_kind, key=lambda k: (-by_kind[k], k))]
    return "; ".join([s for s in said if s][:_MOST]) or "shares few words with the question"


def _words(question: Question, view: ChunkView) -> str:
    held = sorted((t for t in question.weights if t in view.body), key=lambda t: (-question.weights[t], t))
    return f"speaks of {', '.join(held[:_TERMS])}" if held else ""


def _heading(question: Question, view: ChunkView) -> str:
    held = [t for t in question.weights if t in view.heading]
    return f"its heading says {', '.join(held[:_TERMS])}" if held else ""


def _defines(question: Question, view: ChunkView) -> str:
    names = sorted(question.names & view.defines)
    return f"defines {', '.join(names[:2])}" if names else ""


def _fixed(words: str) -> Callable[[Question, ChunkView], str]:
    return lambda question, view: words


_KIND = {
    "bm25_body": "words",
    "coverage_question": "words",
    "bm25_heading": "heading",
    "bm25_names": "heading",
    "coverage_heading": "heading",
    "coverage_precision": "heading",
    "document_bm25": "document",
    "document_best": "document",
    "coverage_document": "document",
    "neighbours_best": "beside",
    "graph_beside": "beside",
    "pairs_question": "pairs",
    "defines_question": "defines",
    "vector_chunk": "meaning",
    "vector_document": "document",
    "prior_first": "first",
    "learned": "learned",
}
_PHRASES: dict[str, Callable[[Question, ChunkView], str]] = {
    "words": _words,
    "heading": _heading,
    "document": _fixed("its document speaks of the question"),
    "beside": _fixed("stands beside a chunk that does"),
    "pairs": _fixed("holds phrases of the question"),
    "defines": _defines,
    "meaning": _fixed("means nearly the same"),
    "first": _fixed("opens its document"),
    "learned": _fixed("holds the documents' own words for the question"),
}
