"""The door to the ledger of evolution, and the words that only the ledger needs: cycles, spending, submissions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .evolution import (
    Budget,
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


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CycleState(StrEnum):
    """Where a cycle stands."""

    RUNNING = "running"
    WAITING = "waiting"  # for a person's decision
    DECIDED = "decided"  # somebody decided; its thread has yet to be woken
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # nothing was heard of it for long; it goes on when its thread is resumed


class CycleRecord(_Value):
    """One evolution cycle.

    id: of the graph's thread. budget: the most it may spend. spent: what is settled, reserved or lost. pools: pool ->
    hash of its query ids. note: how it ended, in words. expires: until when a person may decide, None when nobody was
    asked. created, updated, finished: unix seconds; finished is None while it is not over.
    """

    id: str
    layer: Layer
    domain: str
    requester: str
    seed: int = Field(default=0, ge=0, lt=2**63)
    budget: Budget = Field(default_factory=Budget)
    spent: Cost = Field(default_factory=Cost)
    pools: dict[str, str] = Field(default_factory=dict)
    state: CycleState = CycleState.RUNNING
    note: str = ""
    expires: float | None = None
    created: float = 0.0
    updated: float = 0.0
    finished: float | None = None


class Spending(_Value):
    """Where a cycle's budget went. All three count against it.

    settled: what calls took. open: reserved for calls under way. lost: reserved by a process that died; what its calls
    took is unknown, so they count in full.
    """

    settled: Cost = Field(default_factory=Cost)
    open: Cost = Field(default_factory=Cost)
    lost: Cost = Field(default_factory=Cost)


class Submission(_Value):
    """A genome as it was put before a person.

    cycle: that submitted it last. requesters: who may not approve it. expires: unix seconds. stale: why it cannot be
    approved as it stands, '' when it can.
    """

    genome: GenomeRecord
    cycle: str
    requesters: list[str]
    report: GateReport
    expires: float
    stale: str = ""


class Ledger(Protocol):
    """Every genome, result, decision, cycle and reservation; all transitions go through here.

    Every method raises StoreUnavailable when the database cannot be used.
    """

    def ensure_default(self, layer: Layer, domain: str, genome: BaseModel | Mapping[str, Any]) -> GenomeRecord:
        """The active genome; ``genome`` becomes it when there is none, or when only an older default is active."""

    def open_cycle(self, cycle: CycleRecord) -> CycleRecord:
        """Begin a cycle; the same again gives what is there. Raises NotAllowed when its id belongs to another one."""

    def cycle(self, cycle_id: str) -> CycleRecord:
        """One cycle. Raises UnknownGenome."""

    def cycles(
        self, layer: Layer | None = None, domain: str | None = None, state: CycleState | None = None, limit: int = 100
    ) -> list[CycleRecord]:
        """Cycles, the newest first."""

    def note_pools(self, cycle_id: str, pools: Mapping[str, str]) -> None:
        """Keep the hashes of a cycle's pools. Raises NotAllowed when others were kept before."""

    def finish_cycle(
        self, cycle_id: str, note: str = "", report: GateReport | None = None, failed: bool = False
    ) -> None:
        """End a cycle; ending it again changes nothing. Raises NotAllowed while a person is asked."""

    def report(self, cycle_id: str) -> GateReport | None:
        """What the gate said in a cycle; None when it said nothing yet."""

    def propose(self, cycle_id: str, mutation: Mutation) -> GenomeRecord:
        """A candidate of a cycle. Raises InvalidGenome, and NotAllowed when the genes are taken."""

    def record_result(self, result: EvalResult, reservation: int | None = None) -> bool:
        """Keep a result, and settle its reservation with its cost; False when it was kept before."""

    def results(
        self, genome_id: int, pool: Pool | None = None, judge: str | None = None, judge_version: str | None = None
    ) -> list[EvalResult]:
        """Results of a genome by query, judge and repeat."""

    def mark_evaluated(self, genome_id: int, score: float | None) -> GenomeRecord:
        """All its results are in. Raises UnknownGenome, NotAllowed."""

    def submit(self, genome_id: int, report: GateReport, expires: float, cycle_id: str | None = None) -> GenomeRecord:
        """Put a genome before a person. Raises UnknownGenome, NotAllowed, StaleReview."""

    def submission(self, genome_id: int) -> Submission:
        """What a person is asked, or was asked last, about a genome. Raises UnknownGenome when nobody was."""

    def approve(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """Make a genome active. Raises UnknownGenome, AlreadyDecided, StaleReview, NotAllowed."""

    def reject(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """Turn a genome down. Raises UnknownGenome, AlreadyDecided, StaleReview, NotAllowed."""

    def decide(self, genome_id: int, review: Review, roles: Collection[str]) -> Decision:
        """``approve`` or ``reject``, as the review says."""

    def expire_due(self, now: float | None = None) -> list[Decision]:
        """End the pending approvals whose time is over."""

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
        """Make the previous genome active again. Raises UnknownGenome, StaleReview, NotAllowed."""

    def delete(self, genome_id: int) -> None:
        """Delete a genome that nobody was asked about, with its results. Raises UnknownGenome, NotAllowed."""

    def active(self, layer: Layer, domain: str) -> GenomeRecord | None:
        """The active genome; None before ``ensure_default``."""

    def hashes(self, domain: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""

    def epoch(self, domain: str) -> str:
        """Names the active genomes of all layers of a domain: other genomes, other epoch."""

    def genome(self, genome_id: int) -> GenomeRecord:
        """One genome. Raises UnknownGenome."""

    def genome_of_hash(self, layer: Layer, domain: str, genome_hash: str) -> GenomeRecord | None:
        """The genome with these genes, whatever its status; None when there is none."""

    def genomes(
        self,
        layer: Layer | None = None,
        domain: str | None = None,
        status: GenomeStatus | None = None,
        cycle_id: str | None = None,
        limit: int = 100,
    ) -> list[GenomeRecord]:
        """Genomes, the newest first; of a cycle: everything it proposed, also what others had proposed before."""

    def lineage(self, genome_id: int) -> list[GenomeRecord]:
        """A genome and its ancestors, the nearest first."""

    def history(self, layer: Layer, domain: str, reports: bool = True) -> list[Decision]:
        """Every decision in order; without ``reports``, their snapshots stay in the database."""

    def decisions(self, genome_id: int, reports: bool = True) -> list[Decision]:
        """The decisions about one genome, in order."""

    def reserve(self, cycle_id: str, most: Cost, purpose: str = "") -> int:
        """Set aside the most that a call may take; the reservation's id. Raises BudgetSpent, NotAllowed."""

    def settle(self, reservation: int, took: Cost) -> None:
        """Put what the call took in place of what was reserved; a second time changes nothing."""

    def spending(self, cycle_id: str) -> Spending:
        """Where a cycle's budget went."""

    def reconcile(self, now: float | None = None, patience: float = ...) -> list[str]:
        """Finish what crashes left half-made; what was done, in words."""

    def export(self) -> Iterator[str]:
        """The whole ledger as JSON lines."""
