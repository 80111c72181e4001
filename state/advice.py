"""What a language model advised a retrieval, and how far it was trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

AdviceRole = Literal["planner", "evaluator", "rubric"]
"""planner: proposes words and places before the first search. evaluator: picks among the best candidates. rubric:
grades the top few by their code."""

AdviceOutcome = Literal["used", "weightless", "failed", "skipped"]
"""used: it counts in the result. weightless: it answered, and nothing of it is trusted or new. failed: no usable
answer. skipped: it was not asked. In all but the first the result is the one without it."""


class Advice(BaseModel):
    """One request for advice, as the trace tells it.

    detail: what happened, in words. remembered: the reply was known already, no call was made. agreement: chance is 0,
    1 is perfect; None when nothing was measured. weight: 0 to 1, how much of the genome's weight the advice got.
    calls, tokens_in, tokens_out, seconds, cost: what it took.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: AdviceRole
    model: str
    outcome: AdviceOutcome
    detail: str
    remembered: bool = False
    agreement: float | None = Field(default=None, ge=-1.0, le=1.0)
    weight: float = Field(default=0.0, ge=0.0, le=1.0)
    calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0.0)
    cost: float = Field(default=0.0, ge=0.0)


class Plan(BaseModel):
    """What a planner proposed and the index confirmed: a further section of the query.

    names: identifiers that files define or hold. words: other words that files hold. paths: path -> share of one
    proposal that means it, 0 to 1. dropped: why -> how many proposals were left out. weight: 0 to 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: list[str] = Field(default_factory=list)
    words: list[str] = Field(default_factory=list)
    paths: dict[str, float] = Field(default_factory=dict)
    dropped: dict[str, int] = Field(default_factory=dict)
    weight: float = Field(default=1.0, ge=0.0, le=1.0)

    @property
    def terms(self) -> list[str]:
        """Names and words."""
        return [*self.names, *self.words]

    def __bool__(self) -> bool:
        """Whether anything is left of the proposals."""
        return bool(self.names or self.words or self.paths)


class Schedule(BaseModel):
    """How a request spends its model calls.

    planner: whether one goes to words and places. orders: in how many orders the candidates are judged. rubric: whether
    one goes to the code of the top few. known: how many earlier requests measured the evaluator's agreement, and their
    mean. reason: in words, of what is not asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    planner: bool = False
    orders: int = Field(default=0, ge=0, le=2)
    rubric: bool = False
    known: int = Field(default=0, ge=0)
    mean: float = Field(default=0.0, ge=-1.0, le=1.0)
    reason: str = ""


class AdviceMemory(Protocol):
    """Replies of models by content, and how well each model agreed with itself; bounded, shared by processes."""

    def recall(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key; None when nothing was. Raises StoreUnavailable."""

    def keep(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a JSON value. Raises StoreUnavailable."""

    def agreements(self, model: str) -> list[float]:
        """The newest measured agreements of a model. Raises StoreUnavailable."""

    def agreed(self, model: str, key: str, agreement: float) -> None:
        """Keep a measured agreement; the same key counts once. Raises StoreUnavailable."""
