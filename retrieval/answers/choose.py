"""Choosing sentences: relevance against redundancy, every part of the question, and a length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .evidence import Evidence, Weights


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an answer gets.

    most: words it must not exceed. falloff: least worth of a further sentence beside the first one's, 0 to 1.
    """

    most: int = 110
    falloff: float = 0.42


REDUNDANCY = 0.6
"""How much of a sentence's worth repetition of a chosen one costs (lambda of maximal marginal relevance)."""
NOVELTY = 0.5
"""What the words of the question that no chosen sentence holds are worth."""
REPEATED = 0.85
"""Overlap with a chosen sentence from which a sentence says nothing new."""
CONSIDERED = 150
"""Candidates looked at, the best by score."""


def choose(evidence: Sequence[Evidence], weights: Weights, limits: Limits) -> list[Evidence]:
    """The candidates for an answer in the order they were chosen (Carbonell and Goldstein 1998, with coverage)."""
    left = sorted(evidence, key=lambda e: (-e.score, e.passage, e.units))[:CONSIDERED]
    repeats = dict.fromkeys(left, 0.0)
    missing = dict(weights)
    total = sum(weights.values()) or 1.0
    chosen: list[Evidence] = []
    length, first = 0, 0.0
    while repeats:
        worths = {e: _worth(e, r, missing, total) for e, r in repeats.items()}
        best = max(worths, key=lambda e: worths[e])  # ties: the first in order
        first = first or worths[best]
        if worths[best] <= 0 or worths[best] < limits.falloff * first:
            break
        del repeats[best]
        if chosen and length + best.length > limits.most:
            continue
        chosen.append(best)
        length += best.length
        missing = {want: w for want, w in missing.items() if want not in best.covers}
        repeats = {e: max(r, _overlap(e, best)) for e, r in repeats.items()}
    return chosen


def _worth(e: Evidence, repeats: float, missing: Weights, total: float) -> float:
    """What ``e`` adds to the chosen ones."""
    if repeats > REPEATED:
        return 0.0
    news = sum(missing.get(want, 0.0) for want in e.covers) / total
    return e.score * (1 - REDUNDANCY * repeats) + NOVELTY * news


def _overlap(a: Evidence, b: Evidence) -> float:
    """Share of the shorter candidate's content that the other one holds."""
    smaller = min(len(a.content), len(b.content))
    return len(a.content & b.content) / smaller if smaller else 0.0


__all__ = ["Limits", "choose"]
