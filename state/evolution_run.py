"""The typed state of an evolution cycle: ids and decisions, never genomes or answers; those stand in the ledger."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .evolution import Budget, Layer, Pool


class QuerySource(BaseModel):
    """Where a cycle's queries come from; what is needed depends on the layer.

    collection: for postprocess, the documents to answer from. queries: a JSONL file of queries, None for what the
    installation has (request log, labelled routes). mirrors: for retrieval, where repositories lie, with {owner} and
    {name} in it; '' when each query names its own root. salt: another one deals the queries into other pools; keep it
    for as long as a lineage goes on, or what was tuned on would confirm.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    collection: str = Field(default="", description="Collection to answer from (postprocess).")
    queries: str | None = Field(default=None, description="JSONL file of queries.")
    mirrors: str = Field(default="", description="Where the repositories of localization queries lie.")
    limit: int = Field(default=400, ge=1, le=100_000, description="Most queries.")
    salt: str = Field(default="", max_length=100, description="Another one deals the queries into other pools.")


class EvolutionInput(BaseModel):
    """What starts a cycle. The thread id is the cycle's id."""

    model_config = ConfigDict(extra="forbid", title="Evolution request")

    layer: Layer = Field(description="What evolves: postprocess, routing, cache_policy or retrieval.")
    domain: str = Field(
        description='Whose genome: a documentation domain, or "code" for layer retrieval.',
        examples=["general", "python", "code"],
    )
    requester: str = Field(
        min_length=1, max_length=200, description="Who asks for the cycle; may not approve its outcome."
    )
    n: int = Field(default=5, ge=1, le=20, description="Most candidates.")
    seed: int = Field(default=0, ge=0, description="The same seed gives the same offline mutations.")
    budget: Budget = Field(default_factory=Budget, description="The most the cycle may spend.")
    source: QuerySource = Field(default_factory=QuerySource, description="Where the cycle's queries come from.")
    parent: int | None = Field(default=None, description="Genome to mutate; the active one when absent.")
    repeats: int = Field(default=1, ge=1, le=5, description="Judgements a query.")


class EvolutionOutput(TypedDict):
    """How a cycle ended. outcome: "recorded" (nobody passed), "activated" or "rejected". genome: id of the best."""

    cycle: str
    outcome: Literal["recorded", "activated", "rejected"]
    genome: int | None
    reason: str


class EvalTask(TypedDict):
    """One genome to be judged on the first ``upto`` queries of a pool; the rest is what the cycle was asked."""

    cycle: str
    layer: Layer
    domain: str
    source: QuerySource
    seed: int
    repeats: int
    budget: Budget
    genome: int
    pool: Pool
    upto: int


class EvolutionState(TypedDict, total=False):
    """The shared state.

    racing: candidates still in. stage: "noise" is the A/A run before the gate's last word. judged_twice: queries of
    that run, 0 before it. judged: notes of finished evaluations, for the trace.
    """

    layer: Layer
    domain: str
    requester: str
    n: int
    seed: int
    budget: Budget
    source: QuerySource
    parent: int | None
    repeats: int
    cycle: str
    active: int
    stage: Literal["select", "confirm", "noise", "done"]
    judged_twice: int
    round: int
    racing: list[int]
    upto: int
    judged: Annotated[list[str], operator.add]
    genome: int | None
    submitted: bool
    review: dict[str, Any]
    outcome: Literal["recorded", "activated", "rejected"]
    reason: str
