"""A question taken apart and weighed against a collection."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ..text import split_identifier
from .words import question_words, says_nothing, words

_RAW = re.compile(r"\w+")
_QUOTED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|«([^»\n]{2,80})»|„([^“\n]{2,80})[“”]|“([^”\n]{2,80})”")


@dataclass(frozen=True)
class Question:
    """What a question asks for.

    weights: term -> its information (BM25 idf, from chunk frequencies); a term that no chunk holds has the highest.
    known: share of the question's information whose terms the collection holds. pairs: neighbouring terms of which at
    least one carries weight. names: words as written that could be defined names, lower case, underscores dropped.
    identifiers: compound identifiers and quoted words as written, the question's sharpest terms.
    """

    text: str
    language: str
    weights: Mapping[str, float]
    known: float
    pairs: frozenset[tuple[str, str]]
    names: frozenset[str]
    identifiers: tuple[str, ...]

    @property
    def total(self) -> float:
        """The information of the whole question."""
        return sum(self.weights.values()) or 1.0


def read_question(text: str, language: str, frequency: Callable[[str], int], size: int) -> Question:
    """The question, weighed.

    Args:
        text: as asked.
        language: en, de, ru, zh or ''.
        frequency: number of chunks that hold a term.
        size: number of chunks.
    """
    terms = question_words(text, language)
    counts = {t: frequency(t) for t in terms}
    weights = {t: idf(n, size) for t, n in counts.items()}
    total = sum(weights.values()) or 1.0
    raws = _RAW.findall(text)
    sequence = list(words(text, language))
    return Question(
        text=text,
        language=language,
        weights=weights,
        known=sum(w for t, w in weights.items() if counts[t]) / total,
        pairs=frozenset(p for p in pairwise(sequence) if p[0] in weights or p[1] in weights),
        names=frozenset(r.lower().replace("_", "") for r in raws if len(r) > 3 and not r[0].isdigit()),
        identifiers=tuple(dict.fromkeys([*_quoted(text), *(r for r in raws if _compound(r))])),
    )


def idf(frequency: int, size: int) -> float:
    """BM25's inverse document frequency, never negative (Lucene's form)."""
    return math.log(1.0 + (max(size, frequency) - frequency + 0.5) / (frequency + 0.5))


def _quoted(text: str) -> list[str]:
    """What stands in quotation marks or backticks, when it is one word."""
    found = (next(filter(None, m.groups())) for m in _QUOTED.finditer(text))
    return [q for q in found if re.fullmatch(r"[\w.\-]+", q) and not says_nothing(q)]


def _compound(raw: str) -> bool:
    return bool(split_identifier(raw)[1])
