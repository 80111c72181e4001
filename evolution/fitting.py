"""Fit weights on past tasks, oldest first: how strongly to hold on to the known weights is told by later tasks.

Each of several strengths is fitted on all blocks of time but one and looks at the block left out; the strength whose
weights find the left-out files least surprising is taken, and fitted on everything. The left-out scores say whether it
is worth asking the gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ..state.evolution import PairedDifference
from .listwise import Bounds, Floats, Lists, bounds_of, fit_weights, joined
from .measures import ndcg, recall
from .statistics import paired_difference, queries_needed, standard_error

__all__ = ["LEAST_FITTED", "STRENGTHS", "Fitting", "TaskTable", "TimeParts", "fit_towards", "time_parts"]

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Of the pull towards the known weights, from a loose to a tight hold."""
BLOCKS = 5
"""Blocks of time, each left out once."""
_DEPTH = 10
_CONFIRMS = 0.35
_RACES = 16
LEAST_FITTED = 16
"""Fewer tasks are not fitted on; half of them race, and a race wants eight."""


@dataclass(frozen=True)
class TaskTable:
    """A past task. values: (n_paths, n_signals), scaled. gold: the files it asks for, found or not."""

    name: str
    paths: list[str]
    values: NDArray[np.float32]
    gold: list[str]


@dataclass(frozen=True)
class Fitting:
    """Fitted weights.

    weights: of the signals that had one, rounded. strength: of the hold that was taken. losses: strength -> mean loss
    on left-out blocks; infinity stands for the known weights themselves. difference: points of 10 on left-out blocks,
    fitted minus known. needed: queries that would show such a difference; None when it is not above 0.
    """

    weights: dict[str, float]
    strength: float
    losses: dict[float, float]
    difference: PairedDifference
    needed: int | None

    @property
    def worth_asking(self) -> bool:
        """Whether left-out tasks are ranked better."""
        return self.difference.mean > 0.0


@dataclass(frozen=True)
class TimeParts:
    """How many tasks are for what, oldest first: fitted and not raced, fitted and raced, kept for the gate."""

    fitted: int
    raced: int
    confirm: int

    @property
    def pools(self) -> list[str]:
        """The pool of each task, oldest first."""
        return ["mutate"] * self.fitted + ["select"] * self.raced + ["confirm"] * self.confirm


def time_parts(tasks: int, least_confirm: int) -> TimeParts | int:
    """The parts of so many tasks; or how many are missing to have any.

    Args:
        tasks: how many there are.
        least_confirm: with fewer the gate decides nothing.
    """
    missing = least_confirm + LEAST_FITTED - tasks
    if missing > 0:
        return missing
    confirm = max(least_confirm, round(_CONFIRMS * tasks))
    raced = min(_RACES, (tasks - confirm) // 2)
    return TimeParts(tasks - confirm - raced, raced, confirm)


def fit_towards(
    tasks: Sequence[TaskTable],
    names: Sequence[str],
    known: Mapping[str, float],
    strengths: Sequence[float] = STRENGTHS,
    blocks: int = BLOCKS,
) -> Fitting:
    """The weights that suit the tasks, near the known ones.

    Args:
        tasks: oldest first; those without candidates teach nothing.
        names: of the signals, as in each table.
        known: signal -> weight; signals without one stay without.
        strengths: to choose from.
        blocks: of time, each left out once.

    Raises:
        CallerError: SciPy is not installed.
    """
    held = [task for task in tasks if len(task.paths)]
    centre = np.array([known.get(name, 0.0) for name in names])
    bounds = [bound if name in known else (0.0, 0.0) for name, bound in zip(names, bounds_of(names), strict=True)]
    parts = [part for part in np.array_split(np.arange(len(held)), blocks) if len(part)]
    left_out = {s: _left_out(held, parts, centre, bounds, s) for s in strengths}
    losses = {s: fmean(_loss(held[i], w) for i, w in found.items()) for s, found in left_out.items()}
    losses[float("inf")] = fmean(_loss(task, centre) for task in held)
    strength = min(strengths, key=lambda s: (losses[s], -s))
    gains = [_score(held[i], w) - _score(held[i], centre) for i, w in sorted(left_out[strength].items())]
    clusters = [", ".join(task.gold) for task in held]
    difference = paired_difference(gains, clusters, confidence=0.9)
    effect = difference.mean
    return Fitting(
        weights=_told(names, fit_weights(_lists(held), centre, bounds, strength), known),
        strength=strength,
        losses=losses,
        difference=difference,
        needed=queries_needed(effect, standard_error(gains, clusters), len(gains)) if effect > 0.0 else None,
    )


def _left_out(
    tasks: Sequence[TaskTable], parts: Sequence[NDArray[np.int64]], centre: Floats, bounds: Bounds, strength: float
) -> dict[int, Floats]:
    """Each task with weights that never saw its block."""
    found: dict[int, Floats] = {}
    for part in parts:
        without = set(part.tolist())
        weights = fit_weights(_lists([t for i, t in enumerate(tasks) if i not in without]), centre, bounds, strength)
        found |= dict.fromkeys(sorted(without), weights)
    return found


def _lists(tasks: Sequence[TaskTable]) -> Lists:
    return joined([t.values for t in tasks], [[path in t.gold for path in t.paths] for t in tasks])


def _loss(task: TaskTable, weights: Floats) -> float:
    """The listwise loss of one task; 0 when none of its files is a candidate."""
    lists = _lists([task])
    logits = lists.values @ weights
    top = float(logits.max())
    return float(lists.target.sum()) * (top + float(np.log(np.exp(logits - top).sum()))) - float(lists.target @ logits)


def _score(task: TaskTable, weights: Floats) -> float:
    """What the trial of layer retrieval gives: ten times the mean of nDCG@10 and recall@10."""
    scores = task.values @ weights
    ranked = [task.paths[i] for i in sorted(range(len(task.paths)), key=lambda i: (-scores[i], task.paths[i]))[:_DEPTH]]
    return 5.0 * (ndcg(ranked, task.gold, _DEPTH) + recall(ranked, task.gold, _DEPTH))


def _told(names: Sequence[str], weights: Floats, known: Mapping[str, float]) -> dict[str, float]:
    """All weights: the fitted ones, and those of signals that no table has."""
    return {**known, **{n: round(float(w), 4) for n, w in zip(names, weights, strict=True) if n in known}}
