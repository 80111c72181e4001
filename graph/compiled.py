"""Compiled graphs, kept as long as the services they were compiled for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Services = TypeVar("Services")
Graph = TypeVar("Graph")


class CompiledGraphs(Generic[Services, Graph]):
    """The graph of any services, compiled once."""

    def __init__(self, build: Callable[[Services], Graph]) -> None:
        self._build = build
        self._held: dict[int, tuple[Services, Graph]] = {}

    def of(self, services: Services) -> Graph:
        """The compiled graph of these services."""
        held = self._held.get(id(services))
        if held is None or held[0] is not services:
            held = (services, self._build(services))
            self._held[id(services)] = held
        return held[1]
