"""What a cycle finds and what evaluation says of it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Band(StrEnum):
    """The rubric's bands; they touch, so every relevance has one."""

    HIGH = "high"  # >= 0.8: implements the target
    MEDIUM = "medium"  # 0.5 to 0.8: related patterns or types
    LOW = "low"  # 0.2 to 0.5: indirect
    NONE = "none"  # below 0.2: not relevant


def band_of(relevance: float) -> Band:
    """The rubric band that holds ``relevance`` (0 to 1)."""
    if relevance >= 0.8:
        return Band.HIGH
    if relevance >= 0.5:
        return Band.MEDIUM
    return Band.LOW if relevance >= 0.2 else Band.NONE


class GapKind(StrEnum):
    """What kind of context is missing."""

    SYMBOL = "symbol"  # a symbol has no definition among the candidates
    PATH = "path"  # a quoted path was not found
    DEPENDENCY = "dependency"  # a highly relevant file uses a definition nobody retrieved
    NO_MATCH = "no_match"  # nothing relevant was found at all
    TOPIC = "topic"  # a part of a question that no relevant chunk speaks of


class Gap(BaseModel):
    """Something the evidence lacks. ``critical`` when the task itself names it; ``wanted_by`` is the asking path."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: GapKind
    target: str
    detail: str
    critical: bool = False
    wanted_by: str = ""


class Candidate(BaseModel):
    """One file that dispatch gathered. signals: name -> strength (>= 0, comparable within one request only)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    signals: dict[str, float] = Field(default_factory=dict)
    found_by: list[str] = Field(default_factory=list, description="Names of the ranked lists that hold it.")


class Evaluation(BaseModel):
    """What evaluate says of one candidate.

    score: the model's raw score, higher is better, comparable within one request. relevance: 0 to 1 on the rubric.
    probability: calibrated chance that the change touches this file. reason: the strongest evidence in words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    score: float
    relevance: float = Field(ge=0.0, le=1.0)
    probability: float = Field(ge=0.0, le=1.0)
    reason: str
    missing_context: list[str] = Field(default_factory=list)
    cycle: int = Field(ge=1, description="The cycle that found the file.")

    @property
    def band(self) -> Band:
        """The rubric band of ``relevance``."""
        return band_of(self.relevance)
