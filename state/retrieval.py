"""The typed state that the retrieval graph's nodes share: ids, scores and small values, never texts of files."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .loop import LoopState
from .package import ContextPackage
from .query import MIN_BUDGET, Scope


class RetrievalInput(BaseModel):
    """A retrieval request."""

    model_config = ConfigDict(extra="forbid")

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


class RetrievalOutput(TypedDict):
    """What the graph hands over."""

    package: Annotated[ContextPackage, Field(description="Files, spans, relevance, reasons, gaps and trace.")]


class RetrievalState(LoopState, total=False):
    """The shared state of a retrieval."""

    task: str
    root: str
    ref: str | None
    patterns: list[str]
    budget: int
    scope: Scope
    fingerprint: str
    package: ContextPackage
