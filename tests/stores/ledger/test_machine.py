"""Random sequences of operations against a small model of what the ledger should hold."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from iterative_retrieval.evolution.transitions import Move, after, deletion_refusal, refusal
from iterative_retrieval.state.errors import BudgetSpent, EvolutionRefused, NotAllowed, StaleReview
from iterative_retrieval.state.evolution import Budget, Cost, GateReport, GenomeRecord, GenomeStatus
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import (
    DAY,
    DOMAIN,
    LAYER,
    ROLES,
    Desk,
    approval,
    cycle_record,
    mutation,
    rejection,
    report,
)

S = GenomeStatus
CALLS = 12
NTH = st.integers(0, 10**6)


@dataclass
class Known:
    """What the model knows of a genome. baseline: hash it was compared with. asked: was it ever submitted."""

    status: GenomeStatus
    baseline: str = ""
    asked: bool = False


@dataclass
class Model:
    """trail: genomes that were active, without what was rolled back. spent: calls of the one cycle with a budget."""

    genomes: dict[int, Known] = field(default_factory=dict)
    trail: list[int] = field(default_factory=list)
    decisions: int = 1
    reservations: dict[int, int | None] = field(default_factory=dict)
    spent: int = 0


class LedgerMachine(RuleBasedStateMachine):
    """Every proposal has its own cycle, so a genome is refused only for what it is."""

    empty: Path
    """A migrated file to copy."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = SqlStore(Path(shutil.copy(self.empty, self.folder.name)))
        self.desk = Desk(self.store)
        self.model = Model()
        self.cycle = ""

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        self.model.genomes[self.desk.default.id] = Known(S.ACTIVE)
        self.model.trail.append(self.desk.default.id)
        self.desk.ledger.open_cycle(cycle_record("purse", budget=Budget(calls=CALLS)))

    @rule(gene=st.integers(0, 30))
    def propose(self, gene: int) -> None:
        self.proposed(gene)

    def proposed(self, gene: int) -> GenomeRecord | None:
        self.cycle = f"c-{len(self.desk.ledger.cycles(limit=10_000))}"
        self.desk.cycle(self.cycle)
        try:
            made = self.desk.ledger.propose(self.cycle, mutation(gene))
        except EvolutionRefused as refused:
            assert "has the same genes" in str(refused)
            return None
        known = self.model.genomes.setdefault(made.id, Known(S.CANDIDATE))
        if known.status == S.EXPIRED:
            known.status = S.CANDIDATE
        assert made.status == known.status in (S.CANDIDATE, S.EVALUATED)
        return made

    @rule(nth=NTH, score=st.floats(0, 10))
    def evaluate(self, nth: int, score: float) -> None:
        genome = self.pick(nth)
        self.expect(genome, Move.EVALUATE, partial(self.desk.ledger.mark_evaluated, genome.id, score))

    @rule(gene=st.integers(0, 30), days=st.integers(1, 5))
    def ask(self, gene: int, days: int) -> None:
        self.asked(gene, days)

    def asked(self, gene: int, days: int) -> None:
        """All the way to a person, and once more: the second submission brings another report."""
        genome = self.proposed(gene)
        if genome is None:
            return
        self.expect(genome, Move.EVALUATE, partial(self.desk.ledger.mark_evaluated, genome.id, 5.0))
        told = report(genome, self.desk.active().genome_hash)
        self.expect(genome, Move.SUBMIT, partial(self.submit, genome, told, days))
        again = told.model_copy(update={"reason": "compared anew"})
        self.expect(genome, Move.SUBMIT, partial(self.submit, genome, again, days))
        self.model.genomes[genome.id].baseline, self.model.genomes[genome.id].asked = told.active_hash, True

    @rule(gene=st.integers(0, 30))
    def promote(self, gene: int) -> None:
        self.asked(gene, 1)
        for number in self.waiting()[-1:]:
            self.approve_it(self.desk.ledger.genome(number), "bob")

    @rule(nth=NTH)
    def submit_anything(self, nth: int) -> None:
        genome = self.pick(nth)
        known = self.model.genomes[genome.id]
        if known.status not in (S.EVALUATED, S.PENDING_APPROVAL):
            told = report(genome, self.desk.active().genome_hash)
            self.expect(genome, Move.SUBMIT, partial(self.desk.ledger.submit, genome.id, told, self.desk.now + DAY))

    @precondition(lambda self: self.waiting())
    @rule(nth=NTH, reviewer=st.sampled_from(["bob", "carol", "ada"]))
    def approve(self, nth: int, reviewer: str) -> None:
        self.approve_it(self.pick(nth, S.PENDING_APPROVAL), reviewer)

    @precondition(lambda self: self.waiting())
    @rule(nth=NTH)
    def reject(self, nth: int) -> None:
        self.reject_it(self.pick(nth, S.PENDING_APPROVAL))

    @rule(nth=NTH, approving=st.booleans())
    def decide_anything(self, nth: int, approving: bool) -> None:
        genome = self.pick(nth)
        if approving:
            self.approve_it(genome, "bob")
        else:
            self.reject_it(genome)

    @rule(nth=NTH)
    def review_an_outdated_version(self, nth: int) -> None:
        genome = self.pick(nth, S.PENDING_APPROVAL)
        for act, review in ((self.desk.ledger.approve, approval), (self.desk.ledger.reject, rejection)):
            with pytest.raises(EvolutionRefused):
                act(genome.id, review(genome, version=genome.version + 1), ROLES)

    @rule(days=st.floats(0.1, 4))
    def time_passes(self, days: float) -> None:
        self.desk.now += days * DAY
        for decision in self.desk.ledger.expire_due():
            known = self.model.genomes[decision.genome_id]
            known.status = after(known.status, Move.EXPIRE)
            self.model.decisions += 1

    @precondition(lambda self: len(self.model.trail) > 1)
    @rule()
    def roll_back(self) -> None:
        decision = self.desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES)
        replaced = self.model.trail.pop()
        assert (decision.genome_id, decision.replaced) == (self.model.trail[-1], replaced)
        self.activated(decision.genome_id, replaced)

    @rule(nth=NTH)
    def delete(self, nth: int) -> None:
        genome = self.pick(nth)
        known = self.model.genomes[genome.id]
        for cycle in self.desk.ledger.cycles(state=None, limit=10_000):
            if cycle.state == "running" and cycle.id != "purse":
                self.desk.ledger.finish_cycle(cycle.id)
        if deletion_refusal(known.status, known.asked):
            with pytest.raises(EvolutionRefused):
                self.desk.ledger.delete(genome.id)
        else:
            self.desk.ledger.delete(genome.id)
            del self.model.genomes[genome.id]

    @rule(calls=st.integers(0, 5))
    def reserve(self, calls: int) -> None:
        if self.model.spent + calls > CALLS:
            with pytest.raises(BudgetSpent):
                self.desk.ledger.reserve("purse", Cost(calls=calls))
        else:
            made = self.desk.ledger.reserve("purse", Cost(calls=calls))
            self.model.reservations[made] = calls
            self.model.spent += calls

    @precondition(lambda self: self.model.reservations)
    @rule(data=st.data(), share=st.floats(0, 1))
    def settle(self, data: st.DataObject, share: float) -> None:
        which = data.draw(st.sampled_from(sorted(self.model.reservations)))
        reserved = self.model.reservations[which]
        took = int((reserved or 0) * share)
        self.desk.ledger.settle(which, Cost(calls=took))
        if reserved is not None:  # a second time changes nothing
            self.model.spent += took - reserved
            self.model.reservations[which] = None

    @rule()
    def reconcile(self) -> None:
        self.desk.ledger.reconcile(self.desk.now, patience=100 * DAY)

    @invariant()
    def the_ledger_holds_what_the_model_says(self) -> None:
        held = {genome.id: genome.status for genome in self.desk.ledger.genomes(limit=10_000)}
        assert held == {number: known.status for number, known in self.model.genomes.items()} or not self.model.genomes
        assert len(self.desk.ledger.history(LAYER, DOMAIN, reports=False)) == self.model.decisions

    @invariant()
    def one_genome_is_active(self) -> None:
        assert [genome.id for genome in self.desk.ledger.genomes(status=S.ACTIVE)] == [
            *(self.model.trail[-1:] or [self.desk.default.id])
        ]

    @invariant()
    def the_budget_holds(self) -> None:
        if self.model.trail:
            assert self.desk.ledger.cycle("purse").spent.calls == self.model.spent <= CALLS

    def waiting(self) -> list[int]:
        return [number for number, known in self.model.genomes.items() if known.status == S.PENDING_APPROVAL]

    def pick(self, nth: int, status: GenomeStatus | None = None) -> GenomeRecord:
        """A genome, of that status when there is one."""
        fitting = [number for number, known in self.model.genomes.items() if known.status == status]
        numbers = sorted(fitting or self.model.genomes)
        return self.desk.ledger.genome(numbers[nth % len(numbers)])

    def submit(self, genome: GenomeRecord, told: GateReport, days: int) -> None:
        self.desk.ledger.submit(genome.id, told, self.desk.now + days * DAY, self.cycle)

    def approve_it(self, genome: GenomeRecord, reviewer: str) -> None:
        known = self.model.genomes[genome.id]
        active = self.desk.active()
        act = partial(self.desk.ledger.approve, genome.id, approval(genome, reviewer), ROLES)
        if known.status == S.PENDING_APPROVAL and reviewer == "ada":
            with pytest.raises(NotAllowed, match="cannot approve it"):
                act()
        elif known.status == S.PENDING_APPROVAL and known.baseline != active.genome_hash:
            with pytest.raises(StaleReview, match="compare it anew"):
                act()
        elif self.expect(genome, Move.APPROVE, act):
            self.activated(genome.id, active.id)
            self.model.trail.append(genome.id)

    def reject_it(self, genome: GenomeRecord) -> None:
        act = partial(self.desk.ledger.reject, genome.id, rejection(genome), ROLES)
        self.model.decisions += self.expect(genome, Move.REJECT, act)

    def expect(self, genome: GenomeRecord, move: Move, act: Callable[[], object]) -> bool:
        """Do it; refused exactly when the machine has no such step."""
        known = self.model.genomes[genome.id]
        if refusal(known.status, move):
            with pytest.raises(EvolutionRefused) as refused:
                act()
            assert not isinstance(refused.value, StaleReview)
            return False
        act()
        known.status = after(known.status, move)
        return True

    def activated(self, made_active: int, replaced: int) -> None:
        self.model.genomes[replaced].status = S.RETIRED
        self.model.genomes[made_active].status = S.ACTIVE
        self.model.decisions += 1


@pytest.mark.slow
def test_any_sequence_of_operations_leaves_what_the_model_says(empty_file: Path) -> None:
    LedgerMachine.empty = empty_file
    run_state_machine_as_test(
        LedgerMachine,
        settings=settings(max_examples=60, stateful_step_count=40, deadline=None),
    )
