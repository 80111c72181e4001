"""What is measured of ranked chunks: precision, recall and MRR within k, averaged over questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .document_sets import DocQuestion, DocumentSet

DEPTH = 20
_DRAWS = 2_000


def measures(questions: Sequence[DocQuestion], rankings: Mapping[str, Sequence[str]], name: str) -> dict[str, float]:
    """The measures of a set, as fractions.

    Args:
        questions: with gold chunks.
        rankings: question id -> chunk keys, best first.
        name: of the set; each has the measures under which its numbers were published.
    """
    rows = _rows(questions, rankings, name)
    return {measure: round(float(np.mean(values)), 4) for measure, values in rows.items()}


def intervals(
    questions: Sequence[DocQuestion], rankings: Mapping[str, Sequence[str]], name: str, seed: int = 0
) -> dict[str, list[float]]:
    """Measure -> its 95 % bootstrap interval over questions."""
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(questions), (_DRAWS, len(questions)))
    rows = _rows(questions, rankings, name)
    return {
        measure: [round(float(x), 4) for x in np.percentile(np.array(values)[draws].mean(axis=1), [2.5, 97.5])]
        for measure, values in rows.items()
    }


def recall_at(questions: Sequence[DocQuestion], rankings: Mapping[str, Sequence[str]], k: int) -> float:
    """Mean share of gold chunks within the first k."""
    return float(np.mean([_recall(q.gold, rankings[q.id], k) for q in questions]))


def _rows(questions: Sequence[DocQuestion], rankings: Mapping[str, Sequence[str]], name: str) -> dict[str, list[float]]:
    """Measure -> its value for each question."""
    pairs = [(q.gold, list(rankings[q.id])) for q in questions]
    if name == "code_chunks":
        return {f"pass@{k}": [_recall(g, r, k) for g, r in pairs] for k in (5, 10, 20)}
    return {
        "precision@3": [sum(k in g for k in r[:3]) / 3 for g, r in pairs],
        "recall@3": [_recall(g, r, 3) for g, r in pairs],
        "mrr@3": [_reciprocal_rank(g, r, 3) for g, r in pairs],
        "recall@10": [_recall(g, r, 10) for g, r in pairs],
    }


def _recall(gold: Sequence[str], ranked: Sequence[str], k: int) -> float:
    return len(set(gold) & set(ranked[:k])) / len(gold)


def _reciprocal_rank(gold: Sequence[str], ranked: Sequence[str], k: int) -> float:
    return next((1 / place for place, key in enumerate(ranked[:k], start=1) if key in gold), 0.0)


__all__ = ["DEPTH", "DocumentSet", "intervals", "measures", "recall_at"]
