"""The part of the state that the loop's own steps share, whatever it looks into."""

from __future__ import annotations

import operator
from typing import Annotated

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from .candidate import Candidate, Evaluation, Gap
from .package import CycleTrace, StopReason
from .query import Query
from .routing import Route
from .spending import Spent, joined


class Verdict(BaseModel):
    """The loop's decision after a cycle. stop: None means another cycle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stop: StopReason | None
    sufficient: bool
    reason: str


def keep_best(known: list[Evaluation], new: list[Evaluation]) -> list[Evaluation]:
    """The union of two evaluations, the better score of each path, best first, ties by path.

    What an earlier cycle found is never lost; a path keeps the cycle that found it first.
    """
    best = {e.path: e for e in known}
    for evaluation in new:
        held = best.get(evaluation.path)
        if held is None:
            best[evaluation.path] = evaluation
        elif (evaluation.score, evaluation.relevance) > (held.score, held.relevance):
            best[evaluation.path] = evaluation.model_copy(update={"cycle": min(held.cycle, evaluation.cycle)})
    return sorted(best.values(), key=lambda e: (-e.score, e.path))


def by_cycle(known: list[CycleTrace], new: list[CycleTrace]) -> list[CycleTrace]:
    """The traces in cycle order; a newer trace of a cycle replaces the older."""
    return [t for _, t in sorted({t.cycle: t for t in [*known, *new]}.items())]


class LoopState(TypedDict, total=False):
    """What dispatch, evaluate, refine and loop share. ``cycle`` is the cycle counter, 1 while the first cycle runs.

    spent: what language models took; a step returns what it added. genomes: layer -> hash of the genome that the
    request began with; its steps look it up, so that an activation in between changes nothing.
    """

    route: Route
    genomes: dict[str, str]
    max_cycles: int
    started: float
    cycle_started: float
    excludes: list[str]
    cycle: int
    query: Query
    asked: Annotated[list[str], operator.add]
    candidates: list[Candidate]
    scales: dict[str, float]
    evaluations: Annotated[list[Evaluation], keep_best]
    gaps: list[Gap]
    learned: list[str]
    traces: Annotated[list[CycleTrace], by_cycle]
    verdict: Verdict
    spent: Annotated[Spent, joined]
