"""Fit the weights of a linear ranking model: a listwise softmax loss, pulled towards known weights.

Cao et al. 2007: the wanted files of a task share the target. Evidence weights stay at or above 0, so more evidence
never lowers a file; priors and roles are free. The problem is convex, so the same data gives the same weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state.errors import CallerError

__all__ = ["FLOORS", "FREE", "MOST", "Lists", "bounds_of", "fit_weights", "joined"]

Floats = NDArray[np.float64]
Bounds = list[tuple[float, float]]

FREE = ("prior_", "role_")
"""Prefixes of signals whose weight may be negative."""
FLOORS = {"learned": 0.8}
"""Least weights: learned words must count where the code base lacks the task's own, and the data has few such tasks."""
MOST = 12.0
_STEPS = 200


@dataclass(frozen=True)
class Lists:
    """The candidates of all tasks below one another.

    values: (n_rows, n_signals). starts: (n_tasks,), first row of each. target: (n_rows,), the share of each wanted
    file; each task's sum is 1 or, when none was found, 0.
    """

    values: Floats
    starts: NDArray[np.int64]
    target: Floats

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n_tasks,): candidates of each."""
        return np.diff([*self.starts, len(self.values)]).astype(np.int64)


def joined(tables: Sequence[NDArray[np.floating]], wanted: Sequence[Sequence[bool]]) -> Lists:
    """Tasks with at least one candidate as one block.

    Args:
        tables: (n_candidates, n_signals) of each task.
        wanted: of each task, whether a candidate is a file it asks for.
    """
    lengths = [len(table) for table in tables]
    marks = [np.asarray(row, dtype=np.float64) for row in wanted]
    return Lists(
        values=np.concatenate(tables).astype(np.float64),
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        target=np.concatenate([row / max(1.0, row.sum()) for row in marks]),
    )


def bounds_of(
    names: Sequence[str], free: Sequence[str] = FREE, without: Sequence[str] = (), floors: Mapping[str, float] = FLOORS
) -> Bounds:
    """(least, most) of each weight; signals that begin with one of ``without`` get none."""
    return [
        (0.0, 0.0)
        if without and name.startswith(tuple(without))
        else ((-MOST, MOST) if name.startswith(tuple(free)) else (floors.get(name, 0.0), MOST))
        for name in names
    ]


def fit_weights(lists: Lists, centre: Floats, bounds: Bounds, strength: float) -> Floats:
    """(n_signals,): the weights of least loss.

    Args:
        lists: at least one task.
        centre: (n_signals,), where the penalty pulls to.
        bounds: least and most of each weight.
        strength: of the pull, against the mean loss of a task; the larger, the nearer to the centre.

    Raises:
        CallerError: SciPy is not installed.
    """
    try:
        from scipy.optimize import minimize  # only those who fit need it: see docs/decisions/0017
    except ImportError as error:
        raise CallerError(f"fitting weights needs: pip install 'iterative-retrieval[tune]' ({error})") from None
    has_target = np.add.reduceat(lists.target, lists.starts) > 0
    n = max(1, int(has_target.sum()))
    repeats = np.repeat(has_target, lists.lengths)

    def loss(w: Floats) -> tuple[float, Floats]:
        logits = lists.values @ w
        top = np.maximum.reduceat(logits, lists.starts)
        powers = np.exp(logits - np.repeat(top, lists.lengths))
        sums = np.add.reduceat(powers, lists.starts)
        likelihood = float(((top + np.log(sums)) * has_target).sum() - (lists.target * logits).sum())
        away = w - centre
        slope = (powers / np.repeat(sums, lists.lengths)) * repeats - lists.target
        return likelihood / n + strength * float(away @ away), lists.values.T @ slope / n + 2 * strength * away

    start = np.clip(centre, [low for low, _ in bounds], [high for _, high in bounds])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _STEPS})
    weights: Floats = found.x
    return weights
