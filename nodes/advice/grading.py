"""Grades: the last call goes to the code of the top few."""

from __future__ import annotations

from collections.abc import Sequence

from ...retrieval.advice.listing import Row, listing_of
from ...retrieval.advice.rubric import Excerpt, grade_values
from ...state.advice import Advice
from ...state.document_ports import ChatModel
from ...state.spending import Spending
from .asking import ask
from .memory import NotedMemory
from .questions import rubric_question
from .telling import told, took

__all__ = ["graded", "skipped"]

_ORDER = 2  # another order, and other codes, than the picks had


def graded(
    excerpts: Sequence[Excerpt],
    task: str,
    system: str,
    weight: float,
    model: ChatModel,
    memory: NotedMemory,
    spending: Spending,
) -> tuple[dict[str, float], Advice]:
    """Path -> 0 to 1, what its grade is worth; {} when there is none, or when all files got the same.

    weight: 0 to 1, what the model's picks weigh; grades of a model whose picks weigh nothing are not asked for.
    """
    if not weight:
        return {}, skipped("rubric", model, "a model whose picks weigh nothing is not asked for grades")
    if len(excerpts) < 2:
        return {}, skipped("rubric", model, "fewer than two files to grade")
    listing = listing_of(task, [Row(e.path) for e in excerpts], _ORDER)
    before = spending.new
    asked = ask(model, rubric_question(system, task, listing, excerpts), memory, spending)
    values = grade_values(listing, asked.reply) if asked.reply is not None else {}
    grades = asked.reply or {}
    said = ", ".join(f"{row.path} {grades.get(code)}" for code, row in zip(listing.codes, listing.rows, strict=True))
    return values, Advice(
        role="rubric",
        model=model.name,
        outcome="failed" if asked.reply is None else "used" if values else "weightless",
        detail=told(asked.failure or said, memory),
        remembered=asked.remembered,
        weight=weight if values else 0.0,
        **took(spending.new, before),
    )


def skipped(role: str, model: ChatModel, why: str) -> Advice:
    """The line of a model that is not asked."""
    return Advice.model_validate({"role": role, "model": model.name, "outcome": "skipped", "detail": why})
