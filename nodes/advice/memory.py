"""The memory of advice as a step uses it: when it cannot be read or written the request goes on, and says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...state.advice import AdviceMemory
from ...state.errors import StoreUnavailable

__all__ = ["NotedMemory"]

T = TypeVar("T")


class NotedMemory:
    """An ``AdviceMemory`` that never fails. trouble: what went wrong first, '' when nothing did.

    Args:
        memory: None remembers nothing.
    """

    def __init__(self, memory: AdviceMemory | None) -> None:
        self._memory = memory
        self.trouble = ""

    def recall(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key; None when nothing was, or it cannot be read."""
        memory = self._memory
        return self._tried(lambda: memory.recall(key), None) if memory else None

    def keep(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a JSON value; what cannot be kept is asked again."""
        memory = self._memory
        if memory:
            self._tried(lambda: memory.keep(key, value), None)

    def agreements(self, model: str) -> list[float]:
        """The newest measured agreements of a model; [] when they cannot be read: it is measured again."""
        memory = self._memory
        return self._tried(lambda: memory.agreements(model), []) if memory else []

    def agreed(self, model: str, key: str, agreement: float) -> None:
        """Keep a measured agreement."""
        memory = self._memory
        if memory:
            self._tried(lambda: memory.agreed(model, key, agreement), None)

    def _tried(self, work: Callable[[], T], otherwise: T) -> T:
        try:
            return work()
        except StoreUnavailable as error:
            self.trouble = self.trouble or f"replies of models cannot be remembered: {error}"
            return otherwise
