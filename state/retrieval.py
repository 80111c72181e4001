"""The typed state that the retrieval graph's nodes share: ids, scores and small values, never texts of files."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from typing_extensions import TypedDict

from .advice import Advice, Plan, Schedule
from .loop import LoopState
from .package import ContextPackage
from .query import MIN_BUDGET, Scope

_Package = Annotated[ContextPackage | None, WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "null"}]})]
"""A package that travels as a whole: a form shows one field for it, not a hundred."""


class RetrievalInput(BaseModel):
    """A retrieval request.

    With ``previous`` and ``gap`` it continues an earlier search; task, root and ref are the earlier ones then, unless
    they are given.
    """

    model_config = ConfigDict(extra="forbid", title="Retrieval request")

    task: str = Field(
        description="What the subagent has to do: an issue, a question, a symbol.",
        examples=["Fix the authentication token expiry bug"],
    )
    root: str = Field(default=".", description="Folder to search: a work tree, any folder, or a bare repository.")
    ref: str | None = Field(default=None, description="Git ref to search instead of the working tree.")
    patterns: list[str] = Field(
        default_factory=list, description="Only files that match one of these globs.", examples=[["src/**/*.py"]]
    )
    excludes: list[str] = Field(
        default_factory=list, description="No files that match one of these globs.", examples=[["*_test.go"]]
    )
    max_cycles: int | None = Field(
        default=None, ge=1, le=3, description="Most cycles; the profile decides when absent."
    )
    budget: int | None = Field(
        default=None, ge=MIN_BUDGET, description="Token budget of the package; the profile decides when absent."
    )
    scope: Scope = Field(default_factory=Scope, description="Roles of files that may be returned.")
    previous: _Package = Field(
        default=None, description="The context package of an earlier search of the same root and ref, to continue it."
    )
    gap: str | None = Field(
        default=None,
        description="What the earlier package lacks, in words; goes with previous.",
        examples=["Where is the refresh token stored?"],
    )
    llm: bool | None = Field(
        default=None, description="Whether language models are asked; absent: when one is configured."
    )
    max_llm_calls: int | None = Field(
        default=None, ge=0, le=50, description="Most model calls; the settings decide when absent."
    )

    @model_validator(mode="before")
    @classmethod
    def _as_before(cls, data: Any) -> Any:
        """The earlier task, root and ref, where none are given."""
        earlier = data.get("previous") if isinstance(data, Mapping) else None
        if isinstance(earlier, ContextPackage):
            earlier = {name: getattr(earlier, name) for name in ("task", "root", "ref")}
        if not isinstance(earlier, Mapping):
            return data
        missing = {n: earlier[n] for n in ("task", "root", "ref") if earlier.get(n) and not data.get(n)}
        return {**data, **missing}


class RetrievalOutput(TypedDict):
    """What the graph hands over."""

    package: Annotated[ContextPackage, Field(description="Files, spans, relevance, reasons, gaps and trace.")]


class RetrievalState(LoopState, total=False):
    """The shared state of a retrieval.

    llm_calls: most model calls, 0 offline. lifts: path -> what a model's picks and grades added to its score.
    """

    task: str
    root: str
    ref: str | None
    patterns: list[str]
    budget: int
    scope: Scope
    fingerprint: str
    previous: ContextPackage | None
    gap: str | None
    llm: bool | None
    max_llm_calls: int | None
    llm_calls: int
    schedule: Schedule
    plan: Plan
    lifts: dict[str, float]
    advice: Annotated[list[Advice], operator.add]
    package: ContextPackage
