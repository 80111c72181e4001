from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.advice.schedule import scheduled
from iterative_retrieval.state.advice import Schedule

KNOWN = [0.8] * 5
TASKS = [f"task {i}" for i in range(400)]


def plain(calls: int, agreements: list[float], planner: bool = True, evaluator: bool = True) -> Schedule:
    """The schedule of most tasks: the one that does not measure again."""
    found = [scheduled(calls, t, agreements, planner, evaluator) for t in TASKS]
    return max(found, key=found.count)


def calls_of(schedule: Schedule) -> int:
    return schedule.planner + schedule.orders + schedule.rubric


def test_a_model_that_nobody_measured_judges_two_orders() -> None:
    assert plain(2, []) == Schedule(orders=2)


def test_a_known_model_plans_and_evaluates() -> None:
    found = plain(2, KNOWN)
    assert (found.planner, found.orders, found.rubric) == (True, 1, False)


def test_further_calls_go_to_code_and_then_to_a_second_order() -> None:
    assert plain(3, KNOWN).rubric
    assert plain(4, KNOWN).orders == 2
    assert calls_of(plain(50, KNOWN)) == 4


@pytest.mark.parametrize("calls", range(6))
@pytest.mark.parametrize("agreements", [[], [0.5], KNOWN, [0.0] * 9])
def test_no_schedule_exceeds_its_calls(calls: int, agreements: list[float]) -> None:
    for task in TASKS:
        assert calls_of(scheduled(calls, task, agreements, True, True)) <= calls


def test_a_doubted_model_goes_on_being_measured_and_plans_nothing() -> None:
    for known in (1, 3, 5):
        found = plain(3, [0.0] * known)
        assert (found.orders, found.planner) == (2, False)


def test_one_call_cannot_measure_and_says_so() -> None:
    found = plain(1, [])
    assert calls_of(found) == 0
    assert "two calls" in found.reason
    assert plain(1, KNOWN).orders == 1


def test_a_model_without_agreement_is_asked_only_now_and_then() -> None:
    found = [scheduled(2, task, [0.02] * 8, True, True) for task in TASKS]
    asked = sum(calls_of(s) > 0 for s in found)
    assert 20 < asked < 90
    assert all(s.reason for s in found if not calls_of(s))


def test_a_planner_alone_plans_and_an_evaluator_alone_evaluates() -> None:
    assert plain(2, [], evaluator=False) == Schedule(planner=True)
    assert not plain(4, KNOWN, planner=False).planner
    assert calls_of(plain(2, KNOWN, planner=False, evaluator=False)) == 0
