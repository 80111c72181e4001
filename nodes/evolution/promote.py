"""promote_best: a round of racing, or a look of the gate; it says who is judged further, and submits who passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ...evolution.comparison import Arm
from ...evolution.gate import GateCase, GatePolicy, decide, noise_sd, until_next_look
from ...evolution.racing import RacingPolicy, race
from ...state.errors import StaleReview
from ...state.evolution import EvalResult, GateReport, GenomeRecord, GenomeStatus, Pool
from ...state.evolution_run import EvolutionState
from ...state.ledger_ports import Ledger
from ...state.progress import RaceDecided
from ..clock import announce
from .queries import CycleQueries

_DAY = 86_400.0


@dataclass(frozen=True)
class Promoter:
    """Borrows the ledger, the cycle's queries, two policies and a clock. patience: days that an approval may wait."""

    ledger: Ledger
    queries: CycleQueries
    racing: RacingPolicy
    gate: GatePolicy
    now: Callable[[], float]
    patience: float = field(default=14.0)

    def promote_best(self, state: EvolutionState) -> EvolutionState:
        """What is judged next (``stage``, ``racing``, ``upto``), or how it ended (stage "done")."""
        return self._race(state) if state["stage"] == "select" else self._look(state)

    def _race(self, state: EvolutionState) -> EvolutionState:
        records = {r.genome_hash: r for r in map(self.ledger.genome, state["racing"])}
        active = self.ledger.genome(state["active"])
        clusters = {q.id: q.cluster for q in self.queries.pool(state, "select")}
        found = race(
            self._means(state, active, "select"),
            {h: self._means(state, r, "select") for h, r in records.items()},
            state["round"],
            self.racing,
            clusters,
        )
        ids = [records[h].id for h in found.go_on]
        stopped = {records[h].id: why for h, why in found.stopped.items()}
        announce(RaceDecided(stage="select", go_on=ids, stopped=stopped))
        if found.go_on and not found.final:
            return {"racing": ids, "round": state["round"] + 1, "upto": found.queries}
        self._mark(state)
        if not ids:
            why = "; ".join(f"genome {g}: {reason}" for g, reason in sorted(stopped.items())) or "no candidate"
            return _done(f"nobody passed the race: {why}")
        available = len(self.queries.pool(state, "confirm"))
        first = until_next_look(0, available, self.gate)
        if not first:
            return _done("the confirm pool is empty: bring more queries")
        return {"stage": "confirm", "racing": ids, "upto": first}

    def _look(self, state: EvolutionState) -> EvolutionState:
        """The gate on confirm: promoted, rejected, or further queries."""
        confirm = self.queries.pool(state, "confirm")
        report = decide(self._case(state, state["upto"]), self.gate)
        more = until_next_look(state["upto"], len(confirm), self.gate)
        record = self._by_hash(state["racing"])[report.candidate_hash]
        goes_on = report.verdict == "undecided" and more and not self._short(state, state["upto"])
        if not goes_on and state["repeats"] == 1 and not state.get("judged_twice") and self.gate.judged_twice:
            return {"stage": "noise", "judged_twice": min(self.gate.judged_twice, state["upto"])}
        announce(RaceDecided(stage="confirm", go_on=[record.id], reason=report.reason))
        if goes_on:
            return {"stage": "confirm", "upto": state["upto"] + more}
        if report.verdict != "promote":
            self.ledger.finish_cycle(state["cycle"], report.reason, report)
            return _done(report.reason) | {"genome": record.id}
        return self._submitted(state, record, report)

    def _submitted(self, state: EvolutionState, record: GenomeRecord, report: GateReport) -> EvolutionState:
        """Put before a person, unless that was done before a crash; not when another genome became active meanwhile."""
        if self.ledger.genome(record.id).status is GenomeStatus.EVALUATED:
            try:
                self.ledger.submit(record.id, report, self.now() + self.patience * _DAY, state["cycle"])
            except StaleReview as stale:
                self.ledger.finish_cycle(state["cycle"], str(stale), report)
                return _done(str(stale)) | {"genome": record.id}
        return _done(report.reason) | {"genome": record.id, "submitted": True}

    def _case(self, state: EvolutionState, asked: int) -> GateCase:
        active = self.ledger.genome(state["active"])
        candidates = [self.ledger.genome(i) for i in state["racing"]]
        confirm = self.queries.pool(state, "confirm")
        selected = [active, *candidates]
        return GateCase(
            layer=state["layer"],
            domain=state["domain"],
            queries=confirm[:asked],
            available=len(confirm),
            active=self._arm(state, active, "confirm"),
            candidates=[self._arm(state, c, "confirm") for c in candidates],
            select={r.genome_hash: self._means(state, r, "select") for r in selected},
            **self._noise(state, active),
            pools={str(k): v for k, v in self.queries.split(state).hashes.items()},
            cost=self.ledger.spending(state["cycle"]).settled,
        )

    def _noise(self, state: EvolutionState, active: GenomeRecord) -> dict[str, Any]:
        """What the A/A run says: of the active genome's queries of *confirm* that were judged twice."""
        trial = self.queries.trial(state)
        first: dict[str, float] = {}
        second: dict[str, float] = {}
        for r in self.ledger.results(active.id, "confirm", trial.judge, trial.judge_version):
            if r.judge_score is not None and r.repeat < 2:
                (second if r.repeat else first)[r.query_id] = r.judge_score
        return {"noise_sd": noise_sd(first, second), "judged_twice": len(first.keys() & second.keys())}

    def _mark(self, state: EvolutionState) -> None:
        """Every candidate of the cycle has its score on select."""
        for record in self.ledger.genomes(cycle_id=state["cycle"]):
            if record.status is GenomeStatus.CANDIDATE:
                means = self._means(state, record, "select")
                self.ledger.mark_evaluated(record.id, round(fmean(means.values()), 4) if means else None)

    def _short(self, state: EvolutionState, asked: int) -> bool:
        """Whether the budget ended before the queries of this look were judged."""
        wanted = {q.id for q in self.queries.pool(state, "confirm")[:asked]}
        for genome in [state["active"], *state["racing"]]:
            held = {r.query_id for r in self._results(state, self.ledger.genome(genome))}
            if wanted - held:
                return True
        return False

    def _means(self, state: EvolutionState, record: GenomeRecord, pool: Pool) -> dict[str, float]:
        return self._arm(state, record, pool).means()

    def _arm(self, state: EvolutionState, record: GenomeRecord, pool: Pool) -> Arm:
        return Arm.of(record.genome_hash, self._results(state, record), pool)

    def _results(self, state: EvolutionState, record: GenomeRecord) -> list[EvalResult]:
        trial = self.queries.trial(state)
        found = self.ledger.results(record.id, judge=trial.judge, judge_version=trial.judge_version)
        return [r for r in found if r.repeat < state["repeats"]]

    def _by_hash(self, ids: Sequence[int]) -> Mapping[str, GenomeRecord]:
        return {r.genome_hash: r for r in map(self.ledger.genome, ids)}


def _done(reason: str) -> EvolutionState:
    return {"stage": "done", "reason": reason, "racing": []}
