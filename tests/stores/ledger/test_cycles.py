"""Cycles, their budgets, and what is put right after a crash."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest

from iterative_retrieval.state.errors import BudgetSpent, NotAllowed, UnknownGenome
from iterative_retrieval.state.evolution import Budget, Cost, GenomeStatus
from iterative_retrieval.state.ledger_ports import CycleRecord, CycleState, Spending
from tests.stores.ledger.desk import DAY, DOMAIN, LAYER, ROLES, Desk, approval, cycle_record, mutation, result

HOUR = 3600.0
CALL = Cost(calls=1, tokens=100, seconds=0.1)


# Cycles


def test_a_cycle_runs_from_when_it_was_opened(desk: Desk) -> None:
    asked = cycle_record("c-1", budget=Budget(calls=5, tokens=None, seconds=0.3), seed=2**40)
    made = desk.ledger.open_cycle(asked)
    assert made == asked.model_copy(update={"created": desk.now, "updated": desk.now})
    assert desk.ledger.cycle("c-1") == made


def test_the_same_cycle_again_gives_what_is_there(desk: Desk) -> None:
    made = desk.cycle(budget=Budget(seconds=1 / 3))
    desk.now += 5
    assert desk.cycle(budget=Budget(seconds=1 / 3)) == made


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"requester": "eve"}, "requester"),
        ({"seed": 9}, "seed"),
        ({"domain": "law"}, "domain"),
        ({"layer": "routing"}, "layer"),
        ({"budget": Budget(calls=9)}, "most_calls"),
    ],
)
def test_the_id_of_a_cycle_belongs_to_what_was_asked_for(desk: Desk, other: dict[str, object], name: str) -> None:
    desk.cycle()
    with pytest.raises(NotAllowed, match=f"cycle c-1 exists with another {name}"):
        desk.ledger.open_cycle(cycle_record("c-1").model_copy(update=other))


@pytest.mark.parametrize("field", ["id", "domain", "requester"])
def test_a_cycle_names_who_asks_for_what(desk: Desk, field: str) -> None:
    with pytest.raises(NotAllowed, match="needs an id, a domain and a requester"):
        desk.ledger.open_cycle(cycle_record("c-1").model_copy(update={field: " "}))


def test_the_pools_of_a_cycle_do_not_change(desk: Desk) -> None:
    desk.cycle()
    pools = {"select": "aa", "confirm": "bb"}
    desk.ledger.note_pools("c-1", pools)
    desk.ledger.note_pools("c-1", pools)
    assert desk.ledger.cycle("c-1").pools == pools
    with pytest.raises(NotAllowed, match="begun with other queries"):
        desk.ledger.note_pools("c-1", {**pools, "confirm": "cc"})


def test_a_cycle_that_promotes_nobody_keeps_its_report(desk: Desk) -> None:
    genome = desk.evaluated(1)
    assert desk.ledger.report("c-1") is None
    desk.now += 9
    desk.ledger.finish_cycle("c-1", "nobody passed", desk.report(genome, "undecided"))
    cycle = desk.ledger.cycle("c-1")
    assert (cycle.state, cycle.note, cycle.finished) == (CycleState.FINISHED, "nobody passed", desk.now)
    assert desk.ledger.report("c-1") == desk.report(genome, "undecided")


def test_what_is_over_stays_as_it_ended(desk: Desk) -> None:
    desk.cycle()
    desk.ledger.finish_cycle("c-1", "out of disk", failed=True)
    ended = desk.ledger.cycle("c-1")
    assert ended.state == CycleState.FAILED
    desk.ledger.finish_cycle("c-1", "all is well")
    assert desk.ledger.cycle("c-1") == ended
    for act in (lambda: desk.ledger.propose("c-1", mutation(1)), lambda: desk.ledger.reserve("c-1", CALL)):
        with pytest.raises(NotAllowed, match=r"cycle c-1 is failed \(out of disk\); begin a new one"):
            act()


def test_a_cycle_that_waits_for_a_person_does_not_end_by_itself(desk: Desk) -> None:
    genome = desk.pending(1)
    with pytest.raises(NotAllowed, match="waits for a person's decision"):
        desk.ledger.finish_cycle("c-1")
    desk.ledger.approve(genome.id, approval(genome), ROLES)
    desk.ledger.finish_cycle("c-1")
    assert desk.ledger.cycle("c-1").state == CycleState.FINISHED
    assert desk.ledger.report("c-1") is not None


def test_cycles_are_listed_the_newest_first(desk: Desk) -> None:
    for number in range(3):
        desk.now += 1
        desk.cycle(f"c-{number}")
    desk.ledger.finish_cycle("c-1")
    desk.ledger.open_cycle(cycle_record("law-1").model_copy(update={"domain": "law"}))

    def found(cycles: list[CycleRecord]) -> list[str]:
        return [cycle.id for cycle in cycles]

    assert found(desk.ledger.cycles(LAYER, DOMAIN)) == ["c-2", "c-1", "c-0"]
    assert found(desk.ledger.cycles(state=CycleState.RUNNING, limit=2)) == ["law-1", "c-2"]
    assert found(desk.ledger.cycles("routing")) == []


def test_an_unknown_cycle_is_named(desk: Desk) -> None:
    ledger = desk.ledger
    for act in (ledger.cycle, ledger.report, ledger.spending, ledger.finish_cycle):
        with pytest.raises(UnknownGenome, match="no cycle 'c-9' in the ledger"):
            act("c-9")
    with pytest.raises(UnknownGenome, match="no cycle 'c-9'"):
        ledger.reserve("c-9", CALL)


# Budgets


def test_what_is_reserved_counts_until_it_is_settled(desk: Desk) -> None:
    desk.cycle(budget=Budget(calls=10, tokens=1000, seconds=1.0))
    first, second = (desk.ledger.reserve("c-1", CALL, "q-1") for _ in range(2))
    assert desk.ledger.cycle("c-1").spent == Cost(calls=2, tokens=200, seconds=0.2)
    desk.ledger.settle(first, Cost(calls=1, tokens=30, seconds=0.01))
    assert desk.ledger.cycle("c-1").spent == Cost(calls=2, tokens=130, seconds=0.11)
    desk.ledger.settle(second, Cost())
    assert desk.ledger.spending("c-1") == Spending(settled=Cost(calls=1, tokens=30, seconds=0.01))


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(calls=3), "3 of 3 calls are spent or reserved, and this takes up to 1 more"),
        (Budget(tokens=350), "300 of 350 tokens are spent or reserved, and this takes up to 100 more"),
        (Budget(seconds=0.3), "0.3 of 0.3 seconds are spent or reserved, and this takes up to 0.1 more"),
    ],
)
def test_a_budget_is_never_exceeded(desk: Desk, budget: Budget, told: str) -> None:
    desk.cycle(budget=budget)
    for _ in range(3):
        desk.ledger.reserve("c-1", CALL)
    with pytest.raises(BudgetSpent, match=f"cycle c-1: {told}; give the next cycle a larger budget"):
        desk.ledger.reserve("c-1", CALL)
    assert desk.ledger.cycle("c-1").spent == Cost(calls=3, tokens=300, seconds=0.3)


def test_a_budget_without_a_limit_ends_never(desk: Desk) -> None:
    desk.cycle()
    desk.ledger.reserve("c-1", Cost(calls=10**12, tokens=10**15, seconds=1e9))
    assert desk.ledger.cycle("c-1").spent.tokens == 10**15


def test_a_budget_may_be_larger_than_any_column(desk: Desk) -> None:
    desk.cycle(budget=Budget(calls=10**30, tokens=10**30, seconds=math.inf))
    desk.ledger.reserve("c-1", CALL)
    assert desk.cycle(budget=Budget(calls=10**30, tokens=10**30, seconds=math.inf)).spent == CALL


def test_a_spent_kind_does_not_stop_a_call_that_takes_none_of_it(desk: Desk) -> None:
    desk.cycle(budget=Budget(calls=5, tokens=0))
    desk.ledger.reserve("c-1", Cost(calls=1))
    with pytest.raises(BudgetSpent, match="0 of 0 tokens"):
        desk.ledger.reserve("c-1", CALL)


def test_what_a_call_did_not_take_is_free_again(desk: Desk) -> None:
    desk.cycle(budget=Budget(tokens=100))
    desk.ledger.settle(desk.ledger.reserve("c-1", CALL), Cost(tokens=40))
    with pytest.raises(BudgetSpent):
        desk.ledger.reserve("c-1", CALL)
    desk.ledger.reserve("c-1", Cost(tokens=60))


def test_a_call_that_took_more_than_was_reserved_is_kept_as_it_was(desk: Desk) -> None:
    desk.cycle(budget=Budget(tokens=150))
    desk.ledger.settle(desk.ledger.reserve("c-1", CALL), Cost(tokens=170))
    assert desk.ledger.cycle("c-1").spent.tokens == 170
    with pytest.raises(BudgetSpent, match="170 of 150 tokens"):
        desk.ledger.reserve("c-1", Cost(tokens=1))


def test_a_call_is_settled_once(desk: Desk) -> None:
    desk.cycle()
    reservation = desk.ledger.reserve("c-1", CALL)
    for took in (10, 20):
        desk.ledger.settle(reservation, Cost(tokens=took))
    assert desk.ledger.cycle("c-1").spent.tokens == 10
    with pytest.raises(UnknownGenome, match="no reservation 999"):
        desk.ledger.settle(999, CALL)


def test_a_result_and_what_it_took_are_one_transaction(desk: Desk) -> None:
    genome = desk.candidate(1)
    reservation = desk.ledger.reserve("c-1", CALL)
    broken = result(genome.model_copy(update={"id": 999}))
    with pytest.raises(UnknownGenome):
        desk.ledger.record_result(broken, reservation)
    assert desk.ledger.spending("c-1").open == CALL
    assert desk.ledger.record_result(result(genome), reservation)
    assert not desk.ledger.record_result(result(genome), reservation)
    assert desk.ledger.spending("c-1") == Spending(settled=result(genome).cost)


# After a crash


def test_nothing_is_done_when_nothing_is_half_made(desk: Desk) -> None:
    desk.pending(1)
    desk.ledger.reserve("c-1", CALL)
    assert desk.ledger.reconcile() == []


def test_reservations_that_nobody_settled_count_in_full(desk: Desk) -> None:
    desk.cycle(budget=Budget(calls=3))
    for _ in range(2):
        reservation = desk.ledger.reserve("c-1", CALL)
    desk.now += HOUR - 1
    desk.ledger.reserve("c-1", CALL)
    desk.now += 2
    assert desk.ledger.reconcile() == ["cycle c-1: 2 reservation(s) of calls that never came back count in full"]
    assert desk.ledger.spending("c-1") == Spending(lost=Cost(calls=2, tokens=200, seconds=0.2), open=CALL)
    assert desk.ledger.reconcile() == []
    desk.ledger.settle(reservation, Cost(calls=1, tokens=5))  # it came back after all
    assert desk.ledger.spending("c-1").settled == Cost(calls=1, tokens=5)
    assert desk.ledger.cycle("c-1").spent == Cost(calls=3, tokens=205, seconds=0.2)


def test_a_cycle_without_a_sign_of_life_is_interrupted_and_goes_on_when_it_is_resumed(desk: Desk) -> None:
    desk.cycle()
    desk.now += HOUR + 1
    (said,) = desk.ledger.reconcile()
    assert said.startswith("cycle c-1 is interrupted: nothing was heard of it since 1970-01-12 13:46 UTC")
    assert desk.ledger.cycle("c-1").state == CycleState.INTERRUPTED
    desk.ledger.propose("c-1", mutation(1))
    assert desk.ledger.cycle("c-1").state == CycleState.RUNNING
    desk.now += HOUR + 1
    desk.ledger.reconcile()
    assert desk.cycle().state == CycleState.RUNNING


def test_every_piece_of_work_is_a_sign_of_life(desk: Desk) -> None:
    desk.cycle()
    steps: list[Callable[[], object]] = [
        partial(desk.ledger.reserve, "c-1", CALL),
        partial(desk.ledger.settle, 1, CALL),
        partial(desk.ledger.propose, "c-1", mutation(2)),
        partial(desk.ledger.note_pools, "c-1", {}),
    ]
    for step in steps:
        desk.now += HOUR - 1
        step()
        assert [line for line in desk.ledger.reconcile() if "interrupted" in line] == []
        assert desk.ledger.cycle("c-1").updated == desk.now


def test_a_cycle_may_be_as_slow_as_it_is_told(desk: Desk) -> None:
    desk.cycle()
    assert desk.ledger.reconcile(desk.now + 10 * HOUR, patience=11 * HOUR) == []


def test_what_is_over_time_expires(desk: Desk) -> None:
    genome = desk.pending(1, days=1)
    (said,) = desk.ledger.reconcile(desk.now + DAY)
    assert said == f"genome {genome.id} expired: nobody decided until 1970-01-13 13:46 UTC"
    assert desk.ledger.genome(genome.id).status == GenomeStatus.EXPIRED
    assert desk.ledger.cycle("c-1").state == CycleState.DECIDED


def test_a_decision_that_no_thread_heard_of_stands_and_its_cycle_ends(desk: Desk) -> None:
    genome = desk.pending(1)
    desk.ledger.approve(genome.id, approval(genome), ROLES)
    assert desk.ledger.reconcile() == []  # whoever resumes threads has time to do it
    assert [cycle.id for cycle in desk.ledger.cycles(state=CycleState.DECIDED)] == ["c-1"]
    desk.now += HOUR + 1
    (said,) = desk.ledger.reconcile()
    assert said.startswith(f"cycle c-1 is finished: genome {genome.id} approved by bob")
    assert desk.ledger.cycle("c-1").finished == desk.now
    assert desk.active().id == genome.id


def test_a_cycle_that_waits_for_a_person_is_left_alone(desk: Desk) -> None:
    desk.pending(1, days=30)
    desk.now += 20 * DAY
    assert desk.ledger.reconcile() == []
