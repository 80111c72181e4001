"""A domain: what a folder adds so that its documents are asked well. Genomes, labelled examples, documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from .caching import CachePolicyGenome
from .genome import RetrievalGenome
from .postprocess import PostprocessGenome
from .routing import QueryTypeName, RoutingGenome


class RouteExample(BaseModel):
    """A labelled question. language: en, de, ru or zh."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    query_type: QueryTypeName
    language: str


class RouteCues(BaseModel):
    """Transparent cues of one query type.

    cues: language ('' for every language) -> (weight, regular expression) pairs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    query_type: QueryTypeName
    cues: dict[str, list[tuple[float, str]]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Domain:
    """One domain, loaded. documents: folder of its own documents, None when it brings none."""

    name: str
    title: str
    retrieval: RetrievalGenome
    routing: RoutingGenome
    postprocess: PostprocessGenome
    cache_policy: CachePolicyGenome
    cues: Sequence[RouteCues] = field(default_factory=list)
    examples: Sequence[RouteExample] = field(default_factory=list)
    documents: Path | None = None
