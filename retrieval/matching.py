"""Where a query's terms stand in a set of files: term counts by file and by chunk, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state.analysis import FileAnalysis
from .terms import QueryTerms, Vector
from .text import stream

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Matches:
    """Term counts of ``n`` files with ``m`` chunks in total.

    body, names, path: (n, n_terms). chunks: (m, n_terms). lengths: (n,), parts in each file. chunk_lengths: (m,).
    starts: (n + 1,), the first chunk of each file and the end of the last. pairs: section -> (n,), the share of the
    section's word pairs that the file holds, weighted. chunk_literals: (m,), likewise for the pairs of error messages
    and quoted strings, by chunk.
    """

    body: Matrix
    names: Matrix
    path: Matrix
    chunks: Matrix
    lengths: Matrix
    chunk_lengths: Matrix
    starts: NDArray[np.int64]
    pairs: dict[str, Matrix]
    chunk_literals: Matrix


def match(paths: Sequence[str], analyses: Sequence[FileAnalysis], query: QueryTerms) -> Matches:
    """The counts of the query's terms in the files."""
    n_terms, n = len(query.terms), len(paths)
    chunk_counts = np.array([len(a.chunk_ends) for a in analyses], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(chunk_counts)]).astype(np.int64)
    chunks = np.zeros((int(starts[-1]), n_terms), dtype=np.float32)
    parts = _joined([a.parts for a in analyses])
    part_lengths = _chunk_lengths(analyses, 0)
    _count(chunks, parts, part_lengths, query.keys[: query.n_parts], 0)
    _count(
        chunks,
        _joined([a.wholes for a in analyses]),
        _chunk_lengths(analyses, 1),
        query.keys[query.n_parts :],
        query.n_parts,
    )
    body = _sums(chunks, starts)
    lengths = np.array([len(a.parts) for a in analyses], dtype=np.float32)
    names = np.zeros((n, n_terms), dtype=np.float32)
    name_lengths = np.array([len(a.names) for a in analyses], dtype=np.int64)
    _count(names, _joined([a.names for a in analyses]), name_lengths, query.keys[: query.n_parts], 0)
    path_streams = [np.array(stream(p).parts, dtype=np.uint32) for p in paths]
    path = np.zeros((n, n_terms), dtype=np.float32)
    _count(
        path,
        _joined(path_streams),
        np.array([len(s) for s in path_streams], dtype=np.int64),
        query.keys[: query.n_parts],
        0,
    )
    return Matches(
        body=body,
        names=names,
        path=path,
        chunks=chunks,
        lengths=lengths,
        chunk_lengths=part_lengths.astype(np.float32),
        starts=starts,
        pairs=_pairs(parts, lengths.astype(np.int64), query.bigrams),
        chunk_literals=_literals(parts, part_lengths, query),
    )


def _sums(chunks: Matrix, starts: NDArray[np.int64]) -> Matrix:
    """(n_files, n_terms): the counts of each file's chunks, added up."""
    body = np.zeros((len(starts) - 1, chunks.shape[1]), dtype=np.float32)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        body[filled] = np.add.reduceat(chunks, starts[filled], axis=0)
    return body


def _joined(arrays: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.uint32)


def _chunk_lengths(analyses: Sequence[FileAnalysis], column: int) -> NDArray[np.int64]:
    lengths = [np.diff(a.chunk_ends[:, column], prepend=0) for a in analyses]
    return np.concatenate(lengths).astype(np.int64) if lengths else np.zeros(0, dtype=np.int64)


def _count(
    out: Matrix, keys: NDArray[np.uint32], run_lengths: NDArray[np.int64], wanted: NDArray[np.uint32], offset: int
) -> None:
    """Add to ``out[run, offset + term]`` how often each wanted key stands in each run of ``keys``."""
    if not len(wanted) or not len(keys):
        return
    positions, terms = find(keys, wanted)
    runs = np.searchsorted(np.cumsum(run_lengths), positions, side="right")
    flat = np.bincount(runs * len(wanted) + terms, minlength=out.shape[0] * len(wanted))
    out[:, offset : offset + len(wanted)] += flat.reshape(out.shape[0], len(wanted))


def find(keys: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions in ``keys`` that hold a wanted key, and which one (index into ``wanted``)."""
    table = np.zeros(1 << 16, dtype=bool)  # a 16-bit filter first: most keys miss
    table[wanted & 0xFFFF] = True
    maybe = np.flatnonzero(table[keys & 0xFFFF])
    order = np.argsort(wanted)
    ranked = wanted[order]
    place = np.minimum(np.searchsorted(ranked, keys[maybe]), len(ranked) - 1)
    hit = ranked[place] == keys[maybe]
    return maybe[hit], order[place[hit]]


def _literals(parts: NDArray[np.uint32], lengths: NDArray[np.int64], query: QueryTerms) -> Matrix:
    """(n_runs,): the weighted share of the pairs of error messages and quoted strings that stand in each run."""
    pairs = {name: pair for name, pair in query.bigrams.items() if name == "literal"}
    return _pairs(parts, lengths, pairs).get("literal", np.zeros(len(lengths), dtype=np.float32))


def _pairs(
    parts: NDArray[np.uint32], lengths: NDArray[np.int64], bigrams: Mapping[str, tuple[NDArray[np.uint64], Vector]]
) -> dict[str, Matrix]:
    """For each section, the weighted share of its word pairs that stand in each run of ``parts``."""
    n = len(lengths)
    empty = np.zeros(n, dtype=np.float32)
    sections = {name: pair for name, pair in bigrams.items() if len(pair[0])}
    out = dict.fromkeys(bigrams, empty)
    if not sections or len(parts) < 2:
        return out
    first = np.unique(np.concatenate([keys >> np.uint64(32) for keys, _ in sections.values()])).astype(np.uint32)
    table = np.zeros(1 << 16, dtype=bool)
    table[first & 0xFFFF] = True
    inside = table[parts[:-1] & 0xFFFF]
    ends = np.cumsum(lengths)[:-1]
    inside[ends[(ends > 0) & (ends < len(parts))] - 1] = False  # a pair does not reach from one file into the next
    starts = np.flatnonzero(inside)
    pairs = (parts[starts].astype(np.uint64) << np.uint64(32)) | parts[starts + 1].astype(np.uint64)
    files = np.searchsorted(np.cumsum(lengths), starts, side="right")
    for name, (keys, weights) in sections.items():
        order = np.argsort(keys)
        place = np.minimum(np.searchsorted(keys[order], pairs), len(keys) - 1)
        hit = keys[order][place] == pairs
        seen = np.unique(files[hit].astype(np.int64) * len(keys) + order[place[hit]])
        gained = np.bincount(seen // len(keys), weights=weights[seen % len(keys)], minlength=n)
        out[name] = (gained / max(1e-9, float(weights.sum()))).astype(np.float32)
    return out
