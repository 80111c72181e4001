"""The typed state that the retrieval graph's nodes share: ids, scores and small values, never texts of files."""

from __future__ import annotations

import operator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .candidate import Candidate, Evaluation, Gap
from .package import ContextPackage, CycleTrace, StopReason
from .query import MIN_BUDGET, Query, Scope
from .routing import Route


class Verdict(BaseModel):
    """The loop's decision after a cycle. stop: None means another cycle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stop: StopReason | None
    sufficient: bool
    reason: str


class RetrievalInput(BaseModel):
    """A retrieval request."""

    model_config = ConfigDict(extra="forbid")

    task: str = Field(
        description="What the subagent has to do: an issue, a question, a symbol.",
        examples=["Fix the authentication token expiry bug"],
    )
    root: str = Field(default=".", description="Folder to search: a work tree, any folder, or a bare repository.")
    ref: str | None = Field(default=None, description="Git ref to search instead of the working tree.")
    patterns: list[str] = Field(
        default_factory=list, description="Only files that match one of these globs.", examples=[["src/**/*.py"]]
    )
    excludes: list[str] = Field(
        default_factory=list, description="No files that match one of these globs.", examples=[["*_test.go"]]
    )
    max_cycles: int | None = Field(
        default=None, ge=1, le=3, description="Most cycles; the profile decides when absent."
    )
    budget: int | None = Field(
        default=None, ge=MIN_BUDGET, description="Token budget of the package; the profile decides when absent."
    )
    scope: Scope = Field(default_factory=Scope, description="Roles of files that may be returned.")


class RetrievalOutput(TypedDict):
    """What the graph hands over."""

    package: Annotated[ContextPackage, Field(description="Files, spans, relevance, reasons, gaps and trace.")]


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


class RetrievalState(TypedDict, total=False):
    """The shared state. ``cycle`` is the cycle counter, 1 while the first cycle runs."""

    task: str
    root: str
    ref: str | None
    patterns: list[str]
    excludes: list[str]
    max_cycles: int
    budget: int
    scope: Scope
    started: float
    cycle_started: float
    fingerprint: str
    route: Route
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
    package: ContextPackage
