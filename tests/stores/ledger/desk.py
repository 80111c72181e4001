"""Whoever works with a ledger in the tests: a clock, and everything a cycle needs in one line each."""

from __future__ import annotations

from typing import Any

from iterative_retrieval.state.evolution import (
    Budget,
    Cost,
    Decision,
    EvalResult,
    GateReport,
    GateVerdict,
    GenomeRecord,
    Layer,
    Mutation,
    MutationKind,
    PairedDifference,
    Review,
)
from iterative_retrieval.state.ledger_ports import CycleRecord
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore

LAYER: Layer = "cache_policy"
DOMAIN = "docs"
ROLES = {"reviewer"}
DAY = 86_400.0


class Desk:
    """A ledger whose ``cache_policy`` layer of "docs" has a default; ada asks, bob reviews."""

    def __init__(self, store: SqlStore) -> None:
        self.now = 1_000_000.0
        self.store = store
        self.ledger = LedgerService(store, clock=lambda: self.now)
        self.default = self.ledger.ensure_default(LAYER, DOMAIN, {})

    def cycle(self, cycle_id: str = "c-1", requester: str = "ada", **values: Any) -> CycleRecord:
        return self.ledger.open_cycle(cycle_record(cycle_id, requester, **values))

    def candidate(self, gene: int, cycle_id: str = "c-1", requester: str = "ada") -> GenomeRecord:
        self.cycle(cycle_id, requester)
        return self.ledger.propose(cycle_id, mutation(gene, parent=self.active().genome_hash))

    def evaluated(self, gene: int, cycle_id: str = "c-1", requester: str = "ada") -> GenomeRecord:
        return self.ledger.mark_evaluated(self.candidate(gene, cycle_id, requester).id, 7.5)

    def pending(self, gene: int, cycle_id: str = "c-1", requester: str = "ada", days: float = 30.0) -> GenomeRecord:
        genome = self.evaluated(gene, cycle_id, requester)
        return self.ledger.submit(genome.id, self.report(genome), self.now + days * DAY, cycle_id)

    def approved(self, gene: int, cycle_id: str) -> Decision:
        genome = self.pending(gene, cycle_id)
        return self.ledger.approve(genome.id, approval(genome), ROLES)

    def report(self, genome: GenomeRecord, verdict: GateVerdict = "promote") -> GateReport:
        return report(genome, self.active().genome_hash, verdict)

    def active(self) -> GenomeRecord:
        active = self.ledger.active(LAYER, DOMAIN)
        assert active is not None
        return active


def cycle_record(cycle_id: str, requester: str = "ada", budget: Budget | None = None, seed: int = 1) -> CycleRecord:
    asked = Budget() if budget is None else budget
    return CycleRecord(id=cycle_id, layer=LAYER, domain=DOMAIN, requester=requester, budget=asked, seed=seed)


def mutation(gene: int, parent: str = "") -> Mutation:
    """Other genes for every gene from 0 to 10 ** 6."""
    parents = [parent] if parent else []
    return Mutation(genome={"max_age_days": gene / 1000}, kind=MutationKind.STEP, parents=parents, notes=f"age {gene}")


def report(genome: GenomeRecord, active_hash: str, verdict: GateVerdict = "promote") -> GateReport:
    return GateReport(
        verdict=verdict,
        reason="the interval lies above 0",
        layer=genome.layer,
        domain=genome.domain,
        candidate_hash=genome.genome_hash,
        active_hash=active_hash,
        difference=PairedDifference(mean=0.4, low=0.1, high=0.7, p=0.01, n=60, sd=1.2),
        p_adjusted=0.03,
        variants=3,
    )


def approval(genome: GenomeRecord, reviewer: str = "bob", **values: Any) -> Review:
    given: dict[str, Any] = {
        "version": genome.version,
        "genome_hash": genome.genome_hash,
        "reason": "better on every slice",
    } | values
    return Review(decision="approve", reviewer=reviewer, **given)


def rejection(genome: GenomeRecord, reviewer: str = "bob", **values: Any) -> Review:
    return approval(genome, reviewer, **values).model_copy(update={"decision": "reject"})


def result(genome: GenomeRecord, query: str = "q-1", **values: Any) -> EvalResult:
    given: dict[str, Any] = {
        **{"query_id": query, "query": f"what is {query}?", "pool": "select", "judge": "offline"},
        **{"judge_version": "1", "response": "an answer", "judge_score": 7.25, "metrics": {"accuracy": 8.0}},
        **{"objectives": {"seconds": 0.5}, "cost": Cost(calls=1, tokens=20, seconds=0.25)},
    }
    return EvalResult(genome_id=genome.id, genome_hash=genome.genome_hash, **given | values)
