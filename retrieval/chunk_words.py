"""What the words of a task say of each chunk, on a scale that does not depend on the other files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .lexical_signals import FieldWeights, bm25_chunks
from .matching import Matches
from .terms import QueryTerms, Vector

_TYPICAL = {"title": 0.45, "all": 0.2}
"""What the best chunk of a repository usually reaches of the most that BM25 could give; brings both near 1."""


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """Per chunk of all matched files, each (m,).

    title, all: BM25 for the words of the title and of the whole task, about 1 for the best chunk of a repository.
    coverage: share of the task's information that the chunk speaks of. literal: share of the word pairs of error
    messages and quoted strings that it holds.
    """

    title: Vector
    all: Vector
    coverage: Vector
    literal: Vector


def chunk_words(query: QueryTerms, found: Matches, knobs: FieldWeights) -> ChunkWords:
    """The words of ``query`` in the chunks of ``found``."""
    saturated = bm25_chunks(found, knobs)
    said = query.idf * (query.weights["all"] > 0)
    return ChunkWords(
        title=_reached(saturated, query, "title", knobs),
        all=_reached(saturated, query, "all", knobs),
        coverage=(found.chunks > 0) @ said / max(1e-9, float(said.sum())),
        literal=found.chunk_literals,
    )


def _reached(saturated: Vector, query: QueryTerms, section: str, knobs: FieldWeights) -> Vector:
    weight = query.idf * query.weights[section]
    most = float(weight.sum()) * (knobs.k1 + 1)
    reached: Vector = (saturated @ weight / max(1e-9, most * _TYPICAL[section])).astype(np.float32)
    return reached


__all__ = ["ChunkWords", "chunk_words"]
