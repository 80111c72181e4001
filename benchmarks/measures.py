"""What is measured of ranked predictions, as statistics that a bootstrap can resample.

strict: every gold file stands among the first k; any: at least one does. An instance without a prediction is a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .instances import Instance
from .predictions import Row

KS = (1, 3, 5, 10, 20)
BINS = 10
_CONTEXT = 3  # a hunk begins with three unchanged lines
Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""From (times, n_instances), how often each instance was drawn, to (times,), each drawing's value; NaN: undefined."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One instance and its prediction; the row is {} when there is none."""

    instance: Instance
    row: Row

    @property
    def gold(self) -> list[str]:
        """The files that the fix touches."""
        return list(self.instance["gold_files"])

    @property
    def ranked(self) -> list[str]:
        """The predicted files, best first."""
        return list(self.row.get("files", []))

    @property
    def gold_functions(self) -> list[str]:
        """The functions that the fix edits, ``path:qualified.name``."""
        return list(self.instance.get("edit_functions") or self.instance.get("gold_functions") or [])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % bootstrap interval, over ``n`` instances; value None: nothing to measure."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def judged(instances: Sequence[Instance], rows: Mapping[str, Row]) -> list[Judged]:
    """Each instance with its row."""
    return [Judged(i, rows.get(i["instance_id"], {})) for i in instances]


def strict_at(gold: Sequence[str], ranked: Sequence[str], k: int) -> bool:
    """Whether every gold item stands among the first ``k``; False without gold."""
    return bool(gold) and all(g in ranked[:k] for g in gold)


def any_at(gold: Sequence[str], ranked: Sequence[str], k: int) -> bool:
    """Whether at least one gold item stands among the first ``k``."""
    return any(g in ranked[:k] for g in gold)


def reciprocal_rank(gold: Sequence[str], ranked: Sequence[str]) -> float:
    """1 / rank of the best placed gold item; 0 when none is ranked."""
    return max((1 / (ranked.index(g) + 1) for g in gold if g in ranked), default=0.0)


def ranking_after(row: Row, cycle: int) -> list[str]:
    """The ranking after a cycle (from 1); that of the last cycle when the loop ended before."""
    cycles = row.get("cycles") or [[]]
    return list(cycles[min(cycle, len(cycles)) - 1])


def packed_paths(row: Row) -> set[str]:
    """The paths of the packed context."""
    return {file["path"] for file in row.get("context") or []}


def hunk_share(gold_lines: Sequence[Sequence[str | int]], row: Row) -> float | None:
    """The share of gold hunks (path, first old line, ...) that begin inside a packed span; None without hunks."""
    if not gold_lines:
        return None
    spans = {file["path"]: file["spans"] for file in row.get("context") or []}
    begins = [(str(hunk[0]), int(hunk[1]) + _CONTEXT) for hunk in gold_lines]
    return sum(any(a <= line <= b for a, b in spans.get(path, [])) for path, line in begins) / len(begins)


def mean(values: Sequence[float | None]) -> Statistic:
    """The mean of the values that are not None."""
    top = np.array([v or 0.0 for v in values], dtype=np.float64)
    bottom = np.array([v is not None for v in values], dtype=np.float64)
    return lambda draws: _divide(draws @ top, draws @ bottom)


def median(values: Sequence[float | None]) -> Statistic:
    """The median of the values that are not None; the upper of two middle ones."""
    known = np.array([v is not None for v in values], dtype=bool)
    numbers = np.array([v or 0.0 for v in values], dtype=np.float64)[known]
    order = np.argsort(numbers, kind="stable")

    def of(draws: Floats) -> Floats:
        if not len(numbers):
            return np.full(len(draws), np.nan)
        counts = np.cumsum(draws[:, known][:, order], axis=1)
        place = np.argmax(counts > counts[:, -1:] // 2, axis=1)
        return np.where(counts[:, -1] > 0, numbers[order][place], np.nan)

    return of


def calibration_error(
    said: Sequence[Mapping[str, float]], gold: Sequence[Collection[str]], bins: int = BINS
) -> Statistic:
    """Expected calibration error over equal-width bins.

    The mean distance between stated probability and observed frequency, weighted by how many files a bin holds.

    Args:
        said: for each instance path -> probability.
        gold: for each instance the paths that were right.
        bins: number of bins between 0 and 1; 1 itself falls into the last.
    """
    sums = reliability(said, gold, bins)
    flat = sums.reshape(len(sums), -1)

    def of(draws: Floats) -> Floats:
        drawn = (draws @ flat).reshape(len(draws), bins, 3)
        gaps = np.abs(drawn[:, :, 1] - drawn[:, :, 2]).sum(axis=1)
        return _divide(gaps, drawn[:, :, 0].sum(axis=1))

    return of


def reliability(said: Sequence[Mapping[str, float]], gold: Sequence[Collection[str]], bins: int = BINS) -> Floats:
    """(n_instances, bins, 3): how many files, the sum of their probabilities, how many were right."""
    sums = np.zeros((len(said), bins, 3))
    for i, (probabilities, right) in enumerate(zip(said, gold, strict=True)):
        for path, p in probabilities.items():
            sums[i, min(int(p * bins), bins - 1)] += (1.0, p, path in right)
    return sums


def drawings(n: int, times: int = 2000, seed: int = 0) -> Floats:
    """(times, n): how often each of ``n`` instances is drawn when ``n`` are drawn with replacement."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n, np.full(n, 1 / n), size=times).astype(np.float64) if n else np.zeros((times, 0))


def estimate(statistic: Statistic, draws: Floats, n: int) -> Estimate:
    """The statistic of all instances, each once, and the 2.5 and 97.5 percentiles of its bootstrap distribution.

    Args:
        statistic: what is estimated.
        draws: from :func:`drawings`.
        n: how many instances the statistic speaks of.
    """
    value = statistic(np.ones((1, draws.shape[1])))[0]
    if np.isnan(value):
        return Estimate(None, None, None, n)
    low, high = np.nanpercentile(statistic(draws), [2.5, 97.5])
    return Estimate(float(value), float(low), float(high), n)


def _divide(top: Floats, bottom: Floats) -> Floats:
    quotient: Floats = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    return quotient
