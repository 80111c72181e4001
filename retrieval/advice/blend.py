"""The model's picks and the offline scores, joined: a pick lifts a file, nothing lowers one.

The lift is added to the score, which is the logarithm of a share, so it multiplies the odds of the file. Without a lift
a score stays as it is to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...state.candidate import Evaluation
from ...state.genome import RetrievalGenome
from ..relevance import Floats, interpolate, log_odds, softmax

__all__ = ["lifted", "pick_values"]


def pick_values(orders: Sequence[Sequence[str]]) -> dict[str, float]:
    """Path -> 0 to 1: what its places among the picks are worth, mean over the orders; 1, 0.63, 0.5, ... as in DCG."""
    values: dict[str, float] = {}
    for picks in orders:
        for rank, path in enumerate(picks, start=1):
            values[path] = values.get(path, 0.0) + 1.0 / math.log2(rank + 1) / len(orders)
    return values


def lifted(
    evaluations: Sequence[Evaluation], lifts: Mapping[str, float], reasons: Mapping[str, str], genome: RetrievalGenome
) -> list[Evaluation]:
    """The evaluations with lifted scores, best first.

    Probability moves by what the calibration says of old and new shares. Relevance only rises: with its own score, and
    to that of the best file that now stands behind it.

    Args:
        evaluations: best first.
        lifts: path -> what is added to its score, above 0.
        reasons: path -> what is added to its reason.
        genome: calibration and rubric.
    """
    if not any(e.path in lifts for e in evaluations):
        return list(evaluations)
    old = np.array([e.score for e in evaluations])
    new = old + np.array([lifts.get(e.path, 0.0) for e in evaluations])
    chance, graded = _told(old, genome)
    new_chance, new_graded = _told(new, genome)
    moved = [
        _moved(e, round(float(new[i]), 6), float(new_chance[i] - chance[i]), float(new_graded[i] - graded[i]), reasons)
        if e.path in lifts
        else _moved(e, e.score, float(new_chance[i] - chance[i]), 0.0, reasons)
        for i, e in enumerate(evaluations)
    ]
    return _rising(sorted(moved, key=lambda e: (-e.score, e.path)))


def _told(scores: Floats, genome: RetrievalGenome) -> tuple[Floats, Floats]:
    """Probability and graded relevance of scores."""
    chance = interpolate(log_odds(softmax(scores)), genome.calibration)
    return chance, interpolate(np.log10(np.maximum(chance, 1e-6)), genome.rubric)


def _moved(e: Evaluation, score: float, chance: float, graded: float, reasons: Mapping[str, str]) -> Evaluation:
    reason = "; ".join(part for part in (e.reason, reasons.get(e.path, "")) if part)
    return e.model_copy(
        update={
            "score": score,
            "probability": round(min(1.0, max(0.0, e.probability + chance)), 4),
            "relevance": round(min(1.0, e.relevance + max(0.0, graded)), 3),
            "reason": reason,
        }
    )


def _rising(ranked: Sequence[Evaluation]) -> list[Evaluation]:
    """No file is less relevant than one that ranks behind it."""
    floor, rising = 0.0, []
    for e in reversed(ranked):
        floor = max(floor, e.relevance)
        rising.append(e if e.relevance == floor else e.model_copy(update={"relevance": floor}))
    return rising[::-1]
