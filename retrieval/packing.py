"""Packing: the spans most likely to hold the change, depth before breadth, inside a token budget.

Each chunk of a chosen file has a chance of holding the change: the file's probability times the chunk's share of its
file. Chunks are taken by chance per token until the budget is spent; every chosen file keeps at least its best chunk,
so a file is never named without a line to read.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..state.package import Span
from ..state.source import Chunk
from .terms import Vector
from .tokens import count_tokens

FILE_OVERHEAD = 40
"""Tokens that naming a file, its scores and its reason cost."""


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file that may be packed.

    chunks: in line order. chances: (n_chunks,), where in the file the change is, sum 1. costs: tokens of each chunk.
    """

    path: str
    probability: float
    chunks: Sequence[Chunk]
    chances: Vector
    costs: Sequence[int]


@dataclass(frozen=True, slots=True)
class Packed:
    """path -> spans in line order, and the estimated tokens of everything."""

    spans: dict[str, list[Span]]
    tokens: int


def pack(files: Sequence[PackFile], budget: int) -> Packed:
    """The spans of ``files`` (best first) that fit ``budget`` tokens.

    A file whose every chunk is too long for what is left is not named. When not even one chunk of the best file fits,
    the head of its best chunk is packed. A file without chunks (an empty one) has no line to show and is not named.
    """
    files = [f for f in files if f.chunks]
    taken: dict[str, set[int]] = {}
    spent = 0
    for file in files:  # one chunk each first
        best = _opening(file, budget - spent - FILE_OVERHEAD, budget // (2 * len(files)))
        if best is not None:
            taken[file.path] = {best}
            spent += FILE_OVERHEAD + file.costs[best]
    heap = [
        (-f.probability * float(f.chances[i]) / max(8, f.costs[i]), order, i)
        for order, f in enumerate(files)
        for i in range(len(f.chunks))
        if f.path in taken and i not in taken[f.path]
    ]
    heapq.heapify(heap)
    while heap:
        _, order, i = heapq.heappop(heap)
        file = files[order]
        if spent + file.costs[i] <= budget:
            taken[file.path].add(i)
            spent += file.costs[i]
    if not taken and files:
        return _head(files[0], budget)
    return Packed({f.path: _spans(f, taken[f.path]) for f in files if f.path in taken}, spent)


def chunk_costs(text: str, chunks: Sequence[Chunk]) -> list[int]:
    """Estimated tokens of each chunk of a text."""
    lines = text.split("\n")
    return [count_tokens("\n".join(lines[c.first - 1 : c.last])) for c in chunks]


def _opening(file: PackFile, left: int, fair: int) -> int | None:
    """The chunk to open a file with: the likeliest that costs a fair share, else the likeliest that fits at all."""
    order = np.argsort(-file.chances, kind="stable").tolist()
    for limit in (min(left, fair), left):
        for i in order:
            if file.costs[i] <= limit:
                return int(i)
    return None


def _spans(file: PackFile, taken: set[int]) -> list[Span]:
    """The taken chunks, neighbours joined; a chunk between them that was not taken is not shown, as it did not fit."""
    spans: list[Span] = []
    for i in sorted(taken):
        chunk = file.chunks[i]
        if spans and i - 1 in taken:
            symbol = spans[-1].symbol if spans[-1].symbol == chunk.symbol else ""
            spans[-1] = Span(first=spans[-1].first, last=chunk.last, symbol=symbol)
        else:
            spans.append(Span(first=chunk.first, last=chunk.last, symbol=chunk.symbol))
    return spans


def _head(file: PackFile, budget: int) -> Packed:
    """The first lines of the best chunk, as many as a budget too small for all of it allows."""
    best = int(np.argmax(file.chances))
    chunk, cost = file.chunks[best], file.costs[best]
    lines = int((chunk.last - chunk.first + 1) * (budget - FILE_OVERHEAD) / max(1, cost))
    if lines < 1:
        return Packed({}, 0)
    span = Span(first=chunk.first, last=chunk.first + lines - 1, symbol=chunk.symbol)
    return Packed({file.path: [span]}, budget)


def text_of(spans: Mapping[str, Sequence[Span]], texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Path -> the text of each of its spans."""
    out: dict[str, list[str]] = {}
    for path, wanted in spans.items():
        lines = texts[path].split("\n")
        out[path] = ["\n".join(lines[s.first - 1 : s.last]) for s in wanted]
    return out
