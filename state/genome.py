"""The ``retrieval`` genome: every weight, threshold and constant of the offline loop, each within its bounds."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

Weight = Annotated[float, Field(ge=-12.0, le=12.0)]
Knot = Annotated[list[float], Field(min_length=2, max_length=2)]


class RetrievalGenome(BaseModel):
    """Layer ``retrieval``.

    weights: signal -> weight of the linear model (a signal without one counts nothing). chunk_weights: likewise for
    chunks within a file. calibration: knots (log-odds of the softmax share, probability), rising. rubric: knots
    (log10 probability, relevance), rising. coverage_ceiling: knots (support, highest relevance), rising: a file that
    speaks of nothing in the task cannot be relevant, however it compares with others. sufficiency: weights of a
    logistic model of the chance that the package holds every file ("bias", "lead", "spread", "last", "best").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    k1: float = Field(default=1.2, ge=0.1, le=4.0, description="BM25 term saturation.")
    b: float = Field(default=0.75, ge=0.0, le=1.0, description="BM25 length normalisation of files.")
    b_chunk: float = Field(default=0.75, ge=0.0, le=1.0, description="BM25 length normalisation of chunks.")
    path_weight: float = Field(default=4.0, ge=0.0, le=20.0, description="BM25F weight of the path.")
    definitions_weight: float = Field(default=3.0, ge=0.0, le=20.0, description="BM25F weight of defined names.")
    rrf_k: int = Field(default=60, ge=1, le=200, description="Constant of reciprocal rank fusion.")
    max_terms: int = Field(default=200, ge=16, le=400, description="Most terms of a query.")
    past_commits: int = Field(default=60, ge=0, le=500, description="Similar commits that vote.")
    recency_half_life_days: float = Field(
        default=120.0, ge=1.0, le=3650.0, description="After which a change counts half."
    )
    learned_words: int = Field(default=12, ge=0, le=48, description="Words that refine may add in a cycle.")
    weights: dict[str, Weight] = Field(default_factory=dict)
    chunk_weights: dict[str, Weight] = Field(default_factory=dict)
    calibration: list[Knot] = Field(default=[[-9.0, 0.001], [0.0, 0.5], [9.0, 0.999]], min_length=2)
    rubric: list[Knot] = Field(
        default=[[-4.0, 0.0], [-2.0, 0.2], [-1.3, 0.5], [-1.0, 0.7], [-0.5, 0.8], [0.0, 1.0]], min_length=2
    )
    coverage_ceiling: list[Knot] = Field(default=[[0.0, 0.1], [0.2, 0.5], [0.4, 1.0]], min_length=2)
    highly_relevant: float = Field(default=0.7, ge=0.0, le=1.0, description="Relevance that counts as found.")
    related: float = Field(default=0.5, ge=0.0, le=1.0, description="Relevance that refine learns from.")
    irrelevant: float = Field(
        default=0.2, ge=0.0, le=1.0, description="Relevance below which a file is left out of later cycles."
    )
    packed: float = Field(default=0.2, ge=0.0, le=1.0, description="Relevance that enters the package.")
    wanted: int = Field(default=3, ge=1, le=10, description="Highly relevant finds that are enough.")
    sufficiency: dict[str, Weight] = Field(default_factory=dict)
    sufficient_confidence: float = Field(
        default=0.92, ge=0.0, le=1.0, description="How sure the graph must be that the package holds every file."
    )
    llm_planner: float = Field(
        default=0.8, ge=0.0, le=4.0, description="Weight of what a language model proposed to look for; unused offline."
    )
    llm_evaluator: float = Field(
        default=4.0, ge=0.0, le=8.0, description="What a language model's first pick adds to a score; unused offline."
    )
    llm_rubric: float = Field(
        default=1.0, ge=0.0, le=8.0, description="What a language model's best grade adds to a score; unused offline."
    )

    LATER: ClassVar[frozenset[str]] = frozenset({"llm_planner", "llm_evaluator", "llm_rubric"})
    """Genes that came after genomes were stored: at their defaults they do not enter the hash."""

    @field_validator("calibration", "rubric", "coverage_ceiling")
    @classmethod
    def _rising(cls, knots: list[list[float]]) -> list[list[float]]:
        xs, ys = [k[0] for k in knots], [k[1] for k in knots]
        if any(b <= a for a, b in pairwise(xs)) or any(b < a for a, b in pairwise(ys)):
            raise ValueError("knots must rise in x, and must not fall in y")
        if not all(math.isfinite(x) for x in xs) or not all(0.0 <= y <= 1.0 for y in ys):
            raise ValueError("knots must be finite, and their y between 0 and 1")
        return knots
