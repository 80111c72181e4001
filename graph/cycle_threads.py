"""The threads of evolution cycles: begun, gone on with after a crash, answered. One process at a time has a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot
from pydantic import TypeAdapter

from ..state.evolution import Review
from ..state.evolution_run import EvolutionInput
from ..state.progress import Progress
from ..stores.checkpoints import open_checkpoints
from ..stores.cycle_lock import cycle_held
from .evolution import RECURSION_LIMIT, EvolutionGraph, build_evolution_graph
from .evolution_services import EvolutionServices

ProgressCallback = Callable[[Progress], None]
_EVENTS: TypeAdapter[Progress] = TypeAdapter(Progress)


@dataclass(frozen=True)
class CycleThread:
    """The thread of one cycle, held by this process."""

    graph: EvolutionGraph
    cycle: str

    @property
    def stopped_halfway(self) -> bool:
        """Whether it has steps before it and asks nobody: its process was killed, or failed.

        ``next`` would not tell: it leaves out tasks that have written, and a process may die between the last of them
        and the checkpoint of their step.
        """
        found = self._now()
        return bool(found.tasks) and not found.interrupts

    @property
    def ending(self) -> bool:
        """Whether only the step that writes how it ended is before it, again."""
        return {task.name for task in self._now().tasks} in ({"activate"}, {"reject"}, {"record"})

    def run(self, request: EvolutionInput | None, progress: ProgressCallback | None = None) -> None:
        """Begin it with a request, or go on with it (None), until it asks or ends."""
        self._stream(request, self._place(), progress)

    def answer(self, review: Review) -> bool:
        """Answer what it asks, after bringing it there if it was stopped; False when there was nothing to do."""
        halfway = self.stopped_halfway
        asking = self._covered_question() if halfway else None
        if halfway and asking is None:
            self.run(None)
        found = asking or self._now()
        if found.interrupts:
            answer = review.model_dump(mode="json")
            self._stream(Command(resume={i.id: answer for i in found.interrupts}), found.config, None)
        return halfway or bool(found.interrupts)

    def _covered_question(self) -> StateSnapshot | None:
        """Where it asked, if new input was put over the question (and refused by the first step)."""
        if self._now().next != ("select_parent",):
            return None
        return next((found for found in self.graph.get_state_history(self._place()) if found.interrupts), None)

    def _now(self) -> StateSnapshot:
        return self.graph.get_state(self._place())

    def _place(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.cycle}}

    def _stream(self, request: Any, place: RunnableConfig, progress: ProgressCallback | None) -> None:
        config: RunnableConfig = {
            "configurable": place["configurable"],
            "recursion_limit": RECURSION_LIMIT,
            "max_concurrency": 2,
        }
        for mode, data in self.graph.stream(request, config, stream_mode=["custom", "updates"], durability="sync"):
            if mode == "custom" and progress is not None:
                progress(_EVENTS.validate_python(data))


@contextmanager
def thread_of(
    cycle: str, services: EvolutionServices, checkpoints: Path, patience: float = 0.0
) -> Iterator[CycleThread | None]:
    """The thread of a cycle; None while another process has it for longer than ``patience`` seconds."""
    with cycle_held(checkpoints, cycle, patience) as alone, open_checkpoints(checkpoints) as saver:
        yield CycleThread(build_evolution_graph(services, saver), cycle) if alone else None
