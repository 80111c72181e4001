"""Chunks for the tests of this folder."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

from iterative_retrieval.retrieval.passages.question import Question, read_question
from iterative_retrieval.retrieval.passages.views import DocumentView, document_view
from iterative_retrieval.retrieval.passages.words import words
from iterative_retrieval.state.documents import StoredChunk


def stored(document: str, *pieces: tuple[str, str], kind: str = "prose", language: str = "en") -> list[StoredChunk]:
    """Chunks of one document out of (heading, text) pairs."""
    return [
        StoredChunk(
            document,
            i,
            (heading,) if heading else (),
            i + 1,
            i + 1,
            text,
            language,
            kind,
            hashlib.sha256(f"{heading}\0{text}".encode()).hexdigest(),
        )
        for i, (heading, text) in enumerate(pieces)
    ]


def views(*documents: Sequence[StoredChunk]) -> dict[str, DocumentView]:
    """Document -> its view."""
    return {chunks[0].document: document_view(chunks) for chunks in documents}


def frequencies(documents: Mapping[str, DocumentView]) -> Counter[str]:
    """Term -> number of chunks that hold it."""
    return Counter(t for d in documents.values() for v in d.chunks for t in v.body)


def ask(text: str, documents: Mapping[str, DocumentView], language: str = "en") -> Question:
    """A question weighed against the documents."""
    held = frequencies(documents)
    return read_question(text, language, held.__getitem__, sum(len(d.chunks) for d in documents.values()))


__all__ = ["ask", "frequencies", "stored", "views", "words"]
