"""All signals of a set of chunks, side by side: the table their relevance is computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...state.genome import RetrievalGenome
from .question import Question
from .views import ChunkView, DocumentView

Floats = NDArray[np.float32]

SIGNALS = (
    "bm25_body",  # BM25 of the chunk's text
    "bm25_heading",  # of its heading path
    "bm25_names",  # of its heading path, the names it defines, and the types around it
    "document_bm25",  # of the whole document
    "document_best",  # the best chunk of the document
    "neighbours_best",  # the better of the two chunks beside it
    "coverage_question",  # share of the question's information that text and heading hold
    "coverage_document",  # likewise, the whole document
    "coverage_heading",  # likewise, the heading path
    "coverage_precision",  # share of the heading's words that the question holds
    "pairs_question",  # neighbouring words of the question that are neighbours in the text
    "defines_question",  # names in the question that the chunk defines
    "vector_chunk",  # cosine of question and chunk
    "vector_document",  # the best cosine of the document
    "prior_first",  # the document begins here
    "learned",  # BM25 of the words that earlier cycles learned
    "graph_beside",  # stands beside a chunk that is likely to answer
)
"""The signals, in the table's order. Fitted weights stand in the ``retrieval`` genome of documentation."""

_HEADING_B = 0.3  # headings are short; their length says little
_NAMES_B = 0.5
_HEADING_LENGTH = 8.0  # terms of a usual heading path or list of names


@dataclass(frozen=True, slots=True)
class PassageTable:
    """values: (n_chunks, n_signals), float32, unscaled, in the order of paths (chunk keys) and names."""

    paths: list[str]
    names: list[str]
    values: Floats
    views: list[ChunkView]

    def column(self, name: str) -> Floats:
        """One signal over all chunks."""
        column: Floats = self.values[:, self.names.index(name)]
        return column


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the collection says.

    chunk_length, document_length: mean number of terms. cosines: chunk key -> similarity of its vector, 0 for unrelated
    texts, 1 for equal ones.
    """

    chunk_length: float
    document_length: float
    cosines: Mapping[str, float]


def passage_table(
    question: Question,
    keys: Sequence[str],
    documents: Mapping[str, DocumentView],
    around: Surroundings,
    genome: RetrievalGenome,
    learned: Mapping[str, float],
) -> PassageTable:
    """The signals of the given chunks.

    Args:
        question: the question.
        keys: chunk keys.
        documents: document id -> view, for every document of a key.
        around: lengths and cosines.
        genome: BM25's constants.
        learned: learned term -> weight.
    """
    rows: dict[str, list[float]] = {}
    views: dict[str, ChunkView] = {}
    wanted = set(keys)
    for view in documents.values():
        rows |= _document_rows(question, view, around, genome, learned, wanted)
        views |= {v.chunk.key: v for v in view.chunks if v.chunk.key in wanted}
    paths = sorted(rows)
    values = np.array([rows[p] for p in paths], dtype=np.float32).reshape(len(paths), len(SIGNALS))
    return PassageTable(paths, list(SIGNALS), values, [views[p] for p in paths])


def beside_likely(
    table: PassageTable, documents: Mapping[str, DocumentView], likely: Mapping[str, float]
) -> PassageTable:
    """The table with ``graph_beside`` filled in.

    Args:
        table: the signals.
        documents: document id -> view.
        likely: chunk key -> probability, of the chunks that are likeliest to answer.
    """
    values = table.values.copy()
    column = table.names.index("graph_beside")
    for row, view in enumerate(table.views):
        document = documents[view.chunk.document]
        place = document.place[view.chunk.key]
        near = document.chunks[max(0, place - 1) : place] + document.chunks[place + 1 : place + 2]
        values[row, column] = max((likely.get(v.chunk.key, 0.0) for v in near), default=0.0)
    return replace(table, values=values)


def _document_rows(
    question: Question,
    document: DocumentView,
    around: Surroundings,
    genome: RetrievalGenome,
    learned: Mapping[str, float],
    wanted: set[str],
) -> dict[str, list[float]]:
    """Chunk key -> its signals, for the wanted chunks of one document."""
    k1, b, weights, total = genome.k1, genome.b_chunk, question.weights, question.total
    bodies = [_bm25(weights, v.body, v.length, around.chunk_length, k1, b) for v in document.chunks]
    cosines = [around.cosines.get(v.chunk.key, 0.0) for v in document.chunks]
    whole = _bm25(weights, document.body, document.length, around.document_length, k1, b)
    covered = _held(weights, document.body)
    best, nearest = max(bodies, default=0.0), max(cosines, default=0.0)
    rows: dict[str, list[float]] = {}
    for i, view in enumerate(document.chunks):
        if view.chunk.key not in wanted:
            continue
        beside = [j for j in (i - 1, i + 1) if 0 <= j < len(bodies)]
        heading = sum(view.heading.values())
        rows[view.chunk.key] = [
            bodies[i],
            _bm25(weights, view.heading, heading, _HEADING_LENGTH, k1, _HEADING_B),
            _bm25(weights, view.names, sum(view.names.values()), _HEADING_LENGTH, k1, _NAMES_B),
            whole,
            best,
            max((bodies[j] for j in beside), default=0.0),
            _held(weights, view.body, view.heading) / total,
            covered / total,
            _held(weights, view.heading) / total,
            sum(t in weights for t in view.heading) / len(view.heading) if view.heading else 0.0,
            sum(_pair_weight(weights, p) for p in question.pairs if p in view.pairs) / (1.0 + total),
            float(len(question.names & view.defines)),
            cosines[i],
            nearest,
            float(i == 0),
            _bm25(learned, view.body, view.length, around.chunk_length, k1, b) if learned else 0.0,
            0.0,  # nobody is likely before the first judgement
        ]
    return rows


def _bm25(weights: Mapping[str, float], held: Counter[str], length: int, mean: float, k1: float, b: float) -> float:
    """BM25 of one field; ``weights`` are idf values."""
    norm = k1 * (1.0 - b + b * length / (mean or 1.0))
    return sum(w * n * (k1 + 1.0) / (n + norm) for t, w in weights.items() if (n := held.get(t, 0)))


def _held(weights: Mapping[str, float], *fields: Counter[str]) -> float:
    """The information of the terms that any of the fields holds."""
    return sum(w for t, w in weights.items() if any(t in f for f in fields))


def _pair_weight(weights: Mapping[str, float], pair: tuple[str, str]) -> float:
    return min(8.0, weights.get(pair[0], 1.0) + weights.get(pair[1], 1.0))
