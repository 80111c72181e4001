"""Reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def reciprocal_rank_fusion(
    lists: Mapping[str, Sequence[str]], rrf_k: int = 60, weights: Mapping[str, float] | None = None
) -> list[tuple[str, float]]:
    """(item, score) pairs, best first, ties by item.

    Args:
        lists: list name -> items, best first.
        rrf_k: dampens the lead of first places; Cormack, Clarke and Buettcher 2009 use 60.
        weights: list name -> weight, 1 when absent.
    """
    scores: dict[str, float] = {}
    for name in sorted(lists):
        weight = (weights or {}).get(name, 1.0)
        for rank, item in enumerate(lists[name], start=1):
            scores[item] = scores.get(item, 0.0) + weight / (rrf_k + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
