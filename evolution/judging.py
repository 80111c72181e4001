"""Judging arithmetic: from shares to metrics of 0 to 10, and from metrics to one score. Unmeasured is never 0."""

from __future__ import annotations

from collections.abc import Mapping

from ..state.evolution import METRICS

WEIGHTS: Mapping[str, float] = {"completeness": 0.4, "accuracy": 0.3, "sources": 0.2, "conciseness": 0.1}
"""What each metric counts. Coverage of the reference ranks configurations as GPT-4 does (config-level Spearman .81 on
ray-project/llm-applications), so it counts most; length alone tells little (.34)."""

_ENOUGH_WORDS = 60  # an answer of this length is never too long
_GENEROUS = 2.0  # times the reference's length that costs nothing


def score_of(metrics: Mapping[str, float | None]) -> float | None:
    """The weighted mean of the measured metrics, 0 to 10; None when completeness and accuracy are both unmeasured."""
    measured = {name: metrics[name] for name in METRICS if metrics.get(name) is not None}
    if not {"completeness", "accuracy"} & set(measured):
        return None
    total = sum(WEIGHTS[name] for name in measured)
    return round(sum(WEIGHTS[name] * float(value or 0.0) for name, value in measured.items()) / total, 4)


def points(share: float | None) -> float | None:
    """A share of 0 to 1 as points of 0 to 10; None stays None."""
    return None if share is None else round(10.0 * min(1.0, max(0.0, share)), 4)


def concision(words: int, reference_words: int, repeated: float = 0.0) -> float:
    """How short an answer is for what it has to say, 0 to 1.

    Args:
        words: of the answer.
        reference_words: of the reference; 0 when there is none.
        repeated: share of its word runs that were said before.
    """
    allowed = max(_ENOUGH_WORDS, _GENEROUS * reference_words)
    excess = max(0.0, words - allowed) / allowed
    return max(0.0, (1.0 - min(1.0, excess / 2.0)) * (1.0 - min(1.0, repeated)))


def repeated_share(terms: list[str], run: int = 4) -> float:
    """Share of the runs of ``run`` terms that occurred before in the same text."""
    runs = [tuple(terms[i : i + run]) for i in range(len(terms) - run + 1)]
    return 1.0 - len(set(runs)) / len(runs) if runs else 0.0
