"""What a documentation collection is made of: documents, their chunks, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LANGUAGES = ("en", "de", "ru", "zh")
"""Languages with their own word analysis and cues; '' stands for any other."""

CollectionName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A piece of a document that reads by itself: a section, a part of a long one, or a function.

    document: the document's id. ordinal: place in the document, from 0. heading: heading path, outermost first (for
    source code: the qualified name). first, last: lines of the document's text, 1-based, inclusive. text: the lines as
    they stand, without the heading path. language: one of ``LANGUAGES`` or ''. kind: "prose" or "code".
    """

    document: str
    ordinal: int
    heading: tuple[str, ...]
    first: int
    last: int
    text: str
    language: str
    kind: str = "prose"

    @property
    def key(self) -> str:
        """Names the chunk within its collection."""
        return f"{self.document}#{self.ordinal}"


@dataclass(frozen=True, slots=True)
class StoredChunk(DocumentChunk):
    """A chunk as a collection keeps it. sha256: of heading path and text: equal content, equal hash."""

    sha256: str = ""


class SkipReason(StrEnum):
    """Why a document of the request is not in the collection."""

    ENCRYPTED = "encrypted"
    UNREADABLE = "unreadable"  # damaged, or no text in it
    UNSUPPORTED = "unsupported"  # no reader for this kind of file
    MISSING_EXTRA = "missing_extra"  # a reader that is not installed
    BINARY = "binary"
    TOO_LARGE = "too_large"
    SECRET = "secret"


class Skipped(BaseModel):
    """A document that was not taken in, why, and what would help."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    reason: SkipReason
    detail: str


class IndexReport(BaseModel):
    """What an indexing run did. unchanged: documents whose hash was known. seconds: of the whole run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    collection: str
    domain: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedder: str = Field(default="", description="Name of the embedder; '' when the collection is lexical only.")
    skipped: list[Skipped] = Field(default_factory=list)
    stale_answers: int = Field(default=0, description="Cached answers whose evidence changed.")
    warnings: list[str] = Field(default_factory=list)
    seconds: float = 0.0


class CollectionInfo(BaseModel):
    """A collection at a glance. version: grows with every change of its documents. embedder: '' when lexical only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CollectionName
    domain: str
    version: int
    documents: int
    chunks: int
    embedder: str = ""
    dimension: int = 0
