"""Everything that the page of a genome shows, read from the ledger."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...state.errors import NotAllowed, UnknownGenome
from ...state.evolution import (
    METRICS,
    Decision,
    EvalResult,
    GateReport,
    GenomeRecord,
    GenomeStatus,
    QueryOutcome,
)
from ...state.ledger_ports import Ledger, Submission
from .auth import PanelUser
from .gene_changes import GeneChange, gene_changes
from .people import plain
from .plots import DifferencePlot, GenerationPlot, difference_plot, generation_plot
from .risks import Risk, risks_of

SHOWN = 40
"""Queries of the table unless all are asked for."""

_MOST_GENOMES = 1000
_BIGGEST = 2**31 - 1  # of an id in PostgreSQL


@dataclass(frozen=True)
class Judged:
    """What the judge said of one answer: metric -> mean over repeats, None when unmeasured; reasons of all repeats."""

    metrics: Mapping[str, float | None]
    reasons: list[str]


@dataclass(frozen=True)
class QueryRow:
    """One query of the confirm pool; a side without stored results has no judgement."""

    outcome: QueryOutcome
    difference: float
    active: Judged | None
    candidate: Judged | None


@dataclass(frozen=True)
class Review:
    """A genome and all that is known about it.

    baseline: what it is compared with on the page. compared: what the gate compared it with, if it is still there.
    slice_names: of all queries; rows: of the slice that was asked for, worst first; hidden: how many more there are.
    """

    genome: GenomeRecord
    active: GenomeRecord | None
    baseline: GenomeRecord | None
    compared: GenomeRecord | None
    baselines: list[GenomeRecord]
    submission: Submission | None
    report: GateReport | None
    decisions: list[Decision]
    lineage: list[GenomeRecord]
    changes: list[GeneChange]
    risks: list[Risk]
    slice_names: list[str]
    rows: list[QueryRow]
    hidden: int
    differences: DifferencePlot | None
    generations: GenerationPlot | None


def read_review(
    ledger: Ledger, genome_id: int, baseline: int | None = None, slice_name: str | None = None, every: bool = False
) -> Review:
    """The review of a genome.

    Args:
        ledger: where it is kept.
        genome_id: whose.
        baseline: id of the genome to compare with; None for what the gate compared it with, else the active one.
        slice_name: the queries to list; None for all slices.
        every: list all queries and not only the worst.

    Raises:
        UnknownGenome: there is no such genome, or no such baseline in its layer and domain.
    """
    genome = genome_of(ledger, genome_id)
    family = ledger.genomes(genome.layer, genome.domain, limit=_MOST_GENOMES)
    submission = ledger.submission(genome_id) if genome.submitted else None
    report = submission.report if submission else _cycle_report(ledger, genome)
    active = ledger.active(genome.layer, genome.domain)
    lineage = ledger.lineage(genome_id)
    compared = next((g for g in family if report and g.genome_hash == report.active_hash), None)
    usual = _usual_baseline(genome, compared, active, lineage)
    base = _baseline(ledger, genome, baseline) or usual
    rows = query_rows(ledger, genome, compared, report)
    wanted = [row for row in rows if slice_name is None or row.outcome.slice == slice_name]
    return Review(
        genome=genome,
        active=active,
        baseline=base,
        compared=compared,
        baselines=[g for g in family if g.id != genome.id][:200],
        submission=submission,
        report=report,
        decisions=ledger.decisions(genome_id, reports=False),
        lineage=lineage,
        changes=gene_changes(base, genome) if base else [],
        risks=risks_of(genome, usual, report, _seen_by_generator(ledger, lineage)),  # no address may hide a risk
        slice_names=sorted({row.outcome.slice for row in rows}),
        rows=wanted if every else wanted[:SHOWN],
        hidden=0 if every else max(0, len(wanted) - SHOWN),
        differences=difference_plot(report.queries, report.difference) if report else None,
        generations=generation_plot(family, genome, lineage),
    )


def genome_of(ledger: Ledger, genome_id: int) -> GenomeRecord:
    """The genome of that id, however long the number in the address.

    Raises:
        UnknownGenome: there is none.
    """
    if not 0 < genome_id <= _BIGGEST:
        raise UnknownGenome(f"no genome {str(genome_id)[:20]} in the ledger")
    return ledger.genome(genome_id)


def query_rows(
    ledger: Ledger, genome: GenomeRecord, compared: GenomeRecord | None, report: GateReport | None
) -> list[QueryRow]:
    """The queries of the report with what the judge said, the worst for the candidate first."""
    if report is None:
        return []
    candidate = judgements(ledger.results(genome.id, "confirm"))
    active = judgements(ledger.results(compared.id, "confirm")) if compared else {}
    rows = [
        QueryRow(o, o.candidate_score - o.active_score, active.get(o.query_id), candidate.get(o.query_id))
        for o in report.queries
    ]
    return sorted(rows, key=lambda row: (row.difference, row.outcome.query_id))


def judgements(results: Sequence[EvalResult]) -> dict[str, Judged]:
    """Query id -> what the judge of most of the results said; others' scores would not be on the same scale."""
    judges = Counter((result.judge, result.judge_version) for result in results)
    if not judges:
        return {}
    main = max(judges, key=lambda judge: (judges[judge], judge))
    by_query: dict[str, list[EvalResult]] = defaultdict(list)
    for result in results:
        if (result.judge, result.judge_version) == main:
            by_query[result.query_id].append(result)
    return {query: _judged(repeats) for query, repeats in by_query.items()}


