"""From candidate to a person: results row by row, the evaluated genome, and what is asked about it."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from ..evolution.transitions import Move, after
from ..state.errors import NotAllowed, StaleReview, UnknownGenome
from ..state.evolution import Cost, EvalResult, GateReport, GenomeRecord, GenomeStatus
from ..state.ledger_ports import CycleState
from .ledger_cycles import cycle_by_id, cycle_report, proposed_by, set_cycle, touch
from .ledger_rows import (
    baseline_refusal,
    genome_by_id,
    genome_submission,
    genomes_where,
    moment,
    storable,
    swap,
)
from .ledger_tables import IS_PENDING, GenomeRow, ResultRow


def record_result(tx: Connection, result: EvalResult, now: float) -> bool:
    """Keep a result; False when there is one of that genome, query, judge, version and repeat: the first one stays.

    Raises:
        UnknownGenome: there is no such genome.
        StaleReview: the result is of other genes than the ledger's.
    """
    lock = (
        select(GenomeRow.genome_hash).where(GenomeRow.id == result.genome_id).with_for_update(read=True, key_share=True)
    )
    found = tx.execute(lock).scalar()
    if found is None:
        raise UnknownGenome(f"no genome {result.genome_id} in the ledger; its result is of no use any more")
    if found != result.genome_hash:
        raise StaleReview(f"genome {result.genome_id} has hash {found}, the result is of {result.genome_hash}")
    values = {**storable(result.model_dump(mode="json")), "time": now}
    add = (postgresql.insert if tx.dialect.name == "postgresql" else sqlite.insert)(ResultRow)
    added = add.values(values).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    return tx.execute(added).rowcount == 1


def mark_evaluated(tx: Connection, genome_id: int, score: float | None, now: float) -> GenomeRecord:
    """All results of a genome are in. The same again changes nothing.

    Raises:
        UnknownGenome: there is no such genome.
        NotAllowed: it is neither a candidate nor evaluated.
    """
    genome = genome_by_id(tx, genome_id)
    status = after(genome.status, Move.EVALUATE)
    cost = _cost_of_results(tx, genome_id)
    if (genome.status, genome.score, genome.cost) == (status, score, cost):
        return genome
    return swap(tx, genome, now, status=status.value, score=score, cost=cost.model_dump(mode="json"))


def submit(
    tx: Connection, genome_id: int, report: GateReport, expires: float, cycle_id: str | None, now: float
) -> GenomeRecord:
    """Put a genome before a person; again with a new report while it waits. The same report again changes nothing.

    Raises:
        UnknownGenome: there is no such genome or cycle.
        NotAllowed: the gate did not pass it, it is not evaluated, the cycle did not propose it, or the time is over.
        StaleReview: the report is of other genes, or compares with a genome that is not active any more.
    """
    genome = genome_by_id(tx, genome_id)
    cycle_id = cycle_id or genome.cycle
    status = after(genome.status, Move.SUBMIT)
    _check_submission(tx, genome, report, expires, cycle_id, now)
    told = storable(report.model_dump(mode="json"))
    if genome.status == status and _as_before(tx, genome, cycle_id, told, expires):
        return genome
    touch(tx, cycle_id, now)
    set_cycle(tx, cycle_id, now, state=CycleState.WAITING.value, report=told, expires=expires)
    return swap(tx, genome, now, status=status.value, submitted=True, submission=cycle_id)


def _cost_of_results(tx: Connection, genome_id: int) -> Cost:
    costs = [
        Cost.model_validate(cost)
        for cost in tx.execute(select(ResultRow.cost).where(ResultRow.genome_id == genome_id)).scalars()
    ]
    return Cost(
        calls=sum(cost.calls for cost in costs),
        tokens=sum(cost.tokens for cost in costs),
        seconds=math.fsum(cost.seconds for cost in costs),
    )


def _check_submission(
    tx: Connection, genome: GenomeRecord, report: GateReport, expires: float, cycle_id: str, now: float
) -> None:
    if (report.layer, report.domain, report.candidate_hash) != (genome.layer, genome.domain, genome.genome_hash):
        raise StaleReview(f"the report is not of genome {genome.id}: it is of {report.layer} {report.candidate_hash}")
    if report.verdict != "promote":
        raise NotAllowed(f"genome {genome.id} did not pass the gate ({report.verdict}: {report.reason})")
    asking = genome_submission(tx, genome.id) if genome.status == GenomeStatus.PENDING_APPROVAL else cycle_id
    if asking != cycle_id:
        raise NotAllowed(f"cycle {asking} asks about genome {genome.id} already; only it may submit a new report")
    if cycle_id not in proposed_by(tx, genome):
        raise NotAllowed(f"cycle {cycle_id!r} did not propose genome {genome.id}; submit it from one that did")
    if expires <= now:
        raise NotAllowed(f"the time to decide would be over before it began ({moment(expires)})")
    other = baseline_refusal(tx, genome, report.active_hash)
    if other:
        raise StaleReview(other)
    waiting = (GenomeRow.submission == cycle_id, IS_PENDING)
    others = [found.id for found in genomes_where(tx, *waiting) if found.id != genome.id]
    if others:
        raise NotAllowed(f"cycle {cycle_id} waits for a decision about genome {others[0]}; it may ask one thing only")


def _as_before(tx: Connection, genome: GenomeRecord, cycle_id: str, told: dict[str, Any], expires: float) -> bool:
    cycle = cycle_by_id(tx, cycle_id)
    same_cycle = genome_submission(tx, genome.id) == cycle_id and cycle.expires == expires
    return same_cycle and cycle_report(tx, cycle_id) == told
