"""Which chunks may hold the answer: ranked lists by words, headings, identifiers, vectors and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...state.ports import Clause, Hit
from ..gather import Lists
from ..text import unique
from .question import Question
from .words import words

Search = Callable[[Iterable[Clause], int], Sequence[Hit]]
_FIELDS = {"heading": 1.5, "body": 1.0}
_DOCUMENTS = 12
"""Documents whose other chunks come along."""


def first_lists(
    question: Question, search: Search, nearest: Sequence[Hit], siblings: Callable[[str], Sequence[str]], depth: int
) -> Lists:
    """The lists that the question itself gives.

    Args:
        question: the question.
        search: the lexical engine over chunks.
        nearest: chunks by vector, best first; [] without vectors.
        siblings: document of a chunk key -> keys of its chunks, in order.
        depth: length of a list.
    """
    by_words = _keys(search(clauses(question.weights, _FIELDS), depth))
    by_vector = _keys(nearest)
    return {
        "words": by_words,
        "heading": _keys(search(clauses(question.weights, {"heading": 1.0}), depth)),
        "identifiers": _keys(search(_identifier_clauses(question), depth)),
        "vectors": by_vector,
        "documents": _whole_documents(by_words, by_vector, siblings)[:depth],
    }


def next_lists(
    learned: Sequence[str],
    focus: Sequence[str],
    best: Sequence[str],
    alike: Sequence[Hit],
    search: Search,
    siblings: Callable[[str], Sequence[str]],
    language: str,
    depth: int,
) -> Lists:
    """The lists of a later cycle: learned words, what is missing, and what stands around the best chunks.

    Args:
        learned: words that refine added.
        focus: what the gaps name.
        best: keys of the best chunks so far.
        alike: chunks nearest to the best ones by vector.
        search: the lexical engine over chunks.
        siblings: chunk key -> keys of its document's chunks, in order.
        language: of the question.
        depth: length of a list.
    """
    return {
        "learned": _keys(search(_plain(learned, language), depth)),
        "focus": _keys(search(_plain(focus, language), depth)),
        "beside": unique(k for key in best for k in _beside(key, siblings(key)))[:depth],
        "documents": _whole_documents(best, [], siblings)[:depth],
        "alike": _keys(alike),
    }


def clauses(weights: Mapping[str, float], fields: Mapping[str, float]) -> list[Clause]:
    """One clause a term and field. The engine brings its own idf, so the terms weigh alike."""
    return [Clause(f, t, boost) for t in weights for f, boost in fields.items()]


def _plain(texts: Sequence[str], language: str) -> list[Clause]:
    terms = unique(t for text in texts for t in words(text, language))
    return [Clause(f, t, boost) for t in terms for f, boost in _FIELDS.items()]


def _identifier_clauses(question: Question) -> list[Clause]:
    wholes = [i.lower().replace("_", "") for i in question.identifiers]
    return [Clause("body", w, 1.0) for w in unique(wholes)]


def _whole_documents(
    by_words: Sequence[str], by_vector: Sequence[str], siblings: Callable[[str], Sequence[str]]
) -> list[str]:
    """The chunks of the best documents, documents of both lists in turn."""
    firsts = unique(
        key.rpartition("#")[0]
        for pair in zip([*by_words, *[""] * len(by_vector)], [*by_vector, *[""] * len(by_words)], strict=False)
        for key in pair
        if key
    )
    return unique(k for document in firsts[:_DOCUMENTS] for k in siblings(f"{document}#0"))


def _beside(key: str, keys: Sequence[str]) -> list[str]:
    if key not in keys:
        return []
    place = list(keys).index(key)
    return [keys[i] for i in (place - 1, place + 1) if 0 <= i < len(keys)]


def _keys(hits: Sequence[Hit]) -> list[str]:
    return [h.path for h in hits]
