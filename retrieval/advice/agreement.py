"""Does a model judge what it is shown, or where it is shown? Agreement between two orders tells, and so does place."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["agreement", "concordance", "follows_order", "pooled", "trust"]

_FAR = 2.4  # standard errors: picks that stand this near to one end were chosen by place (1.6 % by chance, both ends)
_PRIOR = 0.5  # requests: before anything is known, agreement is taken to be 0
_REMEMBERED = 2  # requests: earlier ones count as much as so many, beside the one at hand
_FLOOR, _CEILING = 0.05, 0.5
_ENOUGH, _FULL = 3, 0.15  # picks that tell, and the concordance from which nothing is held against them


def agreement(first: Sequence[str], second: Sequence[str], n: int) -> float:
    """How alike two best-first picks out of ``n`` are: 1 for the same, about 0 for chance, at least -1.

    Overlap at each depth above what chance gives, averaged over depths, so that the first picks count most (average
    overlap, Fagin, Kumar and Sivakumar 2003, corrected for chance). Picks of everything say nothing and give 0.
    """
    depths = [d for d in range(1, min(len(first), len(second)) + 1) if d < n]
    if not depths:
        return 0.0
    gains = [(len(set(first[:d]) & set(second[:d])) / d - d / n) / (1 - d / n) for d in depths]
    return max(-1.0, sum(gains) / len(gains))


def follows_order(places: Sequence[int], n: int) -> bool:
    """Whether picks were chosen by their place in the list: all near its beginning or its end, or simply in order.

    Args:
        places: places of the picks from 0, best first; the list was shuffled, so good picks stand anywhere.
        n: rows of the list.
    """
    k = len(places)
    if k >= 3 and list(places) in (list(range(k)), list(range(n - 1, n - 1 - k, -1))):
        return True
    if not 2 <= k < n:
        return False
    error = math.sqrt((n - k) * (n + 1) / (12 * k))  # of the mean of k places drawn without putting back
    return abs(sum(places) / k - (n - 1) / 2) / error >= _FAR


def concordance(ranks: Sequence[int], n: int) -> float:
    """What picks earn for their offline ranks: 1 when they stand clearly high, 0 when as by chance, at least -1.

    A model may agree with itself and know nothing: it likes long names, or the word "core". The offline ranking is
    right often enough that whoever knows anything picks from its upper half. A pick or two may stand anywhere.

    Args:
        ranks: offline ranks of the picks, from 0, each once.
        n: candidates.
    """
    if len(ranks) < _ENOUGH or n < 2:
        return 1.0
    above = 1.0 - 2.0 * sum(ranks) / len(ranks) / (n - 1)
    return min(1.0, max(-1.0, above / _FULL))


def pooled(now: float | None, earlier: int, mean: float) -> float:
    """The agreement that a request goes by.

    Args:
        now: measured in this request; None when it was not.
        earlier: how many earlier requests measured the model.
        mean: their mean.
    """
    if now is None:
        return mean * earlier / (earlier + _PRIOR)
    weight = min(earlier, _REMEMBERED)
    return (now + weight * mean) / (1 + weight + _PRIOR)


def trust(agreed: float) -> float:
    """The share of the genome's weight that a model of this agreement gets, 0 to 1."""
    return min(1.0, max(0.0, (agreed - _FLOOR) / (_CEILING - _FLOOR)))
