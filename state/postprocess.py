"""The ``postprocess`` genome: how an answer is put together."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

CitationPolicy = Literal["always", "inline"]
"""always: every sentence of the answer carries its source numbers. inline: a run of sentences from one source carries
them once, at its end."""

Verbosity = Literal["adaptive", "comprehensive"]
"""adaptive: as long as the question needs. comprehensive: everything the sources say about it."""


class PostprocessGenome(BaseModel):
    """Layer ``postprocess``. system_prompt and system_prompt_reduce instruct a model; the rest counts offline too."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system_prompt: str = Field(default="", max_length=8000, description="How a model composes the answer.")
    system_prompt_reduce: str = Field(
        default="", max_length=8000, description="How a model merges partial answers without duplicates."
    )
    chunk_count: int = Field(default=8, ge=1, le=40, description="Most chunks an answer is composed from.")
    max_tokens: int = Field(default=1024, ge=64, le=8192, description="Most tokens of the answer.")
    citation_policy: CitationPolicy = Field(default="always")
    verbosity: Verbosity = Field(default="adaptive")
