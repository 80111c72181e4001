"""Random sequences of operations against a small model of what the ledger should hold."""

from __future__ import annotations

import random
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
from iterative_retrieval.state.errors import BudgetSpent, EvolutionRefused, StaleReview
from iterative_retrieval.state.evolution import Budget, Cost, GenomeRecord, GenomeStatus
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

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        self.model.genomes[self.desk.default.id] = Known(S.ACTIVE)
        self.model.trail.append(self.desk.default.id)
        self.desk.ledger.open_cycle(cycle_record("purse", budget=Budget(calls=CALLS)))

    @rule(gene=st.integers(0, 20))
    def propose(self, gene: int) -> None:
        cycle = f"c-{len(self.desk.ledger.cycles(limit=10_000))}"
        self.desk.cycle(cycle)
        try:
            made = self.desk.ledger.propose(cycle, mutation(gene))
        except EvolutionRefused as refused:
            assert "has the same genes" in str(refused)
            return
        known = self.model.genomes.setdefault(made.id, Known(S.CANDIDATE))
        if known.status == S.EXPIRED:
            known.status = S.CANDIDATE
        assert made.status == known.status in (S.CANDIDATE, S.EVALUATED)

    @rule(pick=st.randoms(use_true_random=False), score=st.floats(0, 10))
    def evaluate(self, pick: random.Random, score: float) -> None:
        genome = self.pick(pick, S.CANDIDATE)
        self.expect(genome, Move.EVALUATE, lambda: self.desk.ledger.mark_evaluated(genome.id, score))

    @rule(pick=st.randoms(use_true_random=False), days=st.integers(1, 5))
    def submit(self, pick: random.Random, days: int) -> None:
        genome = self.pick(pick, S.EVALUATED)
        cycles = self.desk.ledger.cycles(limit=10_000)
        own = [c.id for c in cycles if genome.id in {g.id for g in self.desk.ledger.genomes(cycle_id=c.id)}]
        told = report(genome, self.desk.active().genome_hash)
        known = self.model.genomes[genome.id]
        for cycle in own[:1]:
            if self.desk.ledger.cycle(cycle).state in ("decided", "finished"):
                return  # only a new cycle may ask again
            act = partial(self.desk.ledger.submit, genome.id, told, self.desk.now + days * DAY, cycle)
            if self.expect(genome, Move.SUBMIT, act):
                known.baseline, known.asked = told.active_hash, True

    @rule(pick=st.randoms(use_true_random=False), reviewer=st.sampled_from(["bob", "bob", "bob", "ada"]))
    def approve(self, pick: random.Random, reviewer: str) -> None:
        genome = self.pick(pick, S.PENDING_APPROVAL)
        known = self.model.genomes[genome.id]
        active = self.desk.active()
        act = partial(self.desk.ledger.approve, genome.id, approval(genome, reviewer), ROLES)
        possible = known.status != S.PENDING_APPROVAL or (reviewer == "bob" and known.baseline == active.genome_hash)
        if not possible:
            with pytest.raises(EvolutionRefused):
                act()
        elif self.expect(genome, Move.APPROVE, act):
            self.activated(genome.id, active.id)
            self.model.trail.append(genome.id)

    @rule(pick=st.randoms(use_true_random=False))
    def reject(self, pick: random.Random) -> None:
        genome = self.pick(pick, S.PENDING_APPROVAL)
        act = partial(self.desk.ledger.reject, genome.id, rejection(genome), ROLES)
        self.model.decisions += self.expect(genome, Move.REJECT, act)

    @rule(pick=st.randoms(use_true_random=False))
    def review_an_outdated_version(self, pick: random.Random) -> None:
        genome = self.pick(pick, S.PENDING_APPROVAL)
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

    @rule(pick=st.randoms(use_true_random=False))
    def delete(self, pick: random.Random) -> None:
        genome = self.pick(pick, S.EVALUATED)
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

    def pick(self, chance: random.Random, status: GenomeStatus) -> GenomeRecord:
        """Mostly a genome of that status, so that long ways through the machine are walked too."""
        fitting = [number for number, known in self.model.genomes.items() if known.status == status]
        anything = not fitting or chance.random() < 0.2
        return self.desk.ledger.genome(chance.choice(sorted(self.model.genomes) if anything else fitting))

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
        settings=settings(max_examples=40, stateful_step_count=40, deadline=None),
    )
