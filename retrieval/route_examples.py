"""Labelled examples: the questions that are nearest to one asked, and how they vote."""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import Stemmer

from ..state.domains import RouteExample

NEIGHBOURS = 5
_STEMMERS = {"en": "english", "de": "german", "ru": "russian"}
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|(?:(?![\u3400-\u4dbf\u4e00-\u9fff])\w)+")
# CamelCase, snake_case, dotted.names, calls() and &Directives, in Latin and Cyrillic letters.
_NAME = re.compile(r"&[^\W\d_]\w*|[a-zа-яё][A-ZА-ЯЁ]|[^\W\d]_[^\W]|[^\W\d]\.[^\W\d]|\w\(\)|\b[A-Z]{2,}[a-z]")
_QUOTED = re.compile(r"[\"“”„«»「」`]")
_SMOOTHING = 0.5
_local = threading.local()


@dataclass(frozen=True, slots=True)
class ExampleVotes:
    """shares: query type -> 0 to 1, together at most 1: votes of the nearest examples, weighted by similarity.

    nearest: the nearest example, None without any. similarity: its similarity, 0 to 1.
    """

    shares: dict[str, float] = field(default_factory=dict)
    nearest: RouteExample | None = None
    similarity: float = 0.0


class ExampleBook:
    """The labelled examples of a domain, analysed once.

    A term weighs what it tells about the type (information gain over the examples), so that "why" counts and
    "invoice" hardly does. Examples of the question's language vote; all of them when it has none.
    """

    def __init__(self, examples: Sequence[RouteExample]) -> None:
        self.examples = list(examples)
        self._terms = [question_features(e.question, e.language) for e in self.examples]
        self._weights = _informative(self.examples, self._terms)
        self._norms = [self._norm(terms) for terms in self._terms]

    def votes(self, question: str, language: str, similarities: Sequence[float] | None = None) -> ExampleVotes:
        """How the nearest examples vote.

        Args:
            question: as asked.
            language: en, de, ru, zh or ''.
            similarities: (n_examples,), an embedder's cosine with each example; joins the word overlap half and half,
                and then examples of every language vote.
        """
        near = self._similar(question, language, similarities)
        best = sorted((i for i in range(len(near)) if near[i] > 0), key=lambda i: (-near[i], i))[:NEIGHBOURS]
        total = sum(near[i] for i in best)
        if not total:
            return ExampleVotes()
        shares: dict[str, float] = {}
        for i in best:
            kind = self.examples[i].query_type
            shares[kind] = shares.get(kind, 0.0) + near[i] / total
        return ExampleVotes(shares, self.examples[best[0]], near[best[0]])

    def _similar(self, question: str, language: str, given: Sequence[float] | None) -> list[float]:
        terms = question_features(question, language)
        norm = self._norm(terms)
        known = {e.language for e in self.examples}
        overlaps = [
            0.0 if language in known and language != e.language and given is None else self._cosine(terms, norm, i)
            for i, e in enumerate(self.examples)
        ]
        return overlaps if given is None else [(o + max(0.0, g)) / 2 for o, g in zip(overlaps, given, strict=True)]

    def _cosine(self, terms: frozenset[str], norm: float, i: int) -> float:
        shared = sum(self._weights.get(t, 0.0) ** 2 for t in terms & self._terms[i])
        return shared / (norm * self._norms[i]) if shared else 0.0

    def _norm(self, terms: frozenset[str]) -> float:
        return math.sqrt(sum(self._weights.get(t, _UNKNOWN) ** 2 for t in terms))


_UNKNOWN = 0.2  # a word that no example holds: some length, no news


@lru_cache(maxsize=4096)
def question_features(question: str, language: str) -> frozenset[str]:
    """What a question shows of its type: stemmed words (function words too), its opening, names, numbers, quotes."""
    words = _words(question, language)
    features = set(words) | {f"{a} {b}" for a, b in pairwise(words)}
    features |= {"^" + " ".join(words[:n]) for n in (1, 2) if len(words) >= n}
    marks = {
        "<name>": bool(_NAME.search(question)),
        "<number>": any(c.isdigit() for c in question),
        "<quoted>": bool(_QUOTED.search(question)),
        "<asks>": question.rstrip().endswith(("?", "？")),
        "<short>": len(words) <= 3,
    }
    return frozenset(features | {mark for mark, there in marks.items() if there})


def _words(question: str, language: str) -> list[str]:
    words: list[str] = []
    for raw in _TOKEN.findall(question.lower()):
        words.extend(raw if _CJK.fullmatch(raw) else [_stem(raw, language)])
    return words


def _stem(word: str, language: str) -> str:
    if language not in _STEMMERS:
        return word
    made: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("made", {})
    if language not in made:  # PyStemmer objects must not be shared between threads
        made[language] = Stemmer.Stemmer(_STEMMERS[language], 0)
    stemmed: str = made[language].stemWord(word)
    return stemmed


def _informative(examples: Sequence[RouteExample], terms: Sequence[frozenset[str]]) -> dict[str, float]:
    """Term -> Kullback-Leibler divergence of the types that hold it from all types, smoothed: rare terms say little."""
    prior = Counter(e.query_type for e in examples)
    total = sum(prior.values())
    holding: dict[str, Counter[str]] = {}
    for example, held in zip(examples, terms, strict=True):
        for term in held:
            holding.setdefault(term, Counter())[example.query_type] += 1
    return {term: _divergence(counts, prior, total) + _UNKNOWN for term, counts in holding.items()}


def _divergence(counts: Counter[str], prior: Counter[str], total: int) -> float:
    n = sum(counts.values())
    gain = 0.0
    for kind, share in prior.items():
        expected = share / total
        p = (counts[kind] + _SMOOTHING * expected * len(prior)) / (n + _SMOOTHING * len(prior))
        gain += p * math.log(p / expected)
    return gain
