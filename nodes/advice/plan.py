"""plan: decide what the model calls are spent on, and ask the planner what the task does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...retrieval.advice.agreement import pooled, trust
from ...retrieval.advice.proposals import CodeBase, confirmed
from ...retrieval.advice.schedule import scheduled
from ...retrieval.signals import Scene
from ...retrieval.text import content_terms
from ...state.advice import Advice, Plan, Schedule
from ...state.document_ports import ChatModel
from ...state.ports import Workspace
from ...state.progress import Advised
from ...state.retrieval import RetrievalState
from ...state.spending import Spending, Spent
from ..clock import announce
from ..code_subject import CodeSubjects
from ..scene import modules_of
from .asking import Advisers, Asked, ask, remembered_schedule
from .memory import NotedMemory
from .questions import plan_question, shown_task
from .telling import told, took


@dataclass(frozen=True)
class Planner:
    """Borrows the subjects and the advisers."""

    subjects: CodeSubjects
    advisers: Advisers

    def plan(self, state: RetrievalState) -> Any:
        """The schedule, and the plan that the index confirmed; only a line in the trace when the planner fails."""
        memory, calls = NotedMemory(self.advisers.memory), state["llm_calls"]
        planner, evaluator = self.advisers.of("planner"), self.advisers.of("evaluator")
        names = [m.name if m else "" for m in (planner, evaluator)]
        schedule = remembered_schedule(
            memory,
            [names, calls, state["task"], state.get("gap") or "", state["fingerprint"]],
            lambda: scheduled(
                calls,
                state["task"],
                memory.agreements(evaluator.name) if evaluator else [],
                planner is not None,
                evaluator is not None,
            ),
        )
        update: dict[str, Any] = {"schedule": schedule}
        if schedule.planner and planner is not None:
            spending = self.advisers.spending(calls, state.get("spent", Spent()))
            plan, advice = self._planned(state, planner, schedule, memory, spending)
            announce(Advised(advice=advice))
            return update | {"plan": plan, "advice": [advice], "spent": spending.new}
        if schedule.reason:
            advice = _skipped(schedule, evaluator or planner)
            announce(Advised(advice=advice))
            return update | {"advice": [advice]}
        return update

    def _planned(
        self, state: RetrievalState, model: ChatModel, schedule: Schedule, memory: NotedMemory, spending: Spending
    ) -> tuple[Plan, Advice]:
        subject = self.subjects(state)
        question = plan_question(self.advisers.prompts.plan, shown_task(subject.scene.task.text), subject.workspace)
        asked = ask(model, question, memory, spending)
        evaluator = self.advisers.of("evaluator")
        weight = trust(pooled(None, schedule.known, schedule.mean)) if evaluator is model else 1.0
        plan = _confirmed(asked, subject.scene, subject.workspace, weight) if asked.reply else Plan()
        used = bool(plan) and weight > 0
        return plan if used else Plan(), Advice(
            role="planner",
            model=model.name,
            outcome="failed" if asked.reply is None else "used" if used else "weightless",
            detail=told(asked.failure or plan_words(plan), memory),
            remembered=asked.remembered,
            weight=round(weight, 3) if used else 0.0,
            **took(spending.new),
        )


def plan_words(plan: Plan) -> str:
    """What is left of a plan, in words."""
    kept = [*plan.names, *plan.words]
    said = [f"look for {', '.join(kept[:12])}"] if kept else []
    said += [f"{len(plan.paths)} {'path' if len(plan.paths) == 1 else 'paths'} named"] if plan.paths else []
    said += [f"dropped {', '.join(f'{n} ({why})' for why, n in plan.dropped.items())}"] if plan.dropped else []
    return "; ".join(said) or "proposed nothing"


def _confirmed(asked: Asked, scene: Scene, workspace: Workspace, weight: float) -> Plan:
    task = scene.task
    said = content_terms(f"{task.title}\n{task.prose}\n{task.code}")
    code = CodeBase(
        frequency=workspace.document_frequency,
        defined=scene.definers,
        find=lambda text: [p for p in modules_of(workspace).find_path(text) if workspace.searchable(p)],
        paths=lambda: (p for p in workspace.paths if workspace.searchable(p)),
    )
    assert asked.reply is not None
    return confirmed(asked.reply, {*said.parts, *said.wholes}, code, round(weight, 4))


def _skipped(schedule: Schedule, model: ChatModel | None) -> Advice:
    return Advice(role="evaluator", model=model.name if model else "", outcome="skipped", detail=schedule.reason)
