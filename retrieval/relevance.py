"""From signals to judgement: a linear score, a calibrated probability, and relevance on the rubric.

The model is one weight a signal, read from the retrieval genome. Each signal is scaled by its maximum in the first
cycle, so weights compare; scores of one request compare across its cycles because the scale is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..state.genome import RetrievalGenome
from .signals import SignalTable

Floats = NDArray[np.float64]
UNSCALED = (
    "role_",
    "prior_",
    "coverage_",
    "stem_",
    "defines_qualified",
    "frame",
    "quoted_path",
    "dotted",
    "imported",
    "pairs_",
    "vector_",
    "graph_beside",
    "planned_paths",
)
"""Signals that are already between 0 and 1, or priors: their size means the same for every task."""
_DEMOTED = ("role_test", "role_doc")


class Table(Protocol):
    """Signals side by side. values: (n, n_signals), unscaled, in the order of paths and names."""

    @property
    def paths(self) -> Sequence[str]:
        """What the rows are about."""

    @property
    def names(self) -> Sequence[str]:
        """What the columns say."""

    @property
    def values(self) -> NDArray[Any]:
        """The signals."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Per file, in the table's order: score (higher is better), probability and relevance, each (n,)."""

    score: Floats
    probability: Floats
    relevance: Floats


def scales_of(table: Table, known: Mapping[str, float]) -> dict[str, float]:
    """Signal -> its scale: what an earlier cycle fixed, else its maximum now over the files that are not demoted.

    Tests and docs that read like the task would otherwise set the scale and flatten the differences between sources.
    """
    scales = dict(known)
    sources = table.values[:, [n in _DEMOTED for n in table.names]].sum(axis=1) == 0
    for column, name in enumerate(table.names):
        if not name.startswith(UNSCALED) and not scales.get(name):
            values = table.values[:, column]
            scales[name] = float(values[sources].max(initial=0.0)) or float(values.max(initial=0.0))
    return scales


def scaled(table: Table, scales: Mapping[str, float]) -> Floats:
    """(n_files, n_signals): the table, each scaled signal between 0 and 1.5."""
    values = table.values.astype(np.float64)
    for column, name in enumerate(table.names):
        scale = scales.get(name, 0.0)
        if not name.startswith(UNSCALED):
            values[:, column] = np.minimum(values[:, column] / scale, 1.5) if scale > 0 else 0.0
    return values


def linear_scores(values: Floats, names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """(n,): the weighted sum of the signals; a signal without a weight counts nothing."""
    vector = np.array([weights.get(n, 0.0) for n in names])
    scores: Floats = values @ vector
    return scores


def softmax(scores: Floats) -> Floats:
    """Scores as shares that sum to 1."""
    if not len(scores):
        return scores
    powers = np.exp(scores - scores.max())
    shares: Floats = powers / powers.sum()
    return shares


def interpolate(x: Floats, knots: Sequence[Sequence[float]]) -> Floats:
    """A monotone piecewise linear curve through ``knots`` (x, y), flat outside."""
    xs, ys = zip(*knots, strict=True)
    y: Floats = np.interp(x, xs, ys)
    return y


def judge(table: SignalTable, scales: Mapping[str, float], known: float, genome: RetrievalGenome) -> Judgement:
    """Score, probability and relevance of every file of the table.

    Args:
        table: the signals.
        scales: from :func:`scales_of`.
        known: share of the task's information whose words the corpus holds.
        genome: weights, calibration and rubric.
    """
    scores = linear_scores(scaled(table, scales), table.names, genome.weights)
    return judge_scores(scores, table, known, genome)


def judge_scores(scores: Floats, table: SignalTable, known: float, genome: RetrievalGenome) -> Judgement:
    """The judgement that goes with raw scores.

    Relevance follows the rubric: files that probably change are high, files that share the code base's own words for
    the task or stand next to a likely file are related. No file is more relevant than one that ranks before it.
    """
    probability = interpolate(log_odds(softmax(scores)), genome.calibration)
    graded = interpolate(np.log10(np.maximum(probability, 1e-6)), genome.rubric)
    related = 0.45 * _share(table.column("learned") * (graded < genome.highly_relevant)) + 0.25 * (_graph(table) > 0)
    relevance = np.maximum(graded, related)
    ceiling = interpolate(_support(table, known), genome.coverage_ceiling)
    return Judgement(scores, probability, falling(np.minimum(relevance, ceiling), scores, table.paths))


def _share(column: NDArray[np.float32]) -> Floats:
    """A column as shares of its maximum."""
    top = float(column.max(initial=0.0))
    shares: Floats = column.astype(np.float64) / top if top > 0 else column.astype(np.float64)
    return shares


def _graph(table: SignalTable) -> Floats:
    edges: Floats = np.sum(
        [table.column(n) for n in ("graph_imports", "graph_importers", "graph_siblings")], axis=0
    ).astype(np.float64)
    return edges


def falling(relevance: Floats, scores: Floats, paths: Sequence[str]) -> Floats:
    """Relevance with every value capped by those of better ranked files."""
    order = np.array(sorted(range(len(paths)), key=lambda i: (-scores[i], paths[i])), dtype=int)
    capped = relevance.copy()
    if len(order):
        capped[order] = np.minimum.accumulate(relevance[order])
    return capped


def weighted_evidence(
    table: SignalTable, i: int, scales: Mapping[str, float], genome: RetrievalGenome
) -> dict[str, float]:
    """Signal -> what it adds to the score of file ``i``."""
    row = SignalTable([table.paths[i]], table.names, table.values[i : i + 1], [table.rows[i]])
    return row_evidence(table.names, scaled(row, scales)[0], genome)


def row_evidence(names: Sequence[str], values: Floats, genome: RetrievalGenome) -> dict[str, float]:
    """Signal -> what a row of scaled values adds to its file's score."""
    return {n: v * genome.weights.get(n, 0.0) for n, v in zip(names, values.tolist(), strict=True) if v}


def log_odds(shares: Floats) -> Floats:
    """Shares between 0 and 1 as log-odds, clipped far out."""
    clipped = np.clip(shares, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(clipped / (1 - clipped))
    return odds


def _support(table: SignalTable, known: float) -> Floats:
    """(n,): how much of the task's title a file speaks of, as far as the corpus knows its words.

    Places that the task names, learned words and what a plan proposed count as full support.
    """
    covered = table.column("coverage_title").astype(np.float64) * known
    pointed = np.max(
        [table.column(n) for n in ("frame", "quoted_path", "dotted", "defines_title", "defines_quoted")], axis=0
    )
    learned = table.column("learned")
    taught = learned / learned.max() if learned.size and learned.max() > 0 else learned
    planned = [_share(table.column(n)) for n in table.names if n.startswith("planned_")]
    support: Floats = np.maximum.reduce([covered, np.minimum(1.0, pointed), taught, *planned]).astype(np.float64)
    return support
