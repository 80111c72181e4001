"""What the loop looks into: the steps ask a subject, and do not know whether it is code or documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..retrieval.gather import Lists
from ..retrieval.relevance import Judgement
from ..state.candidate import Evaluation, Gap
from ..state.genome import RetrievalGenome
from ..state.loop import LoopState
from ..state.query import Query
from ..state.routing import DepthBudget

S = TypeVar("S", bound=LoopState)
S_contra = TypeVar("S_contra", bound=LoopState, contravariant=True)


@dataclass(frozen=True)
class Judged:
    """What a subject says of some paths. scales: to be kept for the next cycle. reason: of a row, in words."""

    paths: Sequence[str]
    judgement: Judgement
    scales: dict[str, float]
    reason: Callable[[int], str]


class Subject(Protocol):
    """One corpus under one request: the files of a repository, or the chunks of a collection."""

    @property
    def genome(self) -> RetrievalGenome:
        """Weights and thresholds."""

    @property
    def depth(self) -> DepthBudget:
        """How far the active profile looks."""

    def lists(self, cycle: int, query: Query, known: Sequence[Evaluation]) -> Lists:
        """The ranked lists of a cycle's query; ``known`` are the evaluations so far, best first."""

    def further_lists(self, cycle: int) -> Lists:
        """Lists whose candidates come on top of those of ``lists``; {} when there is none."""

    def allowed(self, query: Query) -> Callable[[str], bool]:
        """Whether a path may be a candidate of this query."""

    def demoted(self, path: str) -> bool:
        """Whether a path gets only an eighth of the places of a list."""

    def judge(
        self, paths: Sequence[str], known: Sequence[Evaluation], learned: Sequence[str], scales: Mapping[str, float]
    ) -> Judged:
        """Score, probability and relevance of paths."""

    def gaps(self, best: Sequence[Evaluation]) -> list[Gap]:
        """What the evidence still lacks, critical gaps first."""

    def learn(self, high: Sequence[Evaluation]) -> tuple[list[str], list[str]]:
        """Words whose meaning is the task's (they count as evidence from now on), and names to look up."""


class Subjects(Protocol[S_contra]):
    """Finds the subject of a request from its state."""

    def __call__(self, state: S_contra) -> Subject:
        """The subject."""
