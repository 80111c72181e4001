"""The plan as evidence: three signals of what was proposed, beside those of the task's own words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...state.advice import Plan
from ...state.analysis import FileAnalysis
from ...state.genome import RetrievalGenome
from ..lexical_signals import FieldWeights, bm25f
from ..matching import match
from ..terms import QueryTerms, Vector, keyword_terms

__all__ = ["PLANNED", "PlannedEvidence", "planned_evidence", "planned_genome"]

PLANNED = ("planned_names", "planned_paths", "planned_words")
"""planned_names: defines proposed identifiers, rare ones more. planned_paths: is meant by a proposed path or glob.
planned_words: BM25F of the proposed identifiers and words."""


@dataclass(frozen=True)
class PlannedEvidence:
    """A plan measured against a code base. rarity: name -> 1 for a name that one file defines, less for more."""

    terms: QueryTerms
    rarity: Mapping[str, float]
    paths: Mapping[str, float]
    mean_length: float
    knobs: FieldWeights

    def columns(self, paths: Sequence[str], analyses: Sequence[FileAnalysis]) -> dict[str, Vector]:
        """Signal -> (n_files,), unscaled."""
        words = bm25f(match(paths, analyses, self.terms), self.mean_length, self.knobs) @ self.terms.idf
        names = [sum(self.rarity.get(n, 0.0) for n in {s.name for s in a.structure.symbols}) for a in analyses]
        return {
            "planned_names": np.array(names, dtype=np.float32),
            "planned_paths": np.array([self.paths.get(p, 0.0) for p in paths], dtype=np.float32),
            "planned_words": words.astype(np.float32),
        }


def planned_evidence(
    plan: Plan,
    frequency: Callable[[str], int],
    defined: Callable[[str], int],
    n_documents: int,
    mean_length: float,
    knobs: FieldWeights,
) -> PlannedEvidence | None:
    """The evidence of a plan; None for an empty one, so that nothing changes.

    Args:
        plan: what was proposed and confirmed.
        frequency: in how many files a term stands.
        defined: how many files define a name.
        n_documents: size of the corpus.
        mean_length: mean number of parts of a file.
        knobs: BM25F's weights.
    """
    if not plan:
        return None
    definers = {name: defined(name) for name in plan.names}
    rarity = {name: 1.0 / (1.0 + math.log2(n)) ** 2 for name, n in definers.items() if n}
    terms = keyword_terms(plan.terms, frequency, n_documents)
    return PlannedEvidence(terms, rarity, plan.paths, mean_length, knobs)


def planned_genome(genome: RetrievalGenome, plan: Plan) -> RetrievalGenome:
    """The genome with weights for the plan's signals; itself for an empty plan."""
    if not plan:
        return genome
    weight = genome.llm_planner * plan.weight
    return genome.model_copy(update={"weights": {**genome.weights, **dict.fromkeys(PLANNED, weight)}})
