"""The answer contract: answer, key_points, sources, warnings."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AnswerSource(BaseModel):
    """One numbered source.

    chunk: key of the retrieved chunk. first, last: lines of the document, 1-based, inclusive. quote: verbatim text of
    the chunk (runs of white space may differ). sha256: the chunk's content hash when the answer was written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int = Field(ge=1)
    chunk: str
    document: str
    heading: list[str] = Field(default_factory=list)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    quote: str
    sha256: str


class Answer(BaseModel):
    """An answer under the contract.

    answer: text; ``[2]`` refers to source 2. key_points: the answer in short sentences. warnings: what has no support,
    what is missing, what degraded. support: share of the answer's sentences that the sources support, 0 to 1; None for
    an empty answer. composed_by: "extractive", or the model's name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: str = ""
    key_points: list[str] = Field(default_factory=list)
    sources: list[AnswerSource] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    language: str = ""
    support: float | None = Field(default=None, ge=0.0, le=1.0)
    composed_by: str = "extractive"


CitationClass = Literal["supported", "misattributed", "altered_quote", "fabricated"]
"""supported: the cited chunk holds it. misattributed: another retrieved chunk does. altered_quote: nearly the chunk's
text, but changed. fabricated: no retrieved chunk holds anything like it."""


class CitationCheck(BaseModel):
    """What verification says of one source of an answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    verdict: CitationClass
    detail: str = ""


class SentenceSupport(BaseModel):
    """Support of one sentence of an answer.

    score: 0 to 1. sources: numbers of the sources that support it. problem: '' when supported, else why not ("numbers
    differ: 5", "negation differs", "no source says this").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sentence: str
    score: float = Field(ge=0.0, le=1.0)
    sources: list[int] = Field(default_factory=list)
    problem: str = ""
