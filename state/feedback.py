"""What a user of a package or an answer says of it afterwards: did it hold what was needed."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

FEEDBACK = "feedback"
"""Names the kept feedback as a source of queries, in place of a file."""

MOST_NEEDED = 100
"""Most files that one feedback may name."""
LONGEST_MISSING = 2_000
"""Most characters of what was missing."""


class FeedbackVerdict(StrEnum):
    """Whether a result held what was needed."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    USELESS = "useless"


class FeedbackRecord(BaseModel):
    """One line of feedback.

    tool: what gave the result. text: the task or the question. root: folder that was searched, '' for documents. ref:
    id of its commit; None for documents and outside git. returned: paths (of chunks: keys) of the result, best first.
    needed: files that the work really took, relative to the root. missing: what was missed, in words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int = 0
    time: float
    tool: Literal["retrieve_context", "search_docs"]
    text: str
    root: str = ""
    ref: str | None = None
    collection: str = ""
    domain: str = ""
    query_type: str = ""
    verdict: FeedbackVerdict
    returned: list[str] = Field(default_factory=list)
    needed: list[str] = Field(default_factory=list)
    missing: str = ""


class FeedbackLog(Protocol):
    """Keeps feedback for as long as logged questions are kept."""

    @property
    def enabled(self) -> bool:
        """Whether anything is kept at all."""

    def record(self, row: FeedbackRecord) -> None:
        """Append one line, unless feedback is switched off."""

    def rows(self, tool: str | None = None, limit: int = 1000) -> list[FeedbackRecord]:
        """The newest lines first."""

    def erase(self, collection: str | None = None) -> int:
        """Delete lines (about one collection, or all); the number deleted."""
