"""Prompt files; a changed text gets a new name (``compose.v2.md``), so that a trace names what was asked."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from ...nodes.compose import Prompts


def read_prompt(name: str) -> str:
    """The text of a prompt file, by its name without ending. Raises FileNotFoundError."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()


@lru_cache(maxsize=1)
def compose_prompts() -> Prompts:
    """What a model is told when it composes, merges and mends answers."""
    return Prompts(compose=read_prompt("compose.v1"), reduce=read_prompt("reduce.v1"), repair=read_prompt("repair.v1"))


__all__ = ["compose_prompts", "read_prompt"]
