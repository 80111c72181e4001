"""What a chunk is to the engines: its content hash, the text that is embedded, the terms that are searched."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version

from ..retrieval.passages.words import WORDS_VERSION, chunk_words
from ..retrieval.text import ANALYSIS_VERSION
from ..state.documents import DocumentChunk
from .segments import Layout

CHUNKS = Layout(("heading", "body"), f"{WORDS_VERSION}.{ANALYSIS_VERSION}-{version('tantivy')}-1")
"""The layout of a collection's lexical index."""


def content_hash(chunk: DocumentChunk) -> str:
    """SHA-256 of heading path and text: equal content, equal hash, whatever document it stands in."""
    return hashlib.sha256("\x1e".join([*chunk.heading, "", chunk.text]).encode()).hexdigest()


def embedded_text(heading: Sequence[str], text: str) -> str:
    """What the embedder reads: the heading path tells it what a section is about that does not say so itself."""
    return "\n".join([" > ".join(heading), text]) if heading else text


def field_terms(document: str, heading: Sequence[str], text: str, language: str) -> tuple[str, str]:
    """The terms of the two fields of ``CHUNKS``; a document's id is part of the way to its chunks."""
    return chunk_words(" ".join([*heading, document]), language), chunk_words(text, language)
