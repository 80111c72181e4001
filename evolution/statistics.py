"""Statistics of paired comparisons: sign-flip test, bootstrap interval, Holm, queries needed; all mind clusters.

Queries of one cluster (one document, one repository) are not independent: their signs flip together and they are drawn
together. A cluster of '' stands for no cluster. Nothing here knows a distribution except the planning of sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..state.evolution import PairedDifference

__all__ = [
    "bootstrap_interval",
    "holm",
    "paired_difference",
    "power_of",
    "queries_needed",
    "sign_flip_p",
    "standard_error",
]

EXACT_UP_TO = 14
"""So many clusters have all their 2^14 flips counted; more are sampled."""

_CACHED_UP_TO = 128  # columns of a drawn matrix that is kept (10 MB) for the next test of the same size
_ROWS = 1000  # drawn at a time for wider ones
_NORMAL = NormalDist()

Floats = NDArray[np.float64]


def paired_difference(
    differences: Sequence[float] | Floats,
    clusters: Sequence[str] | None = None,
    *,
    confidence: float = 0.9,
    seed: int = 0,
) -> PairedDifference:
    """Mean, interval, one-sided p and spread of differences candidate minus active.

    No difference at all gives n = 0, mean 0 and p = 1. With fewer than two clusters there is no interval: its bounds
    are the mean.

    Args:
        differences: one per query.
        clusters: the cluster of each query; None when all are independent.
        confidence: two-sided coverage of the interval.
        seed: of everything drawn.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not values.size:
        return PairedDifference(mean=0.0, low=0.0, high=0.0, p=1.0, n=0, sd=0.0, confidence=confidence)
    low, high = bootstrap_interval(values, clusters, confidence=confidence, seed=seed)
    return PairedDifference(
        mean=float(values.mean()),
        low=low,
        high=high,
        p=sign_flip_p(values, clusters, seed=seed),
        n=values.size,
        sd=float(values.std(ddof=1)) if values.size > 1 else 0.0,
        confidence=confidence,
    )


def sign_flip_p(
    differences: Sequence[float] | Floats,
    clusters: Sequence[str] | None = None,
    *,
    resamples: int = 9_999,
    seed: int = 0,
) -> float:
    """One-sided p of "not better": how often a mean this high comes from signs thrown by a coin, one per cluster.

    Exact for up to ``EXACT_UP_TO`` clusters, else by Monte Carlo with the observed signs counted in, so that it is
    never 0 (Phipson and Smyth 2010). Valid when differences are symmetric around 0 if nothing is better.
    """
    sums, _ = _by_cluster(differences, clusters)
    signed = sums[sums != 0.0]  # a zero has no sign
    if not signed.size:
        return 1.0
    reached = signed.sum() - 1e-9 * np.abs(signed).sum()  # ties count, whatever the order of additions
    if signed.size <= EXACT_UP_TO:
        return float(np.mean(_every_flip(signed) >= reached))
    hits = sum(int(np.count_nonzero(signs @ sums >= reached)) for signs in _signs(sums.size, resamples, seed))
    return (1 + hits) / (1 + resamples)


def bootstrap_interval(
    differences: Sequence[float] | Floats,
    clusters: Sequence[str] | None = None,
    *,
    confidence: float = 0.9,
    resamples: int = 4_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Bounds of the mean when whole clusters are drawn with replacement: the expanded percentile interval.

    The plain percentile interval is too narrow for few clusters; its tails are moved out as far as Student's t lies
    beyond the normal distribution (Hesterberg 2015, arXiv:1411.5279).

    Raises:
        ValueError: no difference, or a confidence outside 0 to 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    sums, counts = _by_cluster(differences, clusters)
    if not sums.size:
        raise ValueError("an interval needs at least one difference")
    mean = float(sums.sum() / counts.sum())
    if sums.size == 1 or np.ptp(sums / counts) == 0.0:
        return mean, mean
    means = np.concatenate([(drawn @ sums) / (drawn @ counts) for drawn in _draws(sums.size, resamples, seed)])
    tail = _expanded_tail((1 - confidence) / 2, sums.size)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values adjusted for being so many, in the given order (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: (p_values[i], i))):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = least
    return adjusted


def standard_error(differences: Sequence[float] | Floats, clusters: Sequence[str] | None = None) -> float:
    """Of the mean, robust to clusters (Miller 2024, arXiv:2411.00640); infinite with fewer than two clusters."""
    sums, counts = _by_cluster(differences, clusters)
    groups = sums.size
    if groups < 2:
        return float("inf")
    mean = sums.sum() / counts.sum()
    return float(sqrt(groups / (groups - 1) * np.square(sums - counts * mean).sum()) / counts.sum())


