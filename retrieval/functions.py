"""Functions across files: where a change probably is, down to the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation
from ..state.source import SymbolKind
from .terms import Vector

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def ranked_functions(
    evaluations: Sequence[Evaluation], analyses: Mapping[str, FileAnalysis], shares: Mapping[str, Vector]
) -> list[str]:
    """``path:qualified.name`` of functions and methods, likeliest first.

    A function's chance is its file's probability times its chunks' share of the file.
    """
    chances: dict[str, float] = {}
    for e in evaluations:
        if e.path not in analyses:
            continue
        structure = analyses[e.path].structure
        functions = {s.qualified for s in structure.symbols if s.kind in _FUNCTIONS}
        for chunk, share in zip(structure.chunks, shares[e.path].tolist(), strict=True):
            if chunk.symbol in functions:
                key = f"{e.path}:{chunk.symbol}"
                chances[key] = chances.get(key, 0.0) + max(e.probability, 1e-4) * share
    return sorted(chances, key=lambda k: (-chances[k], k))
