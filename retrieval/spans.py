"""Where in a file the change probably is: a share for each chunk.

Chunks are weighed twice by the same weights: first by what the task says of each alone, then also by how likely their
neighbours in the graph of chunks came out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..state.analysis import FileAnalysis
from ..state.genome import RetrievalGenome
from ..state.routing import Format
from .chunk_graph import GRAPH_SIGNALS, ChunkGraph, chunk_graph, neighbour_columns
from .chunk_names import NAME_SIGNALS, STRENGTH, NameReader
from .chunk_words import ChunkWords, chunk_words
from .lexical_signals import bm25_chunks
from .matching import Matches, match
from .signals import Scene
from .terms import Vector

OWN_SIGNALS = (
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
    "chunk_says_title",
    "chunk_says_all",
    "chunk_coverage",
    "chunk_literal",
    *NAME_SIGNALS,
)
"""What the task says of a chunk alone."""
CHUNK_SIGNALS = (*OWN_SIGNALS, *GRAPH_SIGNALS)
_DEFINITION_LEAD = 8.0  # more than all signals together


def chunk_chances(
    scene: Scene,
    analyses: Mapping[str, FileAnalysis],
    genome: RetrievalGenome,
    package: Format = "spans",
    probabilities: Mapping[str, float] | None = None,
) -> dict[str, Vector]:
    """Path -> (n_chunks,), the chance of each chunk to hold the change if the file does; sums to 1.

    With the format "definitions", chunks that define a name of the task come before all others.

    Args:
        scene: the task against the workspace.
        analyses: the files.
        genome: its ``chunk_weights``.
        package: the profile's format.
        probabilities: how likely each file holds the change, for what crosses files; None when all are alike.
    """
    values = chunk_signals(scene, analyses)
    graph = chunk_graph({p: analyses[p] for p in values})
    likely = {p: (probabilities or {}).get(p, 0.01 if probabilities else 1.0) for p in values}
    scores = weighed_chunks(values, graph, likely, genome.chunk_weights)
    chances: dict[str, Vector] = {}
    for path, own in scores.items():
        if package == "definitions":
            own = own + _DEFINITION_LEAD * (values[path][:, OWN_SIGNALS.index("chunk_named")] > 0)
        chances[path] = _shares(own).astype(np.float32)
    return chances


def weighed_chunks(
    values: Mapping[str, np.ndarray], graph: ChunkGraph, likely: Mapping[str, float], weights: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """Path -> (n_chunks,), the scores of its chunks after the second look.

    Args:
        values: path -> (n_chunks, n_own), the columns of OWN_SIGNALS.
        graph: of the same files, in the same order.
        likely: path -> how likely the file holds the change.
        weights: signal -> weight.
    """
    second = np.array([weights.get(n, 0.0) for n in GRAPH_SIGNALS])
    beside = neighbour_signals(values, graph, likely, weights)
    return {path: scores + beside[path] @ second for path, scores in _first_look(values, weights).items()}


def neighbour_signals(
    values: Mapping[str, np.ndarray], graph: ChunkGraph, likely: Mapping[str, float], weights: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """Path -> (n_chunks, n_graph), the columns of GRAPH_SIGNALS after a first look; see weighed_chunks."""
    columns = neighbour_columns(graph, _chances(_first_look(values, weights), likely))
    return {path: columns[graph.files[path]] for path in values}


def _first_look(values: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> dict[str, np.ndarray]:
    vector = np.array([weights.get(n, 0.0) for n in OWN_SIGNALS])
    return {path: own @ vector for path, own in values.items()}


def _chances(scores: Mapping[str, np.ndarray], likely: Mapping[str, float]) -> np.ndarray:
    """(m,): the chances of all chunks, one file after another."""
    parts = [likely[path] * _shares(own) for path, own in scores.items()]
    return np.concatenate(parts) if parts else np.zeros(0)


def _shares(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(initial=-np.inf)) if len(scores) else scores
    return powers / powers.sum() if len(scores) else powers


def chunk_signals(scene: Scene, analyses: Mapping[str, FileAnalysis]) -> dict[str, np.ndarray]:
    """Path -> (n_chunks, n_own), the columns of OWN_SIGNALS; the first four are scaled within the file."""
    paths = sorted(analyses)
    found = match(paths, [analyses[p] for p in paths], scene.query)
    sections = _section_scores(scene, found)
    words, names = chunk_words(scene.query, found, scene.knobs), NameReader(scene.task, scene.definers)
    out: dict[str, np.ndarray] = {}
    for i, path in enumerate(paths):
        rows = slice(int(found.starts[i]), int(found.starts[i + 1]))
        columns = [_scaled(sections[s][rows]) for s in ("title", "prose", "code", "all")]
        columns += [*_structure_columns(scene, path, analyses[path], names), *_word_columns(words, rows)]
        out[path] = (
            np.concatenate([np.stack(columns, axis=1), names.columns(path, analyses[path])], axis=1)
            if rows.stop > rows.start
            else np.zeros((0, len(OWN_SIGNALS)))
        )
    return out


def _section_scores(scene: Scene, found: Matches) -> dict[str, Vector]:
    saturated = bm25_chunks(found, scene.knobs)
    return {s: saturated @ (scene.query.idf * scene.query.weights[s]) for s in ("title", "prose", "code", "all")}


def _word_columns(words: ChunkWords, rows: slice) -> list[np.ndarray]:
    return [words.title[rows], words.all[rows], words.coverage[rows], words.literal[rows]]


def _structure_columns(scene: Scene, path: str, analysis: FileAnalysis, names: NameReader) -> list[np.ndarray]:
    """Named symbol, name words in the title, log length, class header or preamble, first chunk, a frame's line."""
    chunks = analysis.structure.chunks
    frames = [f.line for f in scene.task.frames if f"/{f.path}".endswith("/" + path.rpartition("/")[2])]
    functions = {f.function for f in scene.task.frames if f.function}
    kinds = {s.qualified: s.kind for s in analysis.structure.symbols}
    named, framed = [], []
    for chunk in chunks:
        name = chunk.symbol.rpartition(".")[2]
        named.append(
            max(
                STRENGTH.get(scene.task.symbols.get(name, ""), 0.0),
                float(any(d.endswith(chunk.symbol) and "." in chunk.symbol for d in scene.task.dotted)),
            )
        )
        framed.append(float(any(chunk.first <= line <= chunk.last for line in frames) or name in functions))
    return [
        np.array(named),
        np.array([names.title_share(c) for c in chunks]),
        np.array([np.log1p(c.last - c.first + 1) for c in chunks]),
        np.array([kinds.get(c.symbol) == "class" or not c.symbol for c in chunks], dtype=float),
        np.array([i == 0 for i in range(len(chunks))], dtype=float),
        np.array(framed),
    ]


def _scaled(scores: Vector) -> np.ndarray:
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else np.zeros(len(scores))
