"""What is searched for: the request of a caller and the query of one cycle."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_BUDGET = 8_000
MIN_BUDGET = 200


class QueryType(StrEnum):
    """Kinds of code task the router tells apart."""

    BUG_REPORT = "bug_report"
    FEATURE = "feature"
    REFACTORING = "refactoring"
    QUESTION = "question"
    SYMBOL_LOOKUP = "symbol_lookup"


class Scope(BaseModel):
    """Which roles of files may be returned; tests and docs are in by default, behind the sources."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tests: bool = Field(default=True, description="Return test files (ranked behind source files).")
    docs: bool = Field(default=True, description="Return documentation files (ranked behind source files).")


class Query(BaseModel):
    """What one cycle dispatches.

    patterns and excludes are glob patterns relative to the root (``**`` crosses folders); keywords are words or
    identifiers; focus_areas are symbols and paths that a gap named. Sequences are in order of importance.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    patterns: list[str] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)
    excludes: list[str] = Field(default_factory=list)
    focus_areas: list[str] = Field(default_factory=list)
