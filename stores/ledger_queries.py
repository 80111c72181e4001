"""What is read from the ledger: results, lineage, epochs, submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, select

from ..state.errors import UnknownGenome
from ..state.evolution import EvalResult, GateReport, GenomeRecord, GenomeStatus
from ..state.ledger_ports import Submission
from .ledger_cycles import cycle_by_id, cycle_report
from .ledger_rows import (
    baseline_refusal,
    genome_by_hash,
    genome_by_id,
    genome_submission,
    genomes_where,
    requesters,
)
from .ledger_tables import IS_ACTIVE, GenomeRow, ProposalRow, ResultRow

_RESULT = select(*(getattr(ResultRow, name) for name in EvalResult.model_fields))


def results_of(
    tx: Connection, genome_id: int, pool: str | None, judge: str | None, judge_version: str | None
) -> list[EvalResult]:
    """Results of a genome by query, judge, version and repeat.

    Raises:
        UnknownGenome: there is no such genome.
    """
    genome_by_id(tx, genome_id)
    wanted = [(ResultRow.pool, pool), (ResultRow.judge, judge), (ResultRow.judge_version, judge_version)]
    conditions = [ResultRow.genome_id == genome_id, *(column == value for column, value in wanted if value is not None)]
    order = (ResultRow.query_id, ResultRow.judge, ResultRow.judge_version, ResultRow.repeat)
    rows = tx.execute(_RESULT.where(*conditions).order_by(*order))
    return [EvalResult.model_validate(dict(row._mapping)) for row in rows]


def listed(
    tx: Connection, layer: str | None, domain: str | None, status: GenomeStatus | None, cycle_id: str | None, limit: int
) -> list[GenomeRecord]:
    """Genomes that meet what is given, the newest first."""
    conditions: list[ColumnElement[bool]] = []
    if layer is not None:
        conditions.append(GenomeRow.layer == layer)
    if domain is not None:
        conditions.append(GenomeRow.domain == domain)
    if status is not None:
        conditions.append(GenomeRow.status == status.value)
    if cycle_id is not None:
        conditions.append(GenomeRow.id.in_(select(ProposalRow.genome_id).where(ProposalRow.cycle_id == cycle_id)))
    return genomes_where(tx, *conditions, limit=limit, newest_first=True)


def lineage_of(tx: Connection, genome_id: int) -> list[GenomeRecord]:
    """A genome and its ancestors, the nearest first; what was deleted is left out.

    Raises:
        UnknownGenome: there is no such genome.
    """
    found = [genome_by_id(tx, genome_id)]
    seen = {found[0].genome_hash}
    for genome in found:  # grows while it is walked: breadth first
        for parent in genome.parents:
            if parent in seen:
                continue
            seen.add(parent)
            ancestor = genome_by_hash(tx, genome.layer, genome.domain, parent)
            found += [] if ancestor is None else [ancestor]
    return found


def active_hashes(tx: Connection, domain: str) -> dict[str, str]:
    """Layer -> hash of its active genome."""
    query = select(GenomeRow.layer, GenomeRow.genome_hash)
    return {row.layer: row.genome_hash for row in tx.execute(query.where(GenomeRow.domain == domain, IS_ACTIVE))}


def epoch_of(hashes: Mapping[str, str]) -> str:
    """Names a set of active genomes.

    A hash and not a counter: after a rollback the answers of the earlier genomes are theirs again.
    """
    named = "\n".join(f"{layer} {digest}" for layer, digest in sorted(hashes.items()))
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def submission_of(tx: Connection, genome_id: int) -> Submission:
    """What a person is asked, or was asked last, about a genome.

    Raises:
        UnknownGenome: there is no such genome, or nobody was ever asked.
    """
    genome = genome_by_id(tx, genome_id)
    cycle_id = genome_submission(tx, genome_id)
    if not cycle_id:
        raise UnknownGenome(
            f"genome {genome_id} was never put before a person: only what passed the gate is; "
            "`iterative-retrieval evolve list --status pending_approval` shows what waits"
        )
    report, cycle = GateReport.model_validate(cycle_report(tx, cycle_id)), cycle_by_id(tx, cycle_id)
    assert cycle.expires is not None
    pending = genome.status == GenomeStatus.PENDING_APPROVAL
    return Submission(
        genome=genome,
        cycle=cycle_id,
        requesters=requesters(tx, genome_id),
        report=report,
        expires=cycle.expires,
        stale=baseline_refusal(tx, genome, report.active_hash) if pending else "",
    )
