"""The ledger: the one service through which genomes change. Every method is one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, text

from ..state.errors import NotAllowed
from ..state.evolution import (
    Cost,
    Decision,
    EvalResult,
    GateReport,
    GenomeRecord,
    GenomeStatus,
    Layer,
    Mutation,
    Pool,
    Review,
)
from ..state.ledger_ports import CycleRecord, CycleState, Spending, Submission
from . import (
    ledger_cycles,
    ledger_decisions,
    ledger_evaluations,
    ledger_proposals,
    ledger_queries,
    ledger_rows,
    ledger_spending,
)
from .ledger_export import lines
from .ledger_reconcile import PATIENCE, reconcile
from .ledger_tables import CycleRow, DecisionRow
from .sql import SqlStore

_TRANSITIONS = 0x6974_7266  # names the ledger's transitions among the advisory locks of a PostgreSQL server


class LedgerService:
    """Genomes, results, decisions, cycles and spending in a database that many processes share; a ``Ledger``.

    Args:
        store: the opened database.
        clock: seconds since 1970.
    """

    def __init__(self, store: SqlStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    # Genomes on their way

    def ensure_default(self, layer: Layer, domain: str, genome: BaseModel | Mapping[str, Any]) -> GenomeRecord:
        """See ``ledger_proposals.ensure_default``."""
        if not domain.strip():
            raise NotAllowed("a genome needs a domain; name one")
        _, digest = ledger_proposals.canonical(layer, genome)
        current = self.active(layer, domain)
        if current is not None and current.genome_hash == digest:
            return current  # at every start of a server but the first: nothing to write
        with self._changing() as tx:
            return ledger_proposals.ensure_default(tx, layer, domain, genome, self._clock())

    def propose(self, cycle_id: str, mutation: Mutation) -> GenomeRecord:
        """See ``ledger_proposals.propose``."""
        with self._changing() as tx:
            return ledger_proposals.propose(tx, cycle_id, mutation, self._clock())

    def record_result(self, result: EvalResult, reservation: int | None = None) -> bool:
        """See ``ledger_evaluations.record_result``; settles ``reservation`` with the result's cost at the same time."""
        with self._store.writing() as tx:
            if reservation is not None:
                ledger_spending.settle(tx, reservation, result.cost, self._clock())
            return ledger_evaluations.record_result(tx, result, self._clock())

    def mark_evaluated(self, genome_id: int, score: float | None) -> GenomeRecord:
        """See ``ledger_evaluations.mark_evaluated``."""
        with self._changing() as tx:
            return ledger_evaluations.mark_evaluated(tx, genome_id, score, self._clock())

    def submit(self, genome_id: int, report: GateReport, expires: float, cycle_id: str | None = None) -> GenomeRecord:
        """See ``ledger_evaluations.submit``; ``cycle_id`` is the cycle that made the genome unless it is given."""
        with self._changing() as tx:
            return ledger_evaluations.submit(tx, genome_id, report, expires, cycle_id, self._clock())

    def delete(self, genome_id: int) -> None:
        """See ``ledger_proposals.delete_genome``."""
        with self._changing() as tx:
            ledger_proposals.delete_genome(tx, genome_id)

    # Decisions

    def approve(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """See ``ledger_decisions.approve``; what is over time expires first."""
        now = self._clock()
        self.expire_due(now)
        with self._changing() as tx:
            return ledger_decisions.approve(tx, genome_id, review, roles, now)

    def reject(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """See ``ledger_decisions.reject``; what is over time expires first."""
        now = self._clock()
        self.expire_due(now)
        with self._changing() as tx:
            return ledger_decisions.reject(tx, genome_id, review, roles, now)

    def decide(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """``approve`` or ``reject``, as the review says."""
        act = self.approve if review.decision == "approve" else self.reject
        return act(genome_id, review, roles)

    def expire_due(self, now: float | None = None) -> list[Decision]:
        """See ``ledger_decisions.expire_due``."""
        with self._changing() as tx:
            return ledger_decisions.expire_due(tx, self._clock() if now is None else now)

    def rollback(
        self,
        layer: Layer,
        domain: str,
        reviewer: str,
        reason: str,
        *,
        roles: Collection[str],
        to: int | None = None,
        seen: int | None = None,
    ) -> Decision:
        """See ``ledger_decisions.rollback``."""
        with self._changing() as tx:
            return ledger_decisions.rollback(tx, layer, domain, reviewer, reason, roles, to, seen, self._clock())

    # Cycles and what they spend

    def open_cycle(self, cycle: CycleRecord) -> CycleRecord:
        """See ``ledger_cycles.open_cycle``; of ``cycle``, what was asked for counts, not where it stands."""
        with self._changing() as tx:
            return ledger_cycles.open_cycle(tx, cycle, self._clock())

    def cycle(self, cycle_id: str) -> CycleRecord:
        """See ``ledger_cycles.cycle_by_id``."""
        with self._store.reading() as tx:
            return ledger_cycles.cycle_by_id(tx, cycle_id)

    def cycles(
        self, layer: Layer | None = None, domain: str | None = None, state: CycleState | None = None, limit: int = 100
    ) -> list[CycleRecord]:
        """Cycles, the newest first."""
        wanted = [(CycleRow.layer, layer), (CycleRow.domain, domain), (CycleRow.state, state and state.value)]
        with self._store.reading() as tx:
            conditions = [column == value for column, value in wanted if value is not None]
            return ledger_cycles.cycles_where(tx, *conditions, limit=limit)

    def note_pools(self, cycle_id: str, pools: Mapping[str, str]) -> None:
        """See ``ledger_cycles.note_pools``."""
        with self._changing() as tx:
            ledger_cycles.note_pools(tx, cycle_id, pools, self._clock())

    def finish_cycle(
        self, cycle_id: str, note: str = "", report: GateReport | None = None, failed: bool = False
    ) -> None:
        """See ``ledger_cycles.finish_cycle``."""
        with self._changing() as tx:
            ledger_cycles.finish_cycle(tx, cycle_id, note, report, failed, self._clock())

    def report(self, cycle_id: str) -> GateReport | None:
        """What the gate said in a cycle; None when it said nothing yet."""
        with self._store.reading() as tx:
            ledger_cycles.cycle_by_id(tx, cycle_id)
            told = ledger_cycles.cycle_report(tx, cycle_id)
            return GateReport.model_validate(told) if told else None

    def reserve(self, cycle_id: str, most: Cost, purpose: str = "") -> int:
        """See ``ledger_spending.reserve``."""
        with self._store.writing() as tx:
            return ledger_spending.reserve(tx, cycle_id, most, purpose, self._clock())

    def settle(self, reservation: int, took: Cost) -> None:
        """See ``ledger_spending.settle``."""
        with self._store.writing() as tx:
            ledger_spending.settle(tx, reservation, took, self._clock())

    def spending(self, cycle_id: str) -> Spending:
        """See ``ledger_spending.spending``."""
        with self._store.reading() as tx:
            return ledger_spending.spending(tx, cycle_id)

    def reconcile(self, now: float | None = None, patience: float = PATIENCE) -> list[str]:
        """See ``ledger_reconcile``; patience: seconds without a sign of life."""
        with self._changing() as tx:
            return reconcile(tx, self._clock() if now is None else now, patience)

    # What is read

    def active(self, layer: Layer, domain: str) -> GenomeRecord | None:
        """The active genome; None before ``ensure_default``."""
        with self._store.reading() as tx:
            return ledger_rows.active_genome(tx, layer, domain)

    def hashes(self, domain: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""
        with self._store.reading() as tx:
            return ledger_queries.active_hashes(tx, domain)

    def epoch(self, domain: str) -> str:
        """Names the active genomes of all layers of a domain; one indexed query, for every request."""
        return ledger_queries.epoch_of(self.hashes(domain))

    def genome_of_hash(self, layer: Layer, domain: str, genome_hash: str) -> GenomeRecord | None:
        """See ``ledger_rows.genome_by_hash``."""
        with self._store.reading() as tx:
            return ledger_rows.genome_by_hash(tx, layer, domain, genome_hash)

    def genome(self, genome_id: int) -> GenomeRecord:
        """See ``ledger_rows.genome_by_id``."""
        with self._store.reading() as tx:
            return ledger_rows.genome_by_id(tx, genome_id)

    def genomes(
        self,
        layer: Layer | None = None,
        domain: str | None = None,
        status: GenomeStatus | None = None,
        cycle_id: str | None = None,
        limit: int = 100,
    ) -> list[GenomeRecord]:
        """See ``ledger_queries.listed``."""
        with self._store.reading() as tx:
            return ledger_queries.listed(tx, layer, domain, status, cycle_id, limit)

    def results(
        self, genome_id: int, pool: Pool | None = None, judge: str | None = None, judge_version: str | None = None
    ) -> list[EvalResult]:
        """See ``ledger_queries.results_of``."""
        with self._store.reading() as tx:
            return ledger_queries.results_of(tx, genome_id, pool, judge, judge_version)

    def submission(self, genome_id: int) -> Submission:
        """See ``ledger_queries.submission_of``."""
        with self._store.reading() as tx:
            return ledger_queries.submission_of(tx, genome_id)

    def lineage(self, genome_id: int) -> list[GenomeRecord]:
        """See ``ledger_queries.lineage_of``."""
        with self._store.reading() as tx:
            return ledger_queries.lineage_of(tx, genome_id)

    def history(self, layer: Layer, domain: str, reports: bool = True) -> list[Decision]:
        """Every decision in order; without ``reports``, their snapshots stay in the database."""
        of_slot = (DecisionRow.layer == layer, DecisionRow.domain == domain)
        with self._store.reading() as tx:
            return ledger_rows.decisions_where(tx, *of_slot, reports=reports)

    def decisions(self, genome_id: int, reports: bool = True) -> list[Decision]:
        """The decisions about one genome, in order."""
        with self._store.reading() as tx:
            ledger_rows.genome_by_id(tx, genome_id)
            return ledger_rows.decisions_where(tx, DecisionRow.genome_id == genome_id, reports=reports)

    def export(self) -> Iterator[str]:
        """The whole ledger as JSON lines, as it is when the first one is asked for."""
        with self._store.reading() as tx:
            yield from lines(tx)

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """A transaction that changes where genomes or cycles stand: one at a time, on both databases."""
        with self._store.writing() as tx:
            if not self._store.is_sqlite:
                tx.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _TRANSITIONS})
            yield tx
