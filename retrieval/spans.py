"""Where in a file the change probably is: a share for each chunk."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..state.analysis import FileAnalysis
from ..state.genome import RetrievalGenome
from ..state.routing import Format
from .lexical_signals import FieldWeights
from .matching import Matches, match
from .signals import Scene
from .terms import Vector
from .text import content_terms

CHUNK_SIGNALS = (
    "chunk_title",
    "chunk_prose",
    "chunk_code",
    "chunk_all",
    "chunk_named",
    "chunk_name_title",
    "chunk_length",
    "chunk_header",
    "chunk_first",
    "chunk_framed",
)
_DEFINITION_LEAD = 8.0  # more than all signals together


def chunk_chances(
    scene: Scene, analyses: Mapping[str, FileAnalysis], genome: RetrievalGenome, package: Format = "spans"
) -> dict[str, Vector]:
    """Path -> (n_chunks,), the chance of each chunk to hold the change if the file does; sums to 1.

    With the format "definitions", chunks that define a name of the task come before all others.
    """
    weights = np.array([genome.chunk_weights.get(n, 0.0) for n in CHUNK_SIGNALS])
    chances: dict[str, Vector] = {}
    for path, values in chunk_signals(scene, analyses).items():
        scores = values @ weights
        if package == "definitions":
            scores = scores + _DEFINITION_LEAD * (values[:, CHUNK_SIGNALS.index("chunk_named")] > 0)
        powers = np.exp(scores - scores.max(initial=-np.inf)) if len(scores) else scores
        chances[path] = (powers / powers.sum()).astype(np.float32) if len(scores) else powers.astype(np.float32)
    return chances


def chunk_signals(scene: Scene, analyses: Mapping[str, FileAnalysis]) -> dict[str, np.ndarray]:
    """Path -> (n_chunks, n_signals), the columns of CHUNK_SIGNALS, scaled within the file."""
    paths = sorted(analyses)
    found = match(paths, [analyses[p] for p in paths], scene.query)
    sections = _section_scores(scene, found)
    out: dict[str, np.ndarray] = {}
    for i, path in enumerate(paths):
        rows = slice(int(found.starts[i]), int(found.starts[i + 1]))
        columns = [_scaled(sections[s][rows]) for s in ("title", "prose", "code", "all")]
        out[path] = (
            np.stack([*columns, *_structure_columns(scene, path, analyses[path])], axis=1)
            if rows.stop > rows.start
            else np.zeros((0, len(CHUNK_SIGNALS)))
        )
    return out


def _section_scores(scene: Scene, found: Matches) -> dict[str, Vector]:
    knobs: FieldWeights = scene.knobs
    norm = 1 - knobs.b_chunk + knobs.b_chunk * found.chunk_lengths / knobs.mean_chunk
    saturated = found.chunks * (knobs.k1 + 1) / (found.chunks + knobs.k1 * norm[:, None])
    return {s: saturated @ (scene.query.idf * scene.query.weights[s]) for s in ("title", "prose", "code", "all")}


def _structure_columns(scene: Scene, path: str, analysis: FileAnalysis) -> list[np.ndarray]:
    """Named symbol, name words in the title, log length, class header or preamble, first chunk, a frame's line."""
    chunks = analysis.structure.chunks
    title = set(content_terms(scene.task.title).parts)
    frames = [f.line for f in scene.task.frames if f"/{f.path}".endswith("/" + path.rpartition("/")[2])]
    functions = [
        c.symbol.rpartition(".")[2]
        for f in scene.task.frames
        for c in chunks
        if f.function and c.symbol.rpartition(".")[2] == f.function
    ]
    kinds = {s.qualified: s.kind for s in analysis.structure.symbols}
    strength = {"title": 1.0, "quoted": 1.0, "prose": 0.8, "called": 0.6, "code": 0.5, "trace": 0.6}
    named, worded, framed = [], [], []
    for chunk in chunks:
        name = chunk.symbol.rpartition(".")[2]
        named.append(
            max(
                strength.get(scene.task.symbols.get(name, ""), 0.0),
                float(any(d.endswith(chunk.symbol) and "." in chunk.symbol for d in scene.task.dotted)),
            )
        )
        words = set(content_terms(name).parts)
        worded.append(len(words & title) / len(words) if words else 0.0)
        framed.append(float(any(chunk.first <= line <= chunk.last for line in frames) or name in functions))
    return [
        np.array(named),
        np.array(worded),
        np.array([np.log1p(c.last - c.first + 1) for c in chunks]),
        np.array([kinds.get(c.symbol) == "class" or not c.symbol for c in chunks], dtype=float),
        np.array([i == 0 for i in range(len(chunks))], dtype=float),
        np.array(framed),
    ]


def _scaled(scores: Vector) -> np.ndarray:
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else np.zeros(len(scores))
