"""Prompt files; a changed text gets a new name (``compose.v2.md``), so that a trace names what was asked."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from ...nodes.advice.asking import AdvicePrompts
from ...nodes.compose import Prompts


def read_prompt(name: str) -> str:
    """The text of a prompt file, by its name without ending. Raises FileNotFoundError."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()


@lru_cache(maxsize=1)
def compose_prompts() -> Prompts:
    """What a model is told when it composes, merges and mends answers."""
    return Prompts(compose=read_prompt("compose.v1"), reduce=read_prompt("reduce.v1"), repair=read_prompt("repair.v1"))


@lru_cache(maxsize=1)
def advice_prompts() -> AdvicePrompts:
    """What a model is told when it plans a search, picks among candidates, and grades code."""
    return AdvicePrompts(plan=read_prompt("plan.v1"), rank=read_prompt("rank.v1"), rubric=read_prompt("rubric.v1"))


__all__ = ["advice_prompts", "compose_prompts", "read_prompt"]
