"""What the tools hand back: values under a schema, each text with its place."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RouteReply(_Reply):
    """How the request was read."""

    query_type: str = Field(description="Kind of task or question.")
    profile: str = Field(description='Profile that was used; "default" when the router was not sure.')
    confidence: float = Field(description="0 to 1.")
    reason: str = Field(description="The evidence in words.")


class SpanReply(_Reply):
    """A run of lines with its text."""

    first: int = Field(description="First line, 1-based.")
    last: int = Field(description="Last line, inclusive.")
    symbol: str = Field(description="Qualified name that the lines show, or ''.")
    text: str = Field(description="The lines as they stand in the file.")


class FileReply(_Reply):
    """One file of the package."""

    path: str = Field(description="Relative to the root.")
    relevance: float = Field(description="0 to 1 on the rubric; 0.8 and more implements the target.")
    probability: float = Field(description="Calibrated chance that the change touches the file.")
    role: str = Field(description="source, test, doc, config, ...")
    reason: str = Field(description="The evidence in words.")
    spans: list[SpanReply]


class ContextReply(_Reply):
    """A context package."""

    request_id: str = Field(description="Names this result for record_feedback and previous_request_id.")
    root: str = Field(description="The folder that was searched.")
    ref: str | None = Field(description="The git ref that was searched; null for the working tree.")
    route: RouteReply
    files: list[FileReply] = Field(description="Best first.")
    gaps: list[str] = Field(description="What is still missing.")
    sufficient: bool = Field(description="Whether the evidence was judged enough.")
    stopped_by: str = Field(description="sufficient, saturated, max_cycles or nothing_found.")
    cycles: int = Field(description="How often was searched.")
    also_ranked: list[str] = Field(description="Further paths, best first, whose text is not shown.")
    warnings: list[str] = Field(description="What degraded on the way.")


class SourceReply(_Reply):
    """A numbered source of an answer."""

    number: int = Field(description="What [n] in the answer refers to.")
    document: str
    heading: list[str] = Field(description="Heading path, outermost first.")
    first: int = Field(description="First line, 1-based.")
    last: int = Field(description="Last line, inclusive.")
    quote: str = Field(description="Verbatim text of the document.")


class AnswerReply(_Reply):
    """An answer out of documents."""

    request_id: str = Field(description="Names this result for record_feedback.")
    collection: str
    found: bool = Field(description="Whether the documents answer the question.")
    answer: str = Field(description="'' when nothing was found; [n] refers to source n.")
    key_points: list[str]
    sources: list[SourceReply]
    warnings: list[str] = Field(description="What has no support, what is missing, what degraded.")
    support: float | None = Field(description="Share of the answer's sentences that the sources support.")
    composed_by: str = Field(description='"extractive", or the model\'s name.')
    cached: bool = Field(description="Whether an earlier answer was served, after its evidence was checked.")
    route: RouteReply


class ExplainReply(_Reply):
    """Why a file is where it is in a result, or nowhere."""

    path: str
    status: Literal["packed", "ranked", "unranked", "left_out", "absent"]
    rank: int | None = Field(description="Place among the ranked files; null when it has none.")
    relevance: float
    probability: float
    reason: str = Field(description="The evidence in words.")
    signals: dict[str, float] = Field(description="What each signal added to the file's score.")
    sentence: str = Field(description="The whole story in one sentence.")


class FeedbackReply(_Reply):
    """What became of feedback."""

    kept: bool = Field(description="Whether it was written down.")
    verdict: Literal["complete", "partial", "useless"]
    needed: int = Field(description="How many needed files were named.")
    note: str
