"""What one run may set apart from the active genomes: a few genes within their own bounds, nothing is stored.

These are the graphs' context schemas; LangGraph Studio makes a form of them, and edits the prompts beside their nodes.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .genome import RetrievalGenome
from .postprocess import CitationPolicy, PostprocessGenome, Verbosity
from .routing import DepthBudget, RoutingGenome


def _gene(genome: type[BaseModel], name: str, **extra: Any) -> Any:
    """An optional field with the bounds and the description of a gene; absent: the active genome's value."""
    field = genome.model_fields[name]
    bounds = {n: getattr(bound, n) for bound in field.metadata for n in ("ge", "le", "max_length") if hasattr(bound, n)}
    told = f"{field.description or 'Instructions for a model.'} Absent: the active genome's."
    return Field(default=None, description=told, **bounds, **extra)


def _prompt(genome: type[BaseModel], name: str, node: str) -> Any:
    """A prompt that Studio edits beside the node that uses it."""
    return _gene(genome, name, json_schema_extra={"langgraph_nodes": [node], "langgraph_type": "prompt"})


class RetrievalOptions(BaseModel):
    """How far one retrieval looks, instead of what the active genomes say."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Retrieval options")

    max_files: int | None = _gene(DepthBudget, "max_files")
    candidates: int | None = _gene(DepthBudget, "candidates")
    list_depth: int | None = _gene(DepthBudget, "list_depth")
    format: Literal["spans", "definitions"] | None = Field(
        default=None,
        description="spans: the lines likeliest to change; definitions: first the lines that define the named symbols. "
        "Absent: the active genome's.",
    )
    wanted: int | None = _gene(RetrievalGenome, "wanted")
    highly_relevant: float | None = _gene(RetrievalGenome, "highly_relevant")
    packed: float | None = _gene(RetrievalGenome, "packed")
    sufficient_confidence: float | None = _gene(RetrievalGenome, "sufficient_confidence")
    learned_words: int | None = _gene(RetrievalGenome, "learned_words")


class DocsearchOptions(BaseModel):
    """How one answer is put together, instead of what the active genomes say; it stays out of the cache."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Documentation question options")

    classifier_prompt: str | None = _prompt(RoutingGenome, "classifier_prompt", "route")
    system_prompt: str | None = _prompt(PostprocessGenome, "system_prompt", "postprocess")
    system_prompt_reduce: str | None = _prompt(PostprocessGenome, "system_prompt_reduce", "postprocess")
    chunk_count: int | None = _gene(PostprocessGenome, "chunk_count")
    max_tokens: int | None = _gene(PostprocessGenome, "max_tokens")
    citation_policy: CitationPolicy | None = Field(
        default=None, description="Whether every sentence carries its sources. Absent: the active genome's."
    )
    verbosity: Verbosity | None = Field(
        default=None, description="As long as the question needs, or everything. Absent: the active genome's."
    )
