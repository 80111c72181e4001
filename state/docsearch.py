"""The typed state of a documentation question; its loop keys are those of the retrieval graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .answer import Answer
from .caching import AdmissionVerdict, CacheLookup
from .documents import CollectionName
from .loop import LoopState
from .package import CycleTrace
from .routing import Route
from .spending import Spent, joined


class DocsearchInput(BaseModel):
    """A documentation question."""

    model_config = ConfigDict(extra="forbid", title="Documentation question")

    question: str = Field(
        max_length=20_000, description="The question, in any language.", examples=["How do I limit retries?"]
    )
    collection: CollectionName = Field(description="Name of an indexed collection.", examples=["handbook"])
    tenant: str = Field(
        default="default", min_length=1, max_length=200, description="Whose question it is; answers are not shared."
    )
    language: str = Field(default="", description="en, de, ru or zh; detected when empty.", pattern=r"^(|en|de|ru|zh)$")
    max_cycles: int | None = Field(
        default=None, ge=1, le=3, description="Most cycles; the profile decides when absent."
    )
    fresh: bool = Field(default=False, description="Answer anew: the cache is not asked.")
    log: bool = Field(default=True, description="Whether the request may enter the request log.")


class DocsearchOutput(TypedDict):
    """What the graph hands over."""

    answer: Annotated[Answer, Field(description="Answer, key points, sources, warnings.")]
    lookup: Annotated[CacheLookup, Field(description="Whether the cache served it, and why (not).")]
    admission: Annotated[AdmissionVerdict, Field(description="Whether the answer was stored, and why (not).")]
    route: Annotated[Route, Field(description="Query type and profile.")]
    traces: Annotated[list[CycleTrace], Field(description="What each cycle did; [] when the cache served.")]
    spent: Annotated[Spent, joined, Field(description="What language models took: calls, tokens, cost, seconds.")]


class DocsearchState(LoopState, total=False):
    """The shared state. Paths of candidates and evaluations are chunk keys (``document#ordinal``).

    asked_type: the offline query type, under which the cache is asked and filled, whatever a model says later.
    """

    question: str
    collection: str
    tenant: str
    language: str
    fresh: bool
    log: bool
    version: int
    domain: str
    asked_type: str
    lookup: CacheLookup
    answer: Answer
    admission: AdmissionVerdict
    warnings: list[str]
