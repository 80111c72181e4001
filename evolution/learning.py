"""What earlier candidates teach: how far to go, and in which direction.

Every candidate of the ledger was a step from its parent, and *select* says what the step brought. Few of them, each
measured on a few queries, are no gradient; but a ridge over all of them is a better guess than none, and the race
drops a wrong guess for the price of eight queries. *confirm* teaches nothing: nobody here sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from .displacement import Shift, displaced, displacement, length
from .genes import Gene, Genes

__all__ = ["Tried", "farther", "learned_shift", "learned_step", "reach_of"]

_YOUNG = 4  # steps from a parent before they say how far to go
_REMEMBERED = 15
_WANTED = 0.4  # share of better steps at which the next ones go as far as they may
_LEAST_REACH = 0.2
_ENOUGH = 4  # steps before they say where to go
_ELSEWHERE = 0.5  # what a step from another parent counts
_DOUBT = 8.0  # queries: a step measured on so many counts half
_RIDGE = 0.5  # of the mean squared length


@dataclass(frozen=True)
class Tried:
    """A candidate that was judged. difference: to its parent, points of 10, on the ``n`` queries that both answered."""

    parent: Mapping[str, Any]
    genome: Mapping[str, Any]
    difference: float
    n: int


def reach_of(tried: Sequence[Tried], parent: Mapping[str, Any]) -> float:
    """How far the next steps from a parent may go, 0.2 to 1 (after Rechenberg's success rule).

    A young parent's go far. Later it depends on how many of its steps were better: where many are and still none was
    surely so, only larger ones can be told from luck; where hardly one is, smaller ones are.
    """
    own = [t for t in tried if t.parent == parent][-_REMEMBERED:]
    if len(own) < _YOUNG:
        return 1.0
    better = sum(t.difference > 0.0 for t in own) / len(own)
    return min(1.0, max(_LEAST_REACH, better / _WANTED))


def learned_shift(tried: Sequence[Tried], genes: Sequence[Gene], parent: Mapping[str, Any]) -> Shift:
    """The direction that promises most, as long as a usual step; {} when too little was tried.

    Ridge regression of the differences on the displacements, in its dual form: there are more genes than steps.
    """
    shifts = [displacement(t.parent, t.genome, genes) for t in tried]
    used = [(t, shift) for t, shift in zip(tried, shifts, strict=True) if shift]
    if len(used) < _ENOUGH:
        return {}
    paths = sorted({path for _, shift in used for path in shift})
    moves = np.array([[shift.get(path, 0.0) for path in paths] for _, shift in used])
    trust = np.sqrt([t.n / (t.n + _DOUBT) * (1.0 if t.parent == parent else _ELSEWHERE) for t, _ in used])
    rows = moves * trust[:, None]
    inner = rows @ rows.T
    ridge = _RIDGE * float(np.trace(inner)) / len(used)
    slope = rows.T @ np.linalg.solve(inner + ridge * np.eye(len(used)), trust * [t.difference for t, _ in used])
    size = float(np.linalg.norm(slope))
    if size < 1e-9:
        return {}
    usual = float(np.median([length(shift) for _, shift in used]))
    return {path: float(s) * usual / size for path, s in zip(paths, slope, strict=True) if abs(s) > 1e-3 * size}


def learned_step(
    tried: Sequence[Tried], parent: Mapping[str, Any], genes: Sequence[Gene], rng: Random, reach: float
) -> Genes | None:
    """The parent moved where the steps so far point; None when they point nowhere."""
    shift = learned_shift(tried, genes, parent)
    return displaced(parent, shift, genes, (0.5 + reach) * rng.lognormvariate(0.0, 0.5)) if shift else None


def farther(tried: Sequence[Tried], parent: Mapping[str, Any], genes: Sequence[Gene], rng: Random) -> Genes | None:
    """One step of this parent again: a better one farther or half as far, a worse one mirrored; None without any."""
    own = [
        (t, shift)
        for t in tried[-_REMEMBERED:]
        if t.parent == parent and t.difference and (shift := displacement(parent, t.genome, genes))
    ]
    if not own:
        return None
    one, shift = rng.choices(own, [abs(t.difference) * t.n / (t.n + _DOUBT) for t, _ in own])[0]
    factor = rng.choice((0.5, 1.5, 2.0)) if one.difference > 0.0 else -rng.uniform(0.3, 1.0)
    return displaced(parent, shift, genes, factor)
