"""Asking a model for advice: remembered replies first, every failure told and none raised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...state.advice import AdviceMemory, AdviceRole, Schedule
from ...state.document_ports import ChatModel, ChatModels, Role
from ...state.errors import ModelError, ModelUnreadable
from ...state.spending import Spending, SpendingLimit, Spent
from .memory import NotedMemory

__all__ = ["OFFLINE", "AdvicePrompts", "Advisers", "Asked", "Offline", "Question", "ask", "remembered_schedule"]


_VERSION = 1  # grows when what is kept under a key means something else


@dataclass(frozen=True)
class AdvicePrompts:
    """The fixed texts. plan: for the planner. rank: for the evaluator. rubric: for grades."""

    plan: str
    rank: str
    rubric: str


@dataclass(frozen=True)
class Advisers:
    """What the LLM mode borrows.

    memory: None remembers nothing. max_calls: most model calls of a request that does not say. shown: most candidates
    of a listing.
    """

    models: ChatModels
    prompts: AdvicePrompts
    memory: AdviceMemory | None = None
    max_calls: int = 2
    shown: int = 50

    def of(self, role: AdviceRole) -> ChatModel | None:
        """The model of a role; the evaluator grades too. None when nobody plays it."""
        return self.models.of("planner" if role == "planner" else "evaluator")

    @property
    def configured(self) -> bool:
        """Whether there is anybody to ask."""
        return self.of("planner") is not None or self.of("evaluator") is not None

    def spending(self, calls: int, spent: Spent) -> Spending:
        """The account of one step of a request that may make so many calls and has spent that much."""
        limit: SpendingLimit = self.models.limit.model_copy(update={"calls": calls})
        return Spending(limit, spent)


class Offline:
    """No model for any role."""

    @property
    def limit(self) -> SpendingLimit:
        """Nothing may be spent."""
        return SpendingLimit(calls=0)

    def of(self, role: Role) -> ChatModel | None:
        """Nobody plays it."""
        return None


OFFLINE = Advisers(Offline(), AdvicePrompts("", "", ""), max_calls=0)
"""Nobody to ask."""


@dataclass(frozen=True)
class Question:
    """One request to a model. schema: of the reply."""

    system: str
    user: str
    schema: Mapping[str, Any]

    def key(self, model: str) -> str:
        """Names model, prompt, task and everything shown: the same key, the same question."""
        return _digest(["ask", model, self.system, self.user, self.schema])


@dataclass(frozen=True)
class Asked:
    """What came of it. reply: follows the schema; None when there is none. failure: why, in words."""

    reply: dict[str, Any] | None
    failure: str = ""
    remembered: bool = False


def ask(model: ChatModel, question: Question, memory: NotedMemory, spending: Spending) -> Asked:
    """The reply to a question: remembered, or from the model within what may still be spent."""
    key = question.key(model.name)
    if (known := memory.recall(key)) is not None:
        return Asked(known, remembered=True)
    try:
        reply = model.within(spending).structured(question.system, question.user, question.schema)
    except ModelError as error:
        return Asked(None, _told(error))
    except Exception as error:  # a model behind the port may fail in ways of its own; a result is owed all the same
        return Asked(None, f"{model.name} failed: {type(error).__name__}")
    memory.keep(key, reply)
    return Asked(reply)


def remembered_schedule(memory: NotedMemory, parts: list[object], make: Callable[[], Schedule]) -> Schedule:
    """The schedule of a request, decided once: asked again, the same request makes the same calls."""
    key = _digest(["schedule", *parts])
    if (known := memory.recall(key)) is not None:
        return Schedule.model_validate(known)
    schedule = make()
    if schedule.orders or schedule.planner:
        memory.keep(key, schedule.model_dump())
    return schedule


def _told(error: ModelError) -> str:
    unreadable = "its reply cannot be used: " if isinstance(error, ModelUnreadable) else ""
    return f"{unreadable}{error}"


def _digest(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps([_VERSION, *parts], sort_keys=True, default=dict).encode()).hexdigest()