def queries_needed(effect: float, error: float, n: int, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many queries find a true difference of ``effect`` with ``power``, judging by ``n`` queries at hand.

    Args:
        effect: the difference worth finding, above 0.
        error: standard error of the mean of those n, so that clusters count for what they are.
        n: queries behind ``error``.
        alpha: one-sided.
        power: chance to find it.

    Returns:
        None when the error is unknown (infinite).
    """
    if effect <= 0.0:
        raise ValueError(f"an effect of {effect} cannot be looked for; it must be above 0")
    if error == float("inf"):
        return None
    z = _NORMAL.inv_cdf(1 - alpha) + _NORMAL.inv_cdf(power)
    return max(1, ceil(n * (z * error / effect) ** 2 - 1e-9))


def power_of(effect: float, error: float, *, alpha: float = 0.05) -> float:
    """Chance that a true difference of ``effect`` is found when the mean has this standard error (normal theory)."""
    if error == 0.0:
        return 1.0 if effect > 0.0 else 0.0
    return _NORMAL.cdf(effect / error - _NORMAL.inv_cdf(1 - alpha))


def _by_cluster(differences: Sequence[float] | Floats, clusters: Sequence[str] | None) -> tuple[Floats, Floats]:
    """(sums, counts) per cluster, in the order of first appearance; a query without cluster is one by itself."""
    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("a difference is not a finite number; leave unmeasured queries out")
    if clusters is None:
        return values, np.ones(values.size)
    if len(clusters) != values.size:
        raise ValueError(f"{values.size} differences but {len(clusters)} clusters")
    places: dict[str | int, int] = {}
    index = [places.setdefault(name or position, len(places)) for position, name in enumerate(clusters)]
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    np.add.at(sums, index, values)
    np.add.at(counts, index, 1.0)
    return sums, counts


def _every_flip(sums: Floats) -> Floats:
    """The 2^n totals that n signs can give."""
    totals = np.zeros(1)
    for value in sums:
        totals = np.concatenate([totals + value, totals - value])
    return totals


def _expanded_tail(tail: float, groups: int) -> float:
    """The tail whose normal quantile lies where Student's t of ``tail`` lies, for the spread that n - 1 divides."""
    return 1 - _NORMAL.cdf(sqrt(groups / (groups - 1)) * _student(1 - tail, groups - 1))


def _student(p: float, freedom: int) -> float:
    """Quantile of Student's t, to 0.002 from three degrees of freedom on (Abramowitz and Stegun 26.7.5)."""
    z = _NORMAL.inv_cdf(p)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def _signs(columns: int, rows: int, seed: int) -> Iterable[Floats]:
    """Matrices of -1 and 1 with ``rows`` rows in all."""
    if columns <= _CACHED_UP_TO:
        return [_sign_matrix(columns, rows, seed)]
    return (_drawn_signs(columns, part, (seed, number)) for number, part in enumerate(_parts(rows)))


def _draws(columns: int, rows: int, seed: int) -> Iterable[Floats]:
    """Matrices of how often each column is drawn, with ``rows`` rows in all; each row sums to ``columns``."""
    if columns <= _CACHED_UP_TO:
        return [_count_matrix(columns, rows, seed)]
    return (_drawn_counts(columns, part, (seed, number)) for number, part in enumerate(_parts(rows)))


def _parts(rows: int) -> list[int]:
    return [min(_ROWS, rows - start) for start in range(0, rows, _ROWS)]


@lru_cache(maxsize=4)
def _sign_matrix(columns: int, rows: int, seed: int) -> Floats:
    return _drawn_signs(columns, rows, (seed,))


@lru_cache(maxsize=4)
def _count_matrix(columns: int, rows: int, seed: int) -> Floats:
    return _drawn_counts(columns, rows, (seed,))


def _drawn_signs(columns: int, rows: int, seed: tuple[int, ...]) -> Floats:
    bits = np.random.default_rng(seed).integers(0, 2, size=(rows, columns), dtype=np.int8)
    return 2 * bits.astype(np.float64) - 1


def _drawn_counts(columns: int, rows: int, seed: tuple[int, ...]) -> Floats:
    picked = np.random.default_rng(seed).integers(0, columns, size=(rows, columns))
    picked += np.arange(rows)[:, None] * columns
    return np.bincount(picked.ravel(), minlength=rows * columns).reshape(rows, columns).astype(np.float64)
