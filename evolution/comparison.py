"""A candidate beside the active genome on the same queries: differences, their mean, and what got worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Self

from ..state.evolution import EvalQuery, EvalResult, PairedDifference, Pool, QueryOutcome, SliceCheck
from .checks import CheckPolicy, anchor_checks, objective_checks, slice_checks
from .statistics import paired_difference, standard_error

__all__ = ["Arm", "Comparison", "compare", "outcomes"]

_SHOWN = 2000  # characters of an answer in the report, as in EvalResult


@dataclass(frozen=True, slots=True)
class Arm:
    """What was measured of one genome in one pool.

    scores: query id -> judgements of 0 to 10, one a repeat; unmeasured queries are absent. objectives: name -> query
    id -> value. responses: query id -> answer.
    """

    genome_hash: str
    scores: Mapping[str, Sequence[float]]
    objectives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    responses: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, genome_hash: str, results: Sequence[EvalResult], pool: Pool) -> Self:
        """The arm of a genome out of rows of the ledger; other genomes and pools are passed over."""
        own = [r for r in results if r.genome_hash == genome_hash and r.pool == pool]
        scores: dict[str, list[float]] = defaultdict(list)
        values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        responses: dict[str, str] = {}
        for result in sorted(own, key=lambda r: (r.query_id, r.repeat)):
            if result.judge_score is not None:
                scores[result.query_id].append(result.judge_score)
            for name, value in result.objectives.items():
                values[name][result.query_id].append(value)
            responses.setdefault(result.query_id, result.response)
        means = {name: {query: fmean(found) for query, found in by.items()} for name, by in values.items()}
        return cls(genome_hash, dict(scores), means, responses)

    def means(self) -> dict[str, float]:
        """Query id -> mean of its judgements."""
        return {query: fmean(judgements) for query, judgements in self.scores.items() if len(judgements)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate against the active genome.

    differences: query id -> candidate minus active, where both were measured. error: cluster-robust standard error of
    the mean. unmeasured: ids of queries that one or both lack. clusters: how many independent ones were measured.
    """

    candidate: Arm
    differences: dict[str, float]
    difference: PairedDifference
    error: float
    unmeasured: list[str]
    clusters: int
    checks: list[SliceCheck]

    @property
    def worse(self) -> list[SliceCheck]:
        """The checks that failed."""
        return [check for check in self.checks if check.worse]


def compare(
    active: Arm, candidate: Arm, queries: Sequence[EvalQuery], policy: CheckPolicy, confidence: float = 0.9
) -> Comparison:
    """The comparison on these queries; what was measured on others is not looked at."""
    old, new = active.means(), candidate.means()
    measured = [query for query in queries if query.id in old and query.id in new]
    differences = {query.id: new[query.id] - old[query.id] for query in measured}
    values, clusters = list(differences.values()), [query.cluster for query in measured]
    return Comparison(
        candidate=candidate,
        differences=differences,
        difference=paired_difference(values, clusters, confidence=confidence),
        error=standard_error(values, clusters),
        unmeasured=[query.id for query in queries if query.id not in differences],
        clusters=len({query.cluster or query.id for query in measured}),
        checks=[
            *slice_checks(measured, differences, policy, confidence),
            *objective_checks(queries, active.objectives, candidate.objectives, policy, confidence),
            *anchor_checks(measured, differences, policy),
        ],
    )


def outcomes(
    active: Arm, comparison: Comparison, queries: Sequence[EvalQuery], policy: CheckPolicy
) -> list[QueryOutcome]:
    """The measured queries with both scores and answers, worst difference first, ties by id."""
    old, new = active.means(), comparison.candidate.means()
    measured = [query for query in queries if query.id in comparison.differences]
    return [
        QueryOutcome(
            query_id=query.id,
            query=query.text,
            slice=query.slice,
            active_score=old[query.id],
            candidate_score=new[query.id],
            active_response=active.responses.get(query.id, "")[:_SHOWN],
            candidate_response=comparison.candidate.responses.get(query.id, "")[:_SHOWN],
            flags=_flags(query, comparison.differences[query.id], policy),
        )
        for query in sorted(measured, key=lambda q: (comparison.differences[q.id], q.id))
    ]


def _flags(query: EvalQuery, difference: float, policy: CheckPolicy) -> list[str]:
    """What catches the eye: "anchor", "regressed"."""
    return ["anchor"] * query.anchor + ["regressed"] * (difference < -policy.anchor_margin)
