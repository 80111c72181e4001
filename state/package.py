"""What a retrieval hands over: the context package and its trace."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from .advice import Advice
from .candidate import Band, Gap
from .query import Query, QueryType


class StopReason(StrEnum):
    """Why the loop ended."""

    SUFFICIENT = "sufficient"  # enough highly relevant files, no critical gap
    SATURATED = "saturated"  # no new file and no score gain
    MAX_CYCLES = "max_cycles"
    NOTHING_FOUND = "nothing_found"  # nothing left to try and nothing relevant found


class Span(BaseModel):
    """A run of lines, 1-based and inclusive; ``symbol`` is the qualified name it shows, or ''."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: int = Field(ge=1)
    last: int = Field(ge=1)
    symbol: str = ""


class FileContext(BaseModel):
    """One packed file: why it is here and which of its lines to read.

    known: those of the spans that an earlier package of the same search held; they are not paid again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    relevance: float
    probability: float
    band: Band
    reason: str
    missing_context: list[str] = Field(default_factory=list)
    spans: list[Span] = Field(default_factory=list)
    role: str = "source"
    cycle: int = 1
    known: list[Span] = Field(default_factory=list)

    @property
    def added(self) -> list[Span]:
        """The spans that no earlier package held."""
        return [s for s in self.spans if s not in self.known]


class CycleTrace(BaseModel):
    """What one cycle did: dispatched, found, refined, and how the loop decided.

    found: best-first (path, relevance) pairs of this cycle's evaluation, a dozen at most. ranking: every path known
    after this cycle, best first. new_files: paths not known before. learned: keywords that refine added for the next.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cycle: int = Field(ge=1)
    query: Query
    candidates: int
    new_files: int
    found: list[tuple[str, float]] = Field(default_factory=list)
    ranking: list[str] = Field(default_factory=list)
    gaps: list[Gap] = Field(default_factory=list)
    learned: list[str] = Field(default_factory=list)
    excluded: list[str] = Field(default_factory=list)
    decision: str = ""
    seconds: float = 0.0


class ContextPackage(BaseModel):
    """The result of a retrieval: a small set of files and spans, with scores, reasons and the gaps that remain.

    files: best first. ranked: every evaluated path, best first (the packed files are its head). functions:
    ``path:qualified.name``, best first. tokens: estimated tokens of the packed text, without what was known. left_out:
    reason -> count. warnings: what degraded on the way. gap: what an earlier package lacked, '' when the search did not
    continue one. fingerprint: names the searched content; equal content, equal fingerprint. advice: what language
    models were asked and how far it counts, [] offline.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    root: str
    ref: str | None = None
    query_type: QueryType
    profile: str
    files: list[FileContext] = Field(default_factory=list)
    ranked: list[str] = Field(default_factory=list)
    functions: list[str] = Field(default_factory=list)
    gaps: list[Gap] = Field(default_factory=list)
    cycles: list[CycleTrace] = Field(default_factory=list)
    stopped_by: StopReason
    sufficient: bool
    tokens: int = 0
    budget: int = 0
    left_out: dict[str, int] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    gap: str = ""
    fingerprint: str = ""
    advice: list[Advice] = Field(default_factory=list)
