"""The terms of a task with their weights: one query, several sections."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .task import Task
from .text import Terms, analyse, content_terms, raw_parts, raw_words, split_identifier, stem, term_hash, unique

SECTIONS = ("title", "prose", "code", "all")
"""title: the first line; prose: running text; code: code blocks and backticks; all: the three together."""

Vector = NDArray[np.float32]
_DEEDS = frozenset(
    stem(word)
    for line in (
        "fix add implement support make change update improve remove allow find where how",
        "feature problem broken wrong",
    )
    for word in line.split()
)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The searchable terms of a task.

    known: 0 to 1, the share of the title's words that the corpus holds at all. terms: unique, parts before wholes.
    shown: term -> the word as the task writes it. keys: their 32-bit keys. n_parts: how many are parts. idf:
    (n_terms,). weights: section -> (n_terms,), a saturated count of the term in that section, 0 when absent. bigrams:
    section -> (keys of neighbouring part pairs (uint64), their weights).
    """

    known: float
    terms: list[str]
    shown: dict[str, str]
    keys: NDArray[np.uint32]
    n_parts: int
    idf: Vector
    weights: dict[str, Vector]
    bigrams: dict[str, tuple[NDArray[np.uint64], Vector]]


def query_terms(task: Task, frequency: Callable[[str], int], n_documents: int, limit: int) -> QueryTerms:
    """The terms of ``task`` that the corpus holds, the most informative ``limit`` of them.

    Args:
        task: the task taken apart.
        frequency: document frequency of a term in the corpus.
        n_documents: size of the corpus.
        limit: most terms kept, by idf times weight.
    """
    sections = _section_terms(task)
    parts = unique([*sections["title"].parts, *sections["prose"].parts, *sections["code"].parts])
    wholes = unique([*sections["title"].wholes, *sections["prose"].wholes, *sections["code"].wholes])
    idf = {t: _idf(frequency(t), n_documents) for t in [*parts, *wholes]}
    counts = {name: Counter(t.parts) + Counter(t.wholes) for name, t in sections.items()}
    counts["all"] = counts["title"] + counts["prose"] + counts["code"]
    value = {t: idf[t] * (1 + math.log1p(counts["all"][t]) + 3 * (counts["title"][t] > 0)) for t in idf}
    kept = set(sorted((t for t in idf if idf[t] > 0), key=lambda t: (-value[t], t))[:limit])
    parts, wholes = [t for t in parts if t in kept], [t for t in wholes if t in kept]
    terms = parts + wholes
    weights = {name: np.array([_saturated(c[t]) for t in terms], dtype=np.float32) for name, c in counts.items()}
    return QueryTerms(
        shown=_as_written(task),
        known=_known_share(sections["title"] if sections["title"].parts else sections["prose"], idf),
        terms=terms,
        keys=np.array([term_hash(t) for t in terms], dtype=np.uint32),
        n_parts=len(parts),
        idf=np.array([idf[t] for t in terms], dtype=np.float32),
        weights=weights,
        bigrams={name: _bigrams(text, idf, frequency, n_documents) for name, text in _phrase_texts(task).items()},
    )


def _section_terms(task: Task) -> dict[str, Terms]:
    return {
        "title": content_terms(task.title),
        "prose": content_terms(task.prose),
        "code": content_terms(task.code),
    }


def keyword_terms(keywords: list[str], frequency: Callable[[str], int], n_documents: int) -> QueryTerms:
    """The terms of learned keywords, all in one section, without pairs."""
    found = content_terms(" ".join(keywords))
    parts, wholes = unique(found.parts), unique(found.wholes)
    idf = {t: _idf(frequency(t), n_documents) for t in [*parts, *wholes]}
    parts, wholes = [t for t in parts if idf[t]], [t for t in wholes if idf[t]]
    terms = parts + wholes
    return QueryTerms(
        shown={},
        known=1.0,
        terms=terms,
        keys=np.array([term_hash(t) for t in terms], dtype=np.uint32),
        n_parts=len(parts),
        idf=np.array([idf[t] for t in terms], dtype=np.float32),
        weights=dict.fromkeys(SECTIONS, np.ones(len(terms), dtype=np.float32)),
        bigrams={},
    )


def _phrase_texts(task: Task) -> dict[str, str]:
    literals = "\n".join([*task.errors, *task.literals])
    return {"title": task.title, "prose": task.prose, "code": task.code, "literal": literals}


def _idf(df: int, n: int) -> float:
    """BM25's idf as Lucene smooths it: above 0 even for a word that most files hold; 0 for a word that none holds."""
    return math.log1p((max(n, df) - df + 0.5) / (df + 0.5)) if df else 0.0


def _as_written(task: Task) -> dict[str, str]:
    """Stem -> the first word of the task that has it."""
    written: dict[str, str] = {}
    inside: dict[str, str] = {}  # parts of identifiers, when no word of its own says the same
    for raw in raw_words(f"{task.title}\n{task.prose}\n{task.code}"):
        parts, whole = split_identifier(raw)
        if len(parts) == 1:
            written.setdefault(parts[0], raw.lower())
        for part in raw_parts(raw):
            inside.setdefault(stem(part), part)
        if whole:
            written.setdefault(whole, raw)
    return inside | written


def _known_share(title: Terms, idf: dict[str, float]) -> float:
    """The share of the title's words that the corpus holds; words that say what to do, not where, are left out."""
    words = [w for w in unique(title.parts) if w not in _DEEDS]
    return sum(idf[w] > 0 for w in words) / len(words) if words else 1.0


def _saturated(count: int) -> float:
    return 1.0 + math.log(count) if count else 0.0


def _bigrams(
    text: str, idf: dict[str, float], frequency: Callable[[str], int], n: int
) -> tuple[NDArray[np.uint64], Vector]:
    """Pairs of neighbouring words on a line; a pair weighs what its words weigh and must weigh something."""
    weighed: dict[int, float] = {}
    for line in text.split("\n"):
        parts = analyse(line[:2000]).parts
        for a, b in pairwise(parts):
            weight = _known(a, idf, frequency, n) + _known(b, idf, frequency, n)
            if weight > 4.0 and a != b:
                weighed.setdefault((term_hash(a) << 32) | term_hash(b), weight)
        if len(weighed) > 400:
            break
    return np.array(list(weighed), dtype=np.uint64), np.array(list(weighed.values()), dtype=np.float32)


def _known(term: str, idf: dict[str, float], frequency: Callable[[str], int], n: int) -> float:
    if term not in idf:
        idf[term] = _idf(frequency(term), n)
    return idf[term]
