"""What a request spends on language models, and the limits that stop it before they are exceeded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from .errors import ModelBudgetSpent


class Price(BaseModel):
    """What a million tokens cost, in whichever currency the deployment counts. input: read. output: written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(default=0.0, ge=0.0)
    output: float = Field(default=0.0, ge=0.0)

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of that many tokens."""
        return (tokens_in * self.input + tokens_out * self.output) / 1_000_000


class Spent(BaseModel):
    """What model calls took so far.

    calls: requests that reached a model. tokens_in, tokens_out: as the server counted them. cost: at the prices of the
    settings. seconds: waiting for replies. estimated: calls whose server gave no count; theirs is by length. refused:
    calls not made because they could have exceeded a limit. redacted: texts that looked like credentials and were not
    sent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0.0)
    seconds: float = Field(default=0.0, ge=0.0)
    estimated: int = Field(default=0, ge=0)
    refused: int = Field(default=0, ge=0)
    redacted: int = Field(default=0, ge=0)

    @property
    def tokens(self) -> int:
        """Read and written together."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(**{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields})


def joined(known: Spent, new: Spent) -> Spent:
    """The reducer of a state key: steps return what they added."""
    return known + new


class SpendingLimit(BaseModel):
    """The most a request may spend; None is no limit. seconds: of waiting for models."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0.0)
    seconds: float | None = Field(default=None, ge=0.0)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. estimated: the server gave no count."""

    tokens_in: int
    tokens_out: int
    estimated: bool = False


@dataclass(slots=True)
class Call:
    """One call under way. most: what it may take. usage: what it took, once that is known. free: nobody worked."""

    most: Usage
    usage: Usage | None = None
    free: bool = False


@dataclass
class Spending:
    """The account of one request; threads may share it.

    Args:
        limit: the most it may take, what came before included.
        already: what earlier steps of the same request took.
        clock: seconds; only differences matter.
    """

    limit: SpendingLimit = field(default_factory=SpendingLimit)
    already: Spent = field(default_factory=Spent)
    clock: Callable[[], float] = time.perf_counter
    _new: Spent = field(default_factory=Spent, init=False)
    _held: Spent = field(default_factory=Spent, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def new(self) -> Spent:
        """What was spent here; a step returns it under the state's key ``spent``."""
        with self._lock:
            return self._new

    @property
    def total(self) -> Spent:
        """What the request has spent so far."""
        return self.already + self.new

    @contextmanager
    def call(self, most: Usage, price: Price) -> Iterator[Call]:
        """One call: its most is set aside, then replaced by what it took.

        A call that fails is counted with the usage that was set until then; a free one is not counted.

        Raises:
            ModelBudgetSpent: it could exceed a limit; nothing was sent.
        """
        aside = Spent(calls=1, tokens_in=most.tokens_in, tokens_out=most.tokens_out, cost=_cost(most, price))
        self._set_aside(aside)
        call, started = Call(most), self.clock()
        try:
            yield call
        finally:
            self._settle(aside, Spent() if call.free else _taken(call, price, self.clock() - started))

    def redacted(self, count: int) -> None:
        """Count texts that were kept back."""
        with self._lock:
            self._new += Spent(redacted=count)

    def _set_aside(self, most: Spent) -> None:
        with self._lock:
            if reason := _exceeds(self.already + self._new + self._held + most, self.limit):
                self._new += Spent(refused=1)
                raise ModelBudgetSpent(f"a further model call could exceed the request's budget: {reason}")
            self._held += most

    def _settle(self, aside: Spent, taken: Spent) -> None:
        with self._lock:
            held = {name: getattr(self._held, name) - getattr(aside, name) for name in ("calls", "tokens_in")}
            left = max(0.0, self._held.cost - aside.cost)  # sums of floats may end below zero
            self._held = Spent(**held, tokens_out=self._held.tokens_out - aside.tokens_out, cost=left)
            self._new += taken


def _taken(call: Call, price: Price, seconds: float) -> Spent:
    usage = call.usage or Usage(0, 0)
    return Spent(
        calls=1,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=_cost(usage, price),
        seconds=max(0.0, seconds),
        estimated=int(usage.estimated),
    )


def _cost(usage: Usage, price: Price) -> float:
    return price.of(usage.tokens_in, usage.tokens_out)


def _exceeds(would_be: Spent, limit: SpendingLimit) -> str:
    """Which limit that would exceed, in words; '' for none."""
    if limit.calls is not None and would_be.calls > limit.calls:
        return f"{limit.calls} calls are allowed (IR_MAX_LLM_CALLS)"
    if limit.tokens is not None and would_be.tokens > limit.tokens:
        return f"{limit.tokens:,} tokens are allowed, it could come to {would_be.tokens:,} (IR_MODEL_BUDGET_TOKENS)"
    if limit.cost is not None and would_be.cost > limit.cost:
        return f"a cost of {limit.cost:g} is allowed, it could come to {would_be.cost:.4g} (IR_MODEL_BUDGET_COST)"
    if limit.seconds is not None and would_be.seconds >= limit.seconds:
        return f"{limit.seconds:g} s of waiting for models are allowed and used up (IR_MODEL_BUDGET_SECONDS)"
    return ""


__all__ = ["Call", "Price", "Spending", "SpendingLimit", "Spent", "Usage", "joined"]
