"""Functions across files: where a change probably is, down to the definition."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation
from ..state.source import Chunk, Symbol, SymbolKind
from .terms import Vector

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def file_shares(evaluations: Sequence[Evaluation]) -> dict[str, float]:
    """Path -> its share of the chance, by a softmax of the scores.

    Finer than the calibrated probability, which is flat where files were hardly ever right: an order of functions
    across files needs the differences, not their calibration.
    """
    if not evaluations:
        return {}
    top = max(e.score for e in evaluations)
    powers = {e.path: math.exp(e.score - top) for e in evaluations}
    total = sum(powers.values())
    return {path: power / total for path, power in powers.items()}


def ranked_functions(
    likely: Mapping[str, float], analyses: Mapping[str, FileAnalysis], shares: Mapping[str, Vector]
) -> list[str]:
    """``path:qualified.name`` of functions and methods, likeliest first.

    A function's chance is its file's (``likely``) times its part of the shares of the chunks that hold it. A chunk that
    holds several short functions shares its chance among them by their lines.
    """
    chances: dict[str, float] = {}
    for path, chance in likely.items():
        if path not in analyses:
            continue
        structure = analyses[path].structure
        functions = sorted((s for s in structure.symbols if s.kind in _FUNCTIONS), key=lambda s: s.first)
        for chunk, share in zip(structure.chunks, shares[path].tolist(), strict=True):
            parts = _lines_inside(functions, chunk)
            total = sum(parts.values())
            for name, lines in parts.items():
                key = f"{path}:{name}"
                chances[key] = chances.get(key, 0.0) + chance * share * lines / total
    return sorted(chances, key=lambda k: (-chances[k], k))


def _lines_inside(functions: Sequence[Symbol], chunk: Chunk) -> dict[str, int]:
    """Qualified name -> lines of the chunk that belong to it, for the chunk's own function and those wholly inside.

    Args:
        functions: sorted by first line.
        chunk: a run of lines.
    """
    inside: dict[str, int] = {}
    end = bisect_right(functions, chunk.last, key=lambda s: s.first)
    start = bisect_left(functions, chunk.first, key=lambda s: s.first)
    own = [s for s in functions[:start] if s.qualified == chunk.symbol] if chunk.symbol else []
    for symbol in [*own, *functions[start:end]]:
        lines = min(symbol.last, chunk.last) - max(symbol.first, chunk.first) + 1
        if lines > 0 and (symbol.qualified == chunk.symbol or symbol.last <= chunk.last):
            inside[symbol.qualified] = max(lines, inside.get(symbol.qualified, 0))
    return inside
