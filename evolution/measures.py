"""How good a ranking is: recall and nDCG within k, binary relevance (Jarvelin and Kekalainen 2002)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def recall(ranked: Sequence[str], gold: Sequence[str], k: int) -> float:
    """Share of the gold items within the first k; 0 when there is no gold."""
    return len(set(gold) & set(ranked[:k])) / len(set(gold)) if gold else 0.0


def ndcg(ranked: Sequence[str], gold: Sequence[str], k: int) -> float:
    """Discounted gain of the first k, relative to the best possible order; 0 when there is no gold."""
    wanted = set(gold)
    gain = sum(1.0 / math.log2(place + 1) for place, item in enumerate(ranked[:k], start=1) if item in wanted)
    best = sum(1.0 / math.log2(place + 1) for place in range(1, min(k, len(wanted)) + 1))
    return gain / best if best else 0.0
