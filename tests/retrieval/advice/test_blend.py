from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.retrieval.advice.blend import lifted, pick_values
from iterative_retrieval.state.candidate import Evaluation

GENOME = default_retrieval()


def ranked(*scores: float) -> list[Evaluation]:
    """Evaluations best first, with relevance that falls."""
    ordered = sorted(scores, reverse=True)
    return [
        Evaluation(
            path=f"f{i}", score=s, relevance=round(0.9 / (i + 1), 3), probability=0.3, reason=f"because {i}", cycle=1
        )
        for i, s in enumerate(ordered)
    ]


def test_picks_are_worth_less_with_every_place() -> None:
    assert pick_values([["a", "b"]]) == {"a": 1.0, "b": pytest.approx(0.63, abs=0.01)}


def test_two_orders_count_half_each() -> None:
    assert pick_values([["a"], ["b"]]) == {"a": 0.5, "b": 0.5}
    assert pick_values([]) == {}


def test_without_a_lift_every_value_stays_to_the_last_bit() -> None:
    before = ranked(5.0, 4.0, 1.0)
    assert lifted(before, {}, {}, GENOME) == before
    assert lifted(before, {"elsewhere": 3.0}, {}, GENOME) == before


def test_a_lifted_file_overtakes_and_says_why() -> None:
    after = lifted(ranked(5.0, 4.0, 3.0), {"f2": 4.0}, {"f2": "picked by m"}, GENOME)
    assert [e.path for e in after] == ["f2", "f0", "f1"]
    assert after[0].reason == "because 2; picked by m"
    assert after[0].probability > 0.3 > after[1].probability


@given(st.lists(st.floats(-5, 10), min_size=2, max_size=20, unique=True), st.data())
def test_nothing_is_lowered_and_nothing_is_lost(scores: list[float], data: st.DataObject) -> None:
    before = ranked(*scores)
    picks = data.draw(st.dictionaries(st.sampled_from([e.path for e in before]), st.floats(0.01, 8), max_size=5))
    after = lifted(before, picks, {}, GENOME)
    held = {e.path: e for e in after}
    assert set(held) == {e.path for e in before}
    for e in before:
        assert held[e.path].score >= e.score - 1e-6
        assert held[e.path].relevance >= e.relevance
        assert 0.0 <= held[e.path].probability <= 1.0
    relevances = [e.relevance for e in after]
    assert relevances == sorted(relevances, reverse=True)
    assert [e.score for e in after] == sorted((e.score for e in after), reverse=True)
