"""Trials: running the real pipeline under a genome on a query, and judging what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from .evolution import Cost, EvalQuery, Layer
from .evolution_run import QuerySource


@dataclass(frozen=True)
class Judgement:
    """What one trial gave.

    score: 0 to 10, None when unmeasured. metrics: by name, None when unmeasured. objectives: further measures, higher
    is better (seconds count negative). reasoning: of the judge, in words. raw: the judge's own reply.
    """

    score: float | None
    response: str = ""
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    objectives: Mapping[str, float] = field(default_factory=dict)
    reasoning: str = ""
    raw: str = ""
    cost: Cost = field(default_factory=Cost)


class Trial(Protocol):
    """The pipeline of one layer and domain, and its judge."""

    @property
    def judge(self) -> str:
        """Names the judge."""

    @property
    def judge_version(self) -> str:
        """Changes whenever the same response could be judged otherwise."""

    @property
    def most(self) -> Cost:
        """The most that one run with its judgement takes: what is reserved beforehand."""

    def queries(self) -> Sequence[EvalQuery]:
        """The queries, all pools together. Raises CallerError when there are none."""

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Run and judge. A failure of the pipeline is raised; an unreadable judge is an unmeasured judgement."""


class Trials(Protocol):
    """Opens the trial of a layer."""

    def of(self, layer: Layer, domain: str, source: QuerySource) -> Trial:
        """The trial. Raises CallerError when the source lacks what the layer needs."""
