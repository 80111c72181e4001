"""Signals from words: BM25F over fields, BM25 over chunks, path words, neighbouring words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .matching import Matches, Matrix
from .terms import QueryTerms, Vector

_RARE = 1.8
"""Terms whose idf is this close to the highest are rare: about six files or fewer hold them."""


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """BM25F's knobs (Robertson, Zaragoza and Taylor 2004).

    b normalises body length only: a name is never long. mean_chunk is a fixed typical chunk length in parts, so that a
    file's signals do not depend on its neighbours.
    """

    k1: float = 1.2
    b: float = 0.75
    b_chunk: float = 0.75
    mean_chunk: float = 120.0
    path: float = 4.0
    definitions: float = 3.0


def lexical_signals(query: QueryTerms, found: Matches, mean_length: float, knobs: FieldWeights) -> dict[str, Vector]:
    """Signal name -> (n_files,) strengths, not yet scaled.

    Args:
        query: the terms and their weights by section.
        found: counts of the terms in the files.
        mean_length: mean number of parts of a file in the corpus.
        knobs: BM25F's weights.
    """
    saturated = bm25f(found, mean_length, knobs)
    chunk_saturated = bm25_chunks(found, knobs)
    signals: dict[str, Vector] = {}
    for section in ("title", "prose", "code", "all"):
        weight = query.idf * query.weights[section]
        signals[f"bm25f_{section}"] = saturated @ weight
        best, top3 = _best_chunks(chunk_saturated @ weight, found.starts)
        signals[f"chunk_{section}"], signals[f"chunks3_{section}"] = best, top3
    for section in ("title", "all"):
        weight = query.idf * (query.weights[section] > 0)
        signals[f"path_{section}"] = (found.path > 0) @ weight / np.sqrt(1.0 + (found.path > 0).sum(axis=1))
        signals[f"names_{section}"] = (found.names > 0) @ weight
        signals[f"coverage_{section}"] = (
            ((found.body + found.names + found.path) > 0) @ weight / max(1e-9, float(weight.sum()))
        )
    wholes = np.arange(len(query.terms)) >= query.n_parts
    signals["wholes"] = (found.body[:, wholes] > 0) @ (query.idf * query.weights["all"])[wholes]
    rare = np.where(query.idf > query.idf.max(initial=0.0) - _RARE, query.idf, 0.0)
    for section in ("title", "prose", "code"):
        signals[f"rare_{section}"] = (found.body > 0) @ (rare * (query.weights[section] > 0))
    for section, share in found.pairs.items():
        signals[f"pairs_{section}"] = share
    return signals


def bm25f(found: Matches, mean_length: float, knobs: FieldWeights) -> Matrix:
    """(n_files, n_terms): saturated counts pooled over the fields, before idf (Robertson, Zaragoza and Taylor 2004)."""
    norm = 1 - knobs.b + knobs.b * found.lengths / max(1.0, mean_length)
    pooled = found.body / norm[:, None] + knobs.definitions * found.names + knobs.path * found.path
    saturated: Matrix = (pooled * (knobs.k1 + 1) / (pooled + knobs.k1)).astype(np.float32)
    return saturated


def bm25_chunks(found: Matches, knobs: FieldWeights) -> Matrix:
    """(m, n_terms): saturated counts of the chunks, before idf."""
    norm = 1 - knobs.b_chunk + knobs.b_chunk * found.chunk_lengths / knobs.mean_chunk
    return (found.chunks * (knobs.k1 + 1) / (found.chunks + knobs.k1 * norm[:, None])).astype(np.float32)


def _best_chunks(scores: Vector, starts: NDArray[np.int64]) -> tuple[Vector, Vector]:
    """For each file its best chunk's score, and the sum of its best three."""
    n = len(starts) - 1
    best, top3 = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    for i in range(n):
        own = scores[starts[i] : starts[i + 1]]
        if len(own):
            best[i] = own.max()
            top3[i] = own.sum() if len(own) <= 3 else np.partition(own, -3)[-3:].sum()
    return best, top3


def strongest_terms(query: QueryTerms, found: Matches, file: int, limit: int = 4) -> list[str]:
    """The task's most telling terms in one file as the task writes them, by idf times weight."""
    held = (found.body[file] + found.names[file]) > 0
    value = np.where(held, query.idf * (query.weights["all"] + query.weights["title"]), 0.0)
    order: Sequence[int] = np.argsort(-value, kind="stable")[:limit].tolist()
    return [query.shown.get(query.terms[i], query.terms[i]) for i in order if value[i] > 0]


def path_terms(query: QueryTerms, found: Matches, file: int, limit: int = 3) -> list[str]:
    """The task's terms in one file's path, as the task writes them."""
    held = np.flatnonzero(found.path[file] > 0)[:limit].tolist()
    return [query.shown.get(query.terms[i], query.terms[i]) for i in held]
