"""Prompt files; a changed text gets a new name (``compose.v2.md``), so that a trace names what was asked.

``declared.json`` says of each which state keys its request is made from, and which places of the text are filled in.
Both are checked when a prompt is read: a key that leaves the state is noticed before a model is asked.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter

from ...evolution.patches import CONTRACT_FIELDS, MOST_OPERATIONS
from ...evolution.prompt_guard import COPIED_WORDS
from ...nodes.advice.asking import AdvicePrompts
from ...nodes.compose import Prompts
from ...state.docsearch import DocsearchState
from ...state.evolution_run import EvolutionState
from ...state.retrieval import RetrievalState

_STATES = {"docsearch": DocsearchState, "evolution": EvolutionState, "retrieval": RetrievalState}
_PLACE = re.compile(r"\{([a-z_]+)\}")


class Declaration(BaseModel):
    """What a prompt needs. graph: whose state. needs: its keys. fills: places of the text, written ``{like_this}``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    graph: Literal["docsearch", "evolution", "retrieval"]
    needs: list[str]
    fills: list[str] = []


def read_prompt(name: str, **fills: str) -> str:
    """The text of a prompt file, by its name without ending, its places filled.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the prompt is not declared, needs a key that its graph's state does not have, or its places are
            others than those filled.
    """
    text = (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()
    declaration = declared().get(name)
    if declaration is None:
        raise ValueError(f"prompt {name}: declared.json does not say which state keys it needs")
    if lacking := set(declaration.needs) - set(get_type_hints(_STATES[declaration.graph])):
        raise ValueError(f"prompt {name}: the state of {declaration.graph} has no {', '.join(sorted(lacking))}")
    if not set(_PLACE.findall(text)) == set(declaration.fills) == set(fills):
        raise ValueError(f"prompt {name}: declared, written and filled places differ")
    return _PLACE.sub(lambda place: fills[place[1]], text)


@lru_cache(maxsize=1)
def declared() -> dict[str, Declaration]:
    """Prompt -> what it needs."""
    text = (files(__name__) / "declared.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Declaration]).validate_python(json.loads(text))


@lru_cache(maxsize=1)
def compose_prompts() -> Prompts:
    """What a model is told when it composes, merges and mends answers."""
    return Prompts(compose=read_prompt("compose.v1"), reduce=read_prompt("reduce.v1"), repair=read_prompt("repair.v1"))


@lru_cache(maxsize=1)
def advice_prompts() -> AdvicePrompts:
    """What a model is told when it plans a search, picks among candidates, and grades code."""
    return AdvicePrompts(plan=read_prompt("plan.v1"), rank=read_prompt("rank.v1"), rubric=read_prompt("rubric.v1"))


@lru_cache(maxsize=1)
def classify_rules() -> str:
    """What a model is told besides the genome's own words when it classifies a question."""
    return read_prompt("classify.v1")


@lru_cache(maxsize=1)
def judge_rules() -> str:
    """What a model is told when it judges answers."""
    return read_prompt("judge.v1")


@lru_cache(maxsize=1)
def mutate_rules() -> str:
    """What a model is told when it proposes mutations."""
    return read_prompt(
        "mutate.v1",
        most_operations=str(MOST_OPERATIONS),
        copied_words=str(COPIED_WORDS),
        contract_fields=", ".join(CONTRACT_FIELDS),
    )


__all__ = [
    "Declaration",
    "advice_prompts",
    "classify_rules",
    "compose_prompts",
    "declared",
    "judge_rules",
    "mutate_rules",
    "read_prompt",
]
