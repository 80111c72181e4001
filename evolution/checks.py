"""What must not get worse while the mean gets better: slices, objectives, anchor queries.

A slice or an objective is worse when it is so by more than its margin, significantly; what is too small to tell is not
held against the candidate but said in a warning. An anchor is one query that a person chose: its drop counts as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ..state.evolution import EvalQuery, SliceCheck
from .statistics import paired_difference, sign_flip_p

__all__ = ["CheckPolicy", "Objective", "anchor_checks", "check_warnings", "objective_checks", "slice_checks"]

PerQuery = Mapping[str, float]


class Objective(BaseModel):
    """A further measure and how much worse it may become.

    name: as in ``EvalResult.objectives``. margin: in its own unit, or as a share of the active genome's mean when
    ``relative``. higher_is_better: False for seconds, tokens, cost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    margin: float = Field(ge=0.0)
    relative: bool = False
    higher_is_better: bool = True


class CheckPolicy(BaseModel):
    """slice_margin, anchor_margin: points of 10. alpha: one-sided, of each harm test. min_queries: to test at all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slice_margin: float = Field(default=0.5, ge=0.0, le=10.0)
    anchor_margin: float = Field(default=1.0, ge=0.0, le=10.0)
    objectives: list[Objective] = Field(default_factory=list)
    alpha: float = Field(default=0.05, gt=0.0, lt=0.5)
    min_queries: int = Field(default=6, ge=2, description="Fewer queries cannot be significantly worse.")


@dataclass(frozen=True, slots=True)
class _Sample:
    """Differences of some queries (positive: better) with their clusters."""

    differences: list[float]
    clusters: list[str]


def slice_checks(
    queries: Sequence[EvalQuery], differences: PerQuery, policy: CheckPolicy, confidence: float = 0.9
) -> list[SliceCheck]:
    """One check a slice, by name; queries without a slice have none.

    Args:
        queries: of confirm; those without a difference were not measured.
        differences: query id -> candidate minus active.
        policy: margin and level.
        confidence: of the intervals shown.
    """
    members: dict[str, list[EvalQuery]] = defaultdict(list)
    for query in queries:
        if query.slice and query.id in differences:
            members[query.slice].append(query)
    return [
        _check(name, "slice", _sample(found, differences), policy.slice_margin, policy, confidence)
        for name, found in sorted(members.items())
    ]


def objective_checks(
    queries: Sequence[EvalQuery],
    active: Mapping[str, PerQuery],
    candidate: Mapping[str, PerQuery],
    policy: CheckPolicy,
    confidence: float = 0.9,
) -> list[SliceCheck]:
    """One check an objective, in the policy's order, turned so that a positive difference is better.

    Args:
        queries: of confirm.
        active: objective -> query id -> value.
        candidate: likewise.
        policy: the objectives with their margins.
        confidence: of the intervals shown.
    """
    checks = []
    for objective in policy.objectives:
        old, new = active.get(objective.name, {}), candidate.get(objective.name, {})
        measured = [query for query in queries if query.id in old and query.id in new]
        sign = 1.0 if objective.higher_is_better else -1.0
        differences = {query.id: sign * (new[query.id] - old[query.id]) for query in measured}
        mean = float(np.mean([old[query.id] for query in measured])) if measured else 0.0
        margin = objective.margin * abs(mean) if objective.relative else objective.margin
        checks.append(_check(objective.name, "objective", _sample(measured, differences), margin, policy, confidence))
    return checks


def anchor_checks(queries: Sequence[EvalQuery], differences: PerQuery, policy: CheckPolicy) -> list[SliceCheck]:
    """One check a measured anchor, by query id; it is worse when it drops by more than its margin."""
    return [
        SliceCheck(
            name=query.id,
            kind="anchor",
            difference=paired_difference([differences[query.id]]),
            margin=policy.anchor_margin,
            worse=differences[query.id] < -policy.anchor_margin,
        )
        for query in sorted(queries, key=lambda q: q.id)
        if query.anchor and query.id in differences
    ]


def check_warnings(checks: Sequence[SliceCheck], policy: CheckPolicy) -> list[str]:
    """What a person should look at although it blocks nothing: too few queries to tell, or worse but not surely."""
    warnings = []
    for check in checks:
        found = check.difference
        if check.kind != "anchor" and found.n < policy.min_queries:
            warnings.append(f"{check.kind} {check.name}: only {found.n} queries, too few to see it get worse")
        elif not check.worse and found.mean < -check.margin:
            warnings.append(
                f"{check.kind} {check.name}: worse by {-found.mean:.2f}, more than its margin {check.margin:.2f}, "
                f"though not surely ({found.low:+.2f} to {found.high:+.2f})"
            )
    return warnings


def _check(
    name: str,
    kind: Literal["slice", "objective"],
    sample: _Sample,
    margin: float,
    policy: CheckPolicy,
    confidence: float,
) -> SliceCheck:
    difference = paired_difference(sample.differences, sample.clusters, confidence=confidence)
    worse = difference.n >= policy.min_queries and _p_of_harm(sample, margin) < policy.alpha
    return SliceCheck(name=name, kind=kind, difference=difference, margin=margin, worse=worse)


def _p_of_harm(sample: _Sample, margin: float) -> float:
    """One-sided p of "not worse than the margin allows"."""
    return sign_flip_p([-(value + margin) for value in sample.differences], sample.clusters)


def _sample(queries: Sequence[EvalQuery], differences: PerQuery) -> _Sample:
    return _Sample([differences[query.id] for query in queries], [query.cluster for query in queries])
