"""What a running retrieval tells whoever watches: small events, in the order things happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from .advice import Advice
from .candidate import Gap
from .package import StopReason
from .query import Query
from .routing import QueryTypeName


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class IndexProgress(_Event):
    """``done`` of ``total`` files have passed ``phase`` ("listing", "parsing", ...); total 0: not known yet."""

    kind: Literal["index_progress"] = "index_progress"
    done: int = Field(ge=0)
    total: int = Field(ge=0)
    phase: str


class Routed(_Event):
    """The task was classified. confidence: 0 to 1. reason: the evidence in words."""

    kind: Literal["routed"] = "routed"
    query_type: QueryTypeName
    profile: str
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str = ""


class CycleDispatched(_Event):
    """A cycle searched with ``query`` and gathered that many candidates."""

    kind: Literal["cycle_dispatched"] = "cycle_dispatched"
    cycle: int = Field(ge=1)
    query: Query
    candidates: int = Field(ge=0)


class CycleEvaluated(_Event):
    """A cycle's candidates were judged. top: best-first (path, relevance) pairs, a dozen at most."""

    kind: Literal["cycle_evaluated"] = "cycle_evaluated"
    cycle: int = Field(ge=1)
    top: list[tuple[str, float]] = Field(default_factory=list)
    gaps: list[Gap] = Field(default_factory=list)


class CycleRefined(_Event):
    """The next query was learned. learned: new keywords, most important first. excluded: how many paths are out."""

    kind: Literal["cycle_refined"] = "cycle_refined"
    cycle: int = Field(ge=1)
    learned: list[str] = Field(default_factory=list)
    excluded: int = Field(default=0, ge=0)


class Advised(_Event):
    """A language model was asked for advice, or was not, and why."""

    kind: Literal["advised"] = "advised"
    advice: Advice


class LoopDecided(_Event):
    """Whether another cycle follows. decision: None means it does, otherwise why the loop ended."""

    kind: Literal["loop_decided"] = "loop_decided"
    cycle: int = Field(ge=1)
    decision: StopReason | None = None
    reason: str = ""


class Finished(_Event):
    """The context package is ready. tokens: estimated, of the packed text. seconds: of the whole request."""

    kind: Literal["finished"] = "finished"
    files: int = Field(ge=0)
    tokens: int = Field(ge=0)
    seconds: float = Field(ge=0.0)


class CacheAsked(_Event):
    """The answer cache was asked. reason: a ``LookupReason``."""

    kind: Literal["cache_asked"] = "cache_asked"
    hit: bool
    reason: str
    detail: str = ""


class AnswerToken(_Event):
    """A piece of the answer while a model writes it; a preview, the finished answer may differ after checks."""

    kind: Literal["answer_token"] = "answer_token"
    text: str


class AnswerComposed(_Event):
    """The answer is written and checked. support: 0 to 1, None without a sentence."""

    kind: Literal["answer_composed"] = "answer_composed"
    composed_by: str
    sources: int = Field(ge=0)
    support: float | None = None
    warnings: int = Field(default=0, ge=0)


class CacheAdmission(_Event):
    """Whether the answer was stored. reason: an ``AdmissionReason``."""

    kind: Literal["cache_admission"] = "cache_admission"
    admitted: bool
    reason: str


class CycleStarted(_Event):
    """An evolution cycle begins. queries: pool -> number of queries. parent: id of the genome that is mutated."""

    kind: Literal["cycle_started"] = "cycle_started"
    cycle: str
    parent: int
    queries: dict[str, int]


class MutationsProposed(_Event):
    """Candidates were made. notes: genome id -> why, in words. refused: what was dropped, and why."""

    kind: Literal["mutations_proposed"] = "mutations_proposed"
    notes: dict[int, str]
    refused: list[str] = Field(default_factory=list)


class GenomeJudged(_Event):
    """One more judgement of a genome. done, total: of this step. score: mean so far, 0 to 10, None when unmeasured."""

    kind: Literal["genome_judged"] = "genome_judged"
    genome: int
    pool: str
    done: int = Field(ge=0)
    total: int = Field(ge=0)
    score: float | None = None
    calls: int = Field(default=0, ge=0)
    calls_left: int | None = None


class RaceDecided(_Event):
    """A round of racing, or a look of the gate, is over. go_on: ids of genomes. stopped: id -> why."""

    kind: Literal["race_decided"] = "race_decided"
    stage: str
    go_on: list[int]
    stopped: dict[int, str] = Field(default_factory=dict)
    reason: str = ""


class PastRead(_Event):
    """A tuning has mined, or asked, ``done`` of at most ``total`` past tasks."""

    kind: Literal["past_read"] = "past_read"
    stage: Literal["mining", "asking"]
    done: int = Field(ge=0)
    total: int = Field(ge=1)


Progress: TypeAlias = (
    IndexProgress
    | PastRead
    | Routed
    | CycleDispatched
    | CycleEvaluated
    | CycleRefined
    | LoopDecided
    | Advised
    | Finished
    | CacheAsked
    | AnswerToken
    | AnswerComposed
    | CacheAdmission
    | CycleStarted
    | MutationsProposed
    | GenomeJudged
    | RaceDecided
)

ProgressSink: TypeAlias = Callable[[Progress], None]
"""Whoever watches."""
