"""rerank: let a model pick among the best candidates, and lift its picks as far as it agrees with itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.types import Overwrite

from ...retrieval.advice.blend import lifted, pick_values
from ...state.advice import Advice
from ...state.candidate import Evaluation
from ...state.document_ports import ChatModel
from ...state.progress import Advised
from ...state.retrieval import RetrievalState
from ...state.spending import Spending, Spent
from ..clock import announce
from ..code_subject import CodeSubjects
from .asking import Advisers
from .bench import Bench
from .grading import graded, skipped
from .memory import NotedMemory
from .picking import picked
from .questions import shown_task

_GRADED = 5


@dataclass(frozen=True)
class Reranker:
    """Borrows the subjects and the advisers."""

    subjects: CodeSubjects
    advisers: Advisers

    def rerank(self, state: RetrievalState) -> Any:
        """Lifted evaluations and what was said; only lines in the trace when nothing of it can be trusted."""
        model = self.advisers.of("evaluator")
        if model is None:
            return {}
        spending = self.advisers.spending(state["llm_calls"], state.get("spent", Spent()))
        evaluations, lifts, advice = self._advised(state, model, spending)
        for line in advice:
            announce(Advised(advice=line))
        update: dict[str, Any] = {"advice": advice, "spent": spending.new}
        return update | ({"evaluations": Overwrite(evaluations), "lifts": lifts} if lifts else {})

    def _advised(
        self, state: RetrievalState, model: ChatModel, spending: Spending
    ) -> tuple[list[Evaluation], dict[str, float], list[Advice]]:
        """The evaluations, what was added to the score of which path, and the lines of the trace."""
        subject, schedule, evaluations = self.subjects(state), state["schedule"], state["evaluations"]
        bench, genome, memory = Bench(subject), subject.genome, NotedMemory(self.advisers.memory)
        task, prompts = shown_task(subject.scene.task.text), self.advisers.prompts
        rows = bench.rows([e.path for e in evaluations[: self.advisers.shown]])
        if len(rows) < 2:
            return evaluations, {}, [skipped("evaluator", model, "fewer than two candidates, nothing to choose")]
        picks = picked(rows, task, prompts.rank, schedule, model, memory, spending)
        lifts = _scaled(pick_values(picks.orders), genome.llm_evaluator * picks.weight)
        evaluations = lifted(evaluations, lifts, dict.fromkeys(lifts, f"picked by {model.name}"), genome)
        if not schedule.rubric:
            return evaluations, lifts, [picks.advice]
        excerpts = bench.excerpts([e.path for e in evaluations[:_GRADED]])
        values, line = graded(excerpts, task, prompts.rubric, picks.weight, model, memory, spending)
        more = _scaled(values, genome.llm_rubric * picks.weight)
        evaluations = lifted(evaluations, more, dict.fromkeys(more, f"graded by {model.name}"), genome)
        both = {path: lifts.get(path, 0.0) + more.get(path, 0.0) for path in {**lifts, **more}}
        return evaluations, both, [picks.advice, line]


def _scaled(values: Mapping[str, float], weight: float) -> dict[str, float]:
    """What is added to scores; nothing, when it is 0."""
    return {path: lift for path, value in values.items() if (lift := round(value * weight, 6)) > 0}
