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
_GAP_LINES = 2  # spans this close are joined: the lines between cost less than the break


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file that may be packed. chunks: in line order. chances: (n_chunks,), where the change is, sum 1."""

    path: str
    probability: float
    chunks: Sequence[Chunk]
    chances: Vector
    text: str


@dataclass(frozen=True, slots=True)
class Packed:
    """path -> spans in line order, and the estimated tokens of everything."""

    spans: dict[str, list[Span]]
    tokens: int


def pack(files: Sequence[PackFile], budget: int) -> Packed:
    """The spans of ``files`` (best first) that fit ``budget`` tokens.

    Files whose best chunk does not fit any more are named without being opened only when nothing else is left; a
    budget below one chunk gives the head of the best one.
    """
    lines = {f.path: f.text.split("\n") for f in files}
    costs = {f.path: [count_tokens(_text(lines[f.path], c)) for c in f.chunks] for f in files}
    taken: dict[str, set[int]] = {}
    spent = 0
    for file in files:  # one chunk each first
        best = _best_affordable(file, costs[file.path], budget - spent - FILE_OVERHEAD, len(files))
        if best is not None:
            taken[file.path] = {best}
            spent += FILE_OVERHEAD + costs[file.path][best]
    heap = [
        (-f.probability * float(f.chances[i]) / max(8, costs[f.path][i]), order, i)
        for order, f in enumerate(files)
        for i in range(len(f.chunks))
        if f.path in taken and i not in taken[f.path]
    ]
    heapq.heapify(heap)
    while heap:
        _, order, i = heapq.heappop(heap)
        path = files[order].path
        if spent + costs[path][i] <= budget:
            taken[path].add(i)
            spent += costs[path][i]
    spans = {f.path: _spans(f, taken[f.path]) for f in files if f.path in taken}
    if not spans and files:
        return _head(files[0], lines[files[0].path], budget)
    return Packed(spans, spent)


def _best_affordable(file: PackFile, costs: Sequence[int], left: int, n_files: int) -> int | None:
    """The chunk to open a file with: the likeliest one that fits."""
    for i in np.argsort(-file.chances, kind="stable").tolist():
        if costs[i] <= left:
            return int(i)
    return None


def _text(lines: Sequence[str], chunk: Chunk) -> str:
    return "\n".join(lines[chunk.first - 1 : chunk.last])


def _spans(file: PackFile, taken: set[int]) -> list[Span]:
    spans: list[Span] = []
    for i in sorted(taken):
        chunk = file.chunks[i]
        if spans and chunk.first - spans[-1].last - 1 <= _GAP_LINES:
            symbol = spans[-1].symbol if spans[-1].symbol == chunk.symbol else ""
            spans[-1] = Span(first=spans[-1].first, last=chunk.last, symbol=symbol)
        else:
            spans.append(Span(first=chunk.first, last=chunk.last, symbol=chunk.symbol))
    return spans


def _head(file: PackFile, lines: Sequence[str], budget: int) -> Packed:
    """The first lines of the best chunk that fit a budget too small for all of it."""
    chunk = file.chunks[int(np.argmax(file.chances))]
    spent, last = FILE_OVERHEAD, chunk.first - 1
    for number in range(chunk.first, chunk.last + 1):
        cost = count_tokens(lines[number - 1] + "\n")
        if spent + cost > budget:
            break
        spent, last = spent + cost, number
    if last < chunk.first:
        return Packed({}, 0)
    return Packed({file.path: [Span(first=chunk.first, last=last, symbol=chunk.symbol)]}, spent)


def text_of(spans: Mapping[str, Sequence[Span]], texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Path -> the text of each of its spans."""
    out: dict[str, list[str]] = {}
    for path, wanted in spans.items():
        lines = texts[path].split("\n")
        out[path] = ["\n".join(lines[s.first - 1 : s.last]) for s in wanted]
    return out
