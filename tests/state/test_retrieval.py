from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from iterative_retrieval.state.candidate import Evaluation
from iterative_retrieval.state.loop import by_cycle, keep_best
from iterative_retrieval.state.package import CycleTrace
from iterative_retrieval.state.query import Query
from iterative_retrieval.state.retrieval import RetrievalInput


def evaluation(path: str, score: float, cycle: int = 1, relevance: float = 0.5) -> Evaluation:
    return Evaluation(path=path, score=score, relevance=relevance, probability=0.1, reason=f"{score}", cycle=cycle)


def trace(cycle: int, candidates: int = 0) -> CycleTrace:
    return CycleTrace(cycle=cycle, query=Query(), candidates=candidates, new_files=0)


_EVALUATIONS = st.lists(
    st.builds(evaluation, st.sampled_from("abcd"), st.integers(-3, 3).map(float), st.integers(1, 3)),
    max_size=5,
    unique_by=lambda e: e.path,
)
_TRACES = st.lists(st.builds(trace, st.integers(1, 3), st.integers(0, 5)), max_size=4)


@given(_EVALUATIONS, _EVALUATIONS)
def test_no_path_is_lost_or_demoted(known: list[Evaluation], new: list[Evaluation]) -> None:
    best = {e.path: e.score for e in keep_best(known, new)}
    assert set(best) == {e.path for e in [*known, *new]}
    assert all(best[e.path] >= e.score for e in [*known, *new])


@given(_EVALUATIONS, _EVALUATIONS, _EVALUATIONS)
def test_joining_evaluations_is_associative(a: list[Evaluation], b: list[Evaluation], c: list[Evaluation]) -> None:
    one, other = keep_best(keep_best(a, b), c), keep_best(a, keep_best(b, c))
    assert [(e.path, e.score) for e in one] == [(e.path, e.score) for e in other]


@given(_EVALUATIONS, _EVALUATIONS)
def test_joining_twice_changes_nothing(known: list[Evaluation], new: list[Evaluation]) -> None:
    once = keep_best(known, new)
    assert keep_best(once, new) == once
    assert keep_best(once, once) == once


@given(_EVALUATIONS, _EVALUATIONS)
def test_evaluations_are_best_first_with_ties_by_path(known: list[Evaluation], new: list[Evaluation]) -> None:
    keys = [(-e.score, e.path) for e in keep_best(known, new)]
    assert keys == sorted(keys)


def test_a_raised_path_keeps_the_cycle_that_found_it() -> None:
    assert keep_best([evaluation("a", 1.0, cycle=1)], [evaluation("a", 2.0, cycle=3)]) == [
        evaluation("a", 2.0, cycle=1)
    ]


def test_a_lower_score_does_not_replace_what_was_known() -> None:
    known = [evaluation("a", 2.0)]
    assert keep_best(known, [evaluation("a", 1.0, cycle=2)]) == known


@given(_TRACES, _TRACES, _TRACES)
def test_joining_traces_is_associative(a: list[CycleTrace], b: list[CycleTrace], c: list[CycleTrace]) -> None:
    assert by_cycle(by_cycle(a, b), c) == by_cycle(a, by_cycle(b, c))


@given(_TRACES, _TRACES)
def test_traces_are_one_a_cycle_in_order(known: list[CycleTrace], new: list[CycleTrace]) -> None:
    joined = by_cycle(known, new)
    assert [t.cycle for t in joined] == sorted({t.cycle for t in [*known, *new]})
    assert by_cycle(joined, new) == joined


def test_a_newer_trace_replaces_the_older() -> None:
    assert by_cycle([trace(1, 5), trace(2, 1)], [trace(1, 7)]) == [trace(1, 7), trace(2, 1)]


@pytest.mark.parametrize("wrong", [{"max_cycles": 0}, {"max_cycles": 4}, {"budget": 199}, {"depth": 1}])
def test_a_request_outside_its_bounds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        RetrievalInput.model_validate({"task": "x"} | wrong)
