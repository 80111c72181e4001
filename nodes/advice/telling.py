"""What a step says of the advice it got."""

from __future__ import annotations

from typing import TypedDict

from ...state.spending import Spent
from .memory import NotedMemory

__all__ = ["Took", "told", "took"]


class Took(TypedDict):
    """What advice took, named as in ``Advice``."""

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float


def took(spent: Spent, before: Spent | None = None) -> Took:
    """What was spent, less what was spent before."""
    before = before or Spent()
    return Took(
        calls=spent.calls - before.calls,
        tokens_in=spent.tokens_in - before.tokens_in,
        tokens_out=spent.tokens_out - before.tokens_out,
        seconds=round(max(0.0, spent.seconds - before.seconds), 3),
        cost=round(max(0.0, spent.cost - before.cost), 8),
    )


def told(detail: str, memory: NotedMemory) -> str:
    """The detail, and what went wrong with remembering."""
    return "; ".join(part for part in (detail, memory.trouble) if part)
