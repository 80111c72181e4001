"""What of a file a model is shown: the lines that hold most of the task's words, and names; never its skeleton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...state.analysis import FileAnalysis
from ...state.source import Chunk
from ..signals import Scene
from ..terms import QueryTerms, Vector
from ..text import analyse, unique
from .listing import Row

__all__ = ["evidence_lines", "row_of", "term_values"]

_LINES = 2
_CHUNKS = 2
_LONGEST_LINE = 400  # characters; longer ones are data
_SYMBOLS = 4


def row_of(
    scene: Scene, path: str, analysis: FileAnalysis, chances: Vector, text: str, values: Mapping[str, float]
) -> Row:
    """The row of one candidate.

    Args:
        scene: the request.
        path: the file.
        analysis: of the file.
        chances: (n_chunks,), where in the file the task points.
        text: of the file; '' shows no lines.
        values: from :func:`term_values`.
    """
    best = sorted(range(len(chances)), key=lambda i: (-float(chances[i]), i))[:_CHUNKS]
    chunks = [analysis.structure.chunks[i] for i in best]
    named = scene.rows[path].named.names if path in scene.rows else []
    symbols = unique([*named[:_SYMBOLS], *(c.symbol for c in chunks if c.symbol)])[:_SYMBOLS]
    return Row(path, symbols, evidence_lines(text, chunks, values))


def evidence_lines(
    text: str, chunks: Sequence[Chunk], values: Mapping[str, float], most: int = _LINES
) -> list[tuple[int, str]]:
    """The lines of these chunks that hold most of the task's words, in line order; words count once."""
    lines = text.split("\n")
    worth: dict[int, float] = {}
    told: dict[int, set[str]] = {}
    for number in dict.fromkeys(n for c in chunks for n in range(c.first, min(c.last, len(lines)) + 1)):
        line = lines[number - 1]
        terms = {t for t in analyse(line[:_LONGEST_LINE]).parts if t in values} if line.strip() else set()
        if terms:
            told[number], worth[number] = terms, sum(values[t] for t in terms)
    chosen: list[int] = []
    heard: set[str] = set()
    while worth and len(chosen) < most:
        best = max(worth, key=lambda n: (sum(values[t] for t in told[n] - heard), worth[n], -n))
        if not told[best] - heard:
            break
        chosen.append(best)
        heard |= told[best]
        del worth[best]
    return [(n, lines[n - 1].strip()) for n in sorted(chosen)]


def term_values(query: QueryTerms) -> dict[str, float]:
    """Stem -> what it is worth on a line: its rarity, more when the title says it."""
    weights = query.idf * (query.weights["all"] > 0) * (1.0 + (query.weights["title"] > 0))
    pairs = zip(query.terms[: query.n_parts], weights[: query.n_parts].tolist(), strict=True)
    return {term: value for term, value in pairs if value > 0}