def barrier(review: Review, user: PanelUser, now: float) -> str:
    """Why this person cannot decide about the genome, as the key ``barrier.<...>`` of a text; '' when they can.

    "requester" keeps from approving only: who asked may withdraw.
    """
    if review.submission is None or review.genome.status is not GenomeStatus.PENDING_APPROVAL:
        return "not_pending"
    if not user.role.decides:
        return "viewer"
    if review.submission.expires <= now:
        return "expired"
    return "requester" if is_requester(review.submission, user) else ""


def is_requester(submission: Submission, user: PanelUser) -> bool:
    """Whether this person asked for the genome."""
    return plain(user.username) in {plain(name) for name in submission.requesters}


def demand_decider(submission: Submission, user: PanelUser, approving: bool) -> None:
    """Raises NotAllowed unless this person may decide what was submitted; who asked for it may only turn it down."""
    if not user.role.decides:
        raise NotAllowed(f"{user.username} is a {user.role}; only a reviewer or admin may decide")
    if approving and is_requester(submission, user):
        raise NotAllowed(
            f"{user.username} asked for genome {submission.genome.id} and cannot approve it; another person must, or "
            "withdraw it"
        )


def _judged(repeats: Sequence[EvalResult]) -> Judged:
    means = {name: _mean([result.metrics.get(name) for result in repeats]) for name in METRICS}
    return Judged(means, [result.judge_reasoning for result in repeats if result.judge_reasoning])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _cycle_report(ledger: Ledger, genome: GenomeRecord) -> GateReport | None:
    """What the gate said of a genome that no person was asked about."""
    report = ledger.report(genome.cycle) if genome.cycle else None
    return report if report and report.candidate_hash == genome.genome_hash else None


def _baseline(ledger: Ledger, genome: GenomeRecord, baseline: int | None) -> GenomeRecord | None:
    if baseline is None:
        return None
    found = genome_of(ledger, baseline)
    if (found.layer, found.domain) != (genome.layer, genome.domain):
        raise UnknownGenome(
            f"genome {found.id} belongs to {found.layer} of {found.domain}; compare within {genome.layer} of "
            f"{genome.domain}"
        )
    return found


def _usual_baseline(
    genome: GenomeRecord, compared: GenomeRecord | None, active: GenomeRecord | None, lineage: Sequence[GenomeRecord]
) -> GenomeRecord | None:
    """What the gate compared it with, else the active genome, else its parent: the first that is another one."""
    pending = genome.status is GenomeStatus.PENDING_APPROVAL
    order = [active, compared] if pending else [compared, active]
    return next((g for g in [*order, *lineage] if g is not None and g.id != genome.id), None)


def _seen_by_generator(ledger: Ledger, lineage: Sequence[GenomeRecord]) -> list[EvalResult]:
    """Results of the mutate pool of a genome's parents."""
    return [result for parent in lineage[1:3] for result in ledger.results(parent.id, "mutate")]
