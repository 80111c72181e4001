"""Evolution in words: genomes with a status, results of judging, the gate's report, a person's decision."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Layer = Literal["postprocess", "routing", "cache_policy", "retrieval"]
LAYERS: tuple[Layer, ...] = ("postprocess", "routing", "cache_policy", "retrieval")

Pool = Literal["mutate", "select", "confirm"]
"""mutate: shown to the generator. select: ranks candidates. confirm: the gate's, never shown to anyone who mutates."""

METRICS = ("completeness", "accuracy", "sources", "conciseness")
"""What the judge scores from 0 to 10."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GenomeStatus(StrEnum):
    """Where a genome stands: candidate -> evaluated -> pending_approval -> active -> retired, or it ends before."""

    CANDIDATE = "candidate"
    EVALUATED = "evaluated"
    PENDING_APPROVAL = "pending_approval"
    ACTIVE = "active"
    REJECTED = "rejected"
    EXPIRED = "expired"
    RETIRED = "retired"


class MutationKind(StrEnum):
    """How a genome came about."""

    DEFAULT = "default"  # the shipped one
    STEP = "step"  # a bounded numeric step
    RECOMBINATION = "recombination"
    RULE = "rule"  # a prompt rule switched on or off
    FITTED = "fitted"  # weights fitted on the commits of a repository
    MODEL = "model"  # a model's typed patch
    MANUAL = "manual"  # a person's


class Cost(_Value):
    """What something took. calls: of models or judges. tokens: in and out together. seconds: of wall time."""

    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0.0)


class Mutation(_Value):
    """A proposed genome. genome: all genes. notes: why, in words. parents: hashes. eval_seed_prompt: for routing."""

    genome: dict[str, Any]
    notes: str = Field(default="", max_length=4000)
    kind: MutationKind
    parents: list[str] = Field(default_factory=list)
    eval_seed_prompt: str = Field(default="", max_length=20_000)


class GenomeRecord(_Value):
    """One row of the ledger. version: grows with every change of the row; a decision names the one it saw.

    submitted: whether it was ever put before a person; such a genome is never deleted. requester: who started the
    cycle. cycle: id of the cycle that made it, '' for defaults. created, updated: unix seconds.
    """

    id: int
    layer: Layer
    domain: str
    status: GenomeStatus
    genome: dict[str, Any]
    genome_hash: str
    score: float | None = None
    parent: int | None = None
    parents: list[str] = Field(default_factory=list)
    notes: str = ""
    mutation: MutationKind = MutationKind.DEFAULT
    eval_seed_prompt: str = ""
    version: int = Field(default=1, ge=1)
    submitted: bool = False
    requester: str = ""
    cycle: str = ""
    created: float = 0.0
    updated: float = 0.0
    cost: Cost = Field(default_factory=Cost)


class EvalQuery(_Value):
    """A query to judge with.

    id: stable hash of the normalised text. slice: query type, repository, language: what must
    not get worse by itself. cluster: queries of one cluster are not independent (same document, same repository).
    anchor: must not regress. pool: where it stands whatever its hash says, for queries that are split by time; None for
    the hash. reference: what a right answer holds; its form is the layer's affair.
    """

    id: str
    text: str
    slice: str = ""
    cluster: str = ""
    anchor: bool = False
    pool: Pool | None = None
    reference: dict[str, Any] = Field(default_factory=dict)


class EvalResult(_Value):
    """One judged response.

    score: 0 to 10, None when unmeasured; ``metrics`` likewise, by name. response: cut at 2,000
    characters. objectives: further measures by name (seconds, tokens, recall ...), higher is better or as named.
    """

    genome_id: int
    genome_hash: str
    query_id: str
    query: str
    pool: Pool
    repeat: int = Field(default=0, ge=0)
    judge: str
    judge_version: str
    response: str = Field(default="", max_length=2000)
    judge_score: float | None = Field(default=None, ge=0.0, le=10.0)
    metrics: dict[str, float | None] = Field(default_factory=dict)
    objectives: dict[str, float] = Field(default_factory=dict)
    judge_reasoning: str = ""
    judge_response: str = ""
    slice: str = ""
    cluster: str = ""
    cost: Cost = Field(default_factory=Cost)


class PairedDifference(_Value):
    """A candidate against the active genome on the same queries.

    mean: candidate minus active. low, high: bounds of the interval at ``confidence``. p: one-sided sign-flip p of "not
    better". n: queries. sd: of the differences.
    """

    mean: float
    low: float
    high: float
    p: float = Field(ge=0.0, le=1.0)
    n: int = Field(ge=0)
    sd: float = Field(ge=0.0)
    confidence: float = 0.9


class SliceCheck(_Value):
    """Non-inferiority of a slice or an objective. worse: significantly worse than the margin allows."""

    name: str
    kind: Literal["slice", "objective", "anchor"]
    difference: PairedDifference
    margin: float
    worse: bool


class QueryOutcome(_Value):
    """One query of the confirm pool in the report: both scores, both answers (cut), the difference."""

    query_id: str
    query: str
    slice: str = ""
    active_score: float
    candidate_score: float
    active_response: str = ""
    candidate_response: str = ""
    flags: list[str] = Field(default_factory=list)


GateVerdict = Literal["promote", "reject", "undecided"]


class GateReport(_Value):
    """What the gate says of the best candidate against the active genome.

    reason: in words. difference: on *confirm*. p_adjusted: after Holm over the variants that reached the gate.
    repeats: judgements a query. noise_floor: size of difference that an A/A run shows by chance (95 %), None when it
    was not run. judged_twice: answers of the active genome that the A/A run is made of. optimism: select difference
    minus confirm difference. missing_queries: how many more it would take to decide, 0 when decided. absolute_mark: the
    article's 8.5, shown only.
    """

    verdict: GateVerdict
    reason: str
    layer: Layer
    domain: str
    candidate_hash: str
    active_hash: str
    difference: PairedDifference
    p_adjusted: float
    variants: int
    repeats: int = 1
    noise_floor: float | None = None
    judged_twice: int = 0
    optimism: float | None = None
    select_difference: PairedDifference | None = None
    checks: list[SliceCheck] = Field(default_factory=list)
    won: list[str] = Field(default_factory=list)
    lost: list[str] = Field(default_factory=list)
    queries: list[QueryOutcome] = Field(default_factory=list)
    missing_queries: int = 0
    candidate_score: float | None = None
    active_score: float | None = None
    absolute_mark: float = 8.5
    cost: Cost = Field(default_factory=Cost)
    pools: dict[str, str] = Field(default_factory=dict, description="Pool -> hash of its query ids.")
    warnings: list[str] = Field(default_factory=list)


class DecisionKind(StrEnum):
    """What was decided."""

    ACTIVATE_DEFAULT = "activate_default"
    APPROVE = "approve"
    REJECT = "reject"
    EXPIRE = "expire"
    ROLLBACK = "rollback"


class Decision(_Value):
    """One row of the append-only record of decisions.

    seen_version, seen_hash: of the genome as the reviewer saw it.
    report: snapshot. replaced: id of the genome that was active before, None when none was.
    """

    id: int = 0
    genome_id: int
    layer: Layer
    domain: str
    kind: DecisionKind
    reviewer: str
    reason: str = ""
    seen_version: int
    seen_hash: str
    replaced: int | None = None
    report: dict[str, Any] = Field(default_factory=dict)
    time: float = 0.0


class Review(_Value):
    """What a person answers when asked."""

    decision: Literal["approve", "reject"]
    reviewer: str = Field(min_length=1, max_length=200)
    reason: str = Field(default="", max_length=4000, description="Required for a rejection.")
    version: int = Field(ge=1, description="The version of the genome that was seen.")
    genome_hash: str = Field(min_length=8, description="The hash of the genome that was seen.")


class Budget(_Value):
    """The most a cycle may spend; None means no limit of that kind."""

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0.0)
