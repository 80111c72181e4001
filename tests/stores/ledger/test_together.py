"""Several people and processes at the same moment."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from iterative_retrieval.state.errors import AlreadyDecided, BudgetSpent, EvolutionRefused, StaleReview
from iterative_retrieval.state.evolution import Budget, Cost, GenomeStatus
from tests.stores.ledger.desk import DOMAIN, LAYER, ROLES, Desk, approval, mutation, rejection, result

CROWD = 8


def at_once(acts: Sequence[Callable[[], object]]) -> list[object]:
    """What each gave, or how it was refused, when all began at the same moment."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return act()
        except EvolutionRefused as refused:
            return refused

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def kinds(ends: Sequence[object]) -> Counter[type[object]]:
    return Counter(type(end) for end in ends if isinstance(end, EvolutionRefused))


def test_one_of_many_approvals_counts_and_the_others_learn_whose(desk: Desk) -> None:
    for round_number in range(5):
        genome = desk.pending(round_number, f"c-{round_number}")
        ends = at_once(
            [partial(desk.ledger.approve, genome.id, approval(genome, f"reviewer-{n}"), ROLES) for n in range(CROWD)]
        )
        assert kinds(ends) == {AlreadyDecided: CROWD - 1}
        (decision,) = desk.ledger.decisions(genome.id)
        assert decision in ends
        told = f"genome {genome.id} was approved by {decision.reviewer}"
        assert all(told in str(end) for end in ends if end != decision)


def test_an_approval_and_a_rejection_do_not_both_count(desk: Desk) -> None:
    for round_number in range(5):
        genome = desk.pending(round_number, f"c-{round_number}")
        acts = [(desk.ledger.approve, approval), (desk.ledger.reject, rejection)] * (CROWD // 2)
        ends = at_once([partial(act, genome.id, review(genome), ROLES) for act, review in acts])
        assert kinds(ends) == {AlreadyDecided: CROWD - 1}
        assert len(desk.ledger.decisions(genome.id)) == 1


def test_of_many_genomes_that_wait_one_becomes_active_and_the_others_are_stale(desk: Desk) -> None:
    waiting = [desk.pending(gene, f"c-{gene}") for gene in range(CROWD)]
    ends = at_once([partial(desk.ledger.approve, genome.id, approval(genome), ROLES) for genome in waiting])
    assert kinds(ends) == {StaleReview: CROWD - 1}
    assert len(desk.ledger.genomes(status=GenomeStatus.ACTIVE)) == 1
    assert len(desk.ledger.genomes(status=GenomeStatus.PENDING_APPROVAL)) == CROWD - 1


def test_the_same_genes_proposed_at_once_are_one_row(desk: Desk) -> None:
    desk.cycle()
    for gene in range(5):
        ends = at_once([partial(desk.ledger.propose, "c-1", mutation(gene))] * CROWD)
        assert ends == [desk.ledger.genomes(cycle_id="c-1")[0]] * CROWD


def test_processes_that_start_at_once_make_one_default(desk: Desk) -> None:
    for domain in ("law", "finance", "code"):
        ends = at_once([partial(desk.ledger.ensure_default, LAYER, domain, {})] * CROWD)
        assert ends == [desk.ledger.active(LAYER, domain)] * CROWD
        assert len(desk.ledger.history(LAYER, domain)) == 1


def test_the_last_calls_of_a_budget_are_taken_once(desk: Desk) -> None:
    desk.cycle(budget=Budget(calls=5))
    ends = at_once([partial(desk.ledger.reserve, "c-1", Cost(calls=1))] * CROWD)
    assert kinds(ends) == {BudgetSpent: CROWD - 5}
    assert desk.ledger.cycle("c-1").spent.calls == 5
    reservations = [end for end in ends if isinstance(end, int)]
    at_once([partial(desk.ledger.settle, number, Cost(calls=0)) for number in reservations * 2])
    assert desk.ledger.cycle("c-1").spent.calls == 0


def test_the_same_result_recorded_at_once_is_kept_once(desk: Desk) -> None:
    for number in range(5):
        ends = at_once([partial(desk.ledger.record_result, result(desk.default, f"q-{number}"))] * CROWD)
        assert Counter(ends) == {True: 1, False: CROWD - 1}


def test_a_rollback_of_what_was_seen_happens_once(desk: Desk) -> None:
    for gene in range(3):
        seen = desk.approved(gene, f"c-{gene}").genome_id
    ends = at_once([partial(desk.ledger.rollback, LAYER, DOMAIN, "bob", "worse", roles=ROLES, seen=seen)] * CROWD)
    assert kinds(ends) == {StaleReview: CROWD - 1}


def test_what_expires_while_it_is_approved_is_decided_once(desk: Desk) -> None:
    for round_number in range(5):
        genome = desk.pending(round_number, f"c-{round_number}", days=1)
        expire = partial(desk.ledger.expire_due, desk.now + 100_000)
        approve = partial(desk.ledger.approve, genome.id, approval(genome), ROLES)
        at_once([expire, approve] * (CROWD // 2))
        assert len(desk.ledger.decisions(genome.id)) == 1


def test_a_cycle_opened_at_once_is_one_cycle(desk: Desk) -> None:
    assert at_once([desk.cycle] * CROWD) == [desk.ledger.cycle("c-1")] * CROWD
