"""Functions across files: where a change probably is, down to the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation
from ..state.source import Chunk, Symbol, SymbolKind
from .terms import Vector

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def ranked_functions(
    evaluations: Sequence[Evaluation], analyses: Mapping[str, FileAnalysis], shares: Mapping[str, Vector]
) -> list[str]:
    """``path:qualified.name`` of functions and methods, likeliest first.

    A function's chance is its file's probability times its part of the shares of the chunks that hold it. A chunk that
    holds several short functions shares its chance among them by their lines.
    """
    chances: dict[str, float] = {}
    for e in evaluations:
        if e.path not in analyses:
            continue
        structure = analyses[e.path].structure
        functions = [s for s in structure.symbols if s.kind in _FUNCTIONS]
        for chunk, share in zip(structure.chunks, shares[e.path].tolist(), strict=True):
            parts = _lines_inside(functions, chunk)
            total = sum(parts.values())
            for name, lines in parts.items():
                key = f"{e.path}:{name}"
                chances[key] = chances.get(key, 0.0) + max(e.probability, 1e-4) * share * lines / total
    return sorted(chances, key=lambda k: (-chances[k], k))


def _lines_inside(functions: Sequence[Symbol], chunk: Chunk) -> dict[str, int]:
    """Qualified name -> lines of the chunk that belong to it, for the chunk's own function and those wholly inside."""
    inside: dict[str, int] = {}
    for symbol in functions:
        lines = min(symbol.last, chunk.last) - max(symbol.first, chunk.first) + 1
        if lines > 0 and (symbol.qualified == chunk.symbol or chunk.first <= symbol.first <= symbol.last <= chunk.last):
            inside[symbol.qualified] = max(lines, inside.get(symbol.qualified, 0))
    return inside
