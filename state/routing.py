"""Routing: query types, the profiles they activate, and the decision for one task."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class DepthBudget(BaseModel):
    """How far a profile looks. Cycles and candidates bound the work, tokens and files the result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_cycles: int = Field(default=3, ge=1, le=3, description="Most cycles of the loop.")
    candidates: int = Field(default=300, ge=20, le=1000, description="Most candidates of one cycle.")
    list_depth: int = Field(default=100, ge=10, le=400, description="Source files that each ranked list may bring.")
    budget_tokens: int = Field(default=8000, ge=200, le=64000, description="Token budget of the context package.")
    max_files: int = Field(default=8, ge=1, le=40, description="Most files in the context package.")


QueryTypeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,39}$")]
"""Name of a query type: one of ``QueryType`` for code tasks, whatever a domain's genome names for documentation."""

Format = Literal["spans", "definitions", "prose", "list", "steps"]
"""How the result is laid out.

Code: spans (the lines likeliest to change), definitions (first the lines that define the symbols the task names).
Documentation: prose, list, steps (in the order of the document).
"""


class Profile(BaseModel):
    """What one query type activates. system_prompt: for whoever reads the package or composes the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system_prompt: str = Field(default="", max_length=4000, description="How the reader should use the package.")
    depth_budget: DepthBudget = Field(default_factory=DepthBudget)
    format: Format = Field(default="spans")


class RoutingGenome(BaseModel):
    """Layer ``routing``: how tasks are classified and what each class activates.

    classifier_prompt: instructions for a model that classifies; unused offline. profiles: query type -> profile.
    default_profile: used when the classifier is less sure than min_confidence; the more thorough one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    classifier_prompt: str = Field(default="", max_length=8000)
    profiles: dict[QueryTypeName, Profile] = Field(default_factory=dict)
    default_profile: Profile = Field(default_factory=Profile)
    min_confidence: float = Field(default=0.4, ge=0.0, le=1.0)


class Route(BaseModel):
    """The router's decision. profile: a query type's name, or "default"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query_type: QueryTypeName
    profile: str
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str
