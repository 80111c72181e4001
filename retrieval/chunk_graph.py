"""The graph of chunks: which chunk speaks of which, and what stands beside or around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state.analysis import FileAnalysis
from .text import split_identifier, term_hash

GRAPH_SIGNALS = (
    "chunk_spoken_of",
    "chunk_spoken_of_here",
    "chunk_speaks_of",
    "chunk_class_mass",
    "chunk_beside",
)
"""Columns of ``neighbour_columns``: likely chunks of other files speak of its name; of the same file; it speaks of
likely chunks; the rest of its class is likely; the chunks before and after it are."""

_MOST_TARGETS = 8  # a name that more chunks have says nothing of each


@dataclass(frozen=True, slots=True)
class ChunkGraph:
    """The chunks of some files, one after another.

    files: path -> its slice of them. owners: (m,), number of the class or module part that holds a chunk, -1 for none.
    sources, targets: (n_edges,), a chunk that speaks of another's name. shares: (n_edges,), 1 / number of chunks that
    have the name. inside: (n_edges,), 1 when both are in one file.
    """

    files: Mapping[str, slice]
    owners: NDArray[np.int64]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    shares: NDArray[np.float64]
    inside: NDArray[np.float64]


def chunk_graph(analyses: Mapping[str, FileAnalysis]) -> ChunkGraph:
    """The graph of all chunks of ``analyses``. Only compound names make edges: a plain word is no reference.

    Chunks of one name speak of each other, too: every definition holds its own name.
    """
    files: dict[str, slice] = {}
    owners: list[int] = []
    named: dict[int, list[int]] = defaultdict(list)
    groups: dict[tuple[str, str], int] = {}
    for path, analysis in analyses.items():
        first = len(owners)
        for chunk in analysis.structure.chunks:
            owner, _, name = chunk.symbol.rpartition(".")
            whole = split_identifier(name)[1] if name else ""
            if whole:
                named[term_hash(whole)].append(len(owners))
            owners.append(groups.setdefault((path, owner), len(groups)) if owner else -1)
        files[path] = slice(first, len(owners))
    edges = _edges(analyses, files, {key: t for key, t in named.items() if len(t) <= _MOST_TARGETS})
    return ChunkGraph(files, np.array(owners, dtype=np.int64), *edges)


def _edges(
    analyses: Mapping[str, FileAnalysis], files: Mapping[str, slice], named: Mapping[int, Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    wanted = np.array(sorted(named), dtype=np.uint32)
    rows: list[tuple[int, int, float, float]] = []
    for path, analysis in analyses.items():
        own = files[path]
        places = np.flatnonzero(np.isin(analysis.wholes, wanted))
        chunks = np.searchsorted(analysis.chunk_ends[:, 1], places, side="right") + own.start
        for source, key in sorted(set(zip(chunks.tolist(), analysis.wholes[places].tolist(), strict=True))):
            for target in named[key]:
                if target != source:
                    inside = own.start <= target < own.stop
                    rows.append((source, target, 1 / len(named[key]), float(inside)))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 4)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], table[:, 3]


def neighbour_columns(graph: ChunkGraph, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, n_signals), the columns of GRAPH_SIGNALS: square roots of the chances that a chunk's neighbours hold.

    Args:
        graph: of m chunks.
        chances: (m,), the chance of each chunk to hold the change; any scale.
    """
    total = float(chances.sum())
    mass = chances / total if total > 0 else chances
    m = len(mass)
    out = np.zeros((m, len(GRAPH_SIGNALS)))
    handed = mass[graph.sources] * graph.shares
    np.add.at(out[:, 0], graph.targets, handed * (1 - graph.inside))
    np.add.at(out[:, 1], graph.targets, handed * graph.inside)
    np.add.at(out[:, 2], graph.sources, mass[graph.targets] * graph.shares)
    held = graph.owners >= 0
    of_class = np.bincount(graph.owners[held], weights=mass[held], minlength=1)
    out[held, 3] = of_class[graph.owners[held]] - mass[held]
    for own in graph.files.values():
        out[own.start + 1 : own.stop, 4] += mass[own.start : own.stop - 1] if own.stop > own.start else 0.0
        out[own.start : own.stop - 1, 4] += mass[own.start + 1 : own.stop] if own.stop > own.start else 0.0
    roots: NDArray[np.float64] = np.sqrt(np.maximum(out, 0.0))
    return roots


__all__ = ["GRAPH_SIGNALS", "ChunkGraph", "chunk_graph", "neighbour_columns"]
