"""From signals of chunks to judgement: the loop's own linear model, calibrated for answers instead of edits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...state.genome import RetrievalGenome
from ..relevance import Floats, Judgement, falling, interpolate, linear_scores, log_odds, scaled, softmax
from .question import Question
from .signals import PassageTable

_CHANCE = 0.35
"""Similarity that chunks of the same subject reach without answering."""


def judge_passages(
    question: Question, table: PassageTable, scales: Mapping[str, float], genome: RetrievalGenome
) -> Judgement:
    """Score, probability and relevance of every chunk of the table.

    Args:
        question: the question.
        table: the signals.
        scales: from :func:`..relevance.scales_of`.
        genome: weights, calibration and rubric of a documentation domain.
    """
    scores = linear_scores(scaled(table, scales), table.names, genome.weights)
    probability = interpolate(log_odds(softmax(scores)), genome.calibration)
    graded = interpolate(np.log10(np.maximum(probability, 1e-6)), genome.rubric)
    ceiling = interpolate(_support(question, table), genome.coverage_ceiling)
    return Judgement(scores, probability, falling(np.minimum(graded, ceiling), scores, table.paths))


def _support(question: Question, table: PassageTable) -> Floats:
    """(n,): how far a chunk speaks of the question at all, in its words, in learned words, or in meaning."""
    learned = table.column("learned").astype(np.float64)
    taught = learned / learned.max() if learned.size and learned.max() > 0 else learned
    worded = table.column("coverage_question").astype(np.float64) * question.known
    similar = table.column("vector_chunk").astype(np.float64)
    meant = np.clip((similar - _CHANCE) / (1.0 - _CHANCE), 0.0, 1.0)
    support: Floats = np.maximum.reduce([worded, 0.5 * taught, meant])
    return support
