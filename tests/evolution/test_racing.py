from __future__ import annotations

import inspect

import numpy as np
import pytest

from iterative_retrieval.evolution.racing import RacingPolicy, race

ACTIVE = {f"q{i:02}": 5.0 for i in range(16)}
SWING = [0.9, -0.9, 0.5, -0.5, 0.7, -0.7, 0.3, -0.3]


def _scores(gain: float, n: int = 8) -> dict[str, float]:
    """Scores that are better by ``gain`` in the mean, and swing so much that nobody is surely worse."""
    return {f"q{i:02}": 5.0 + gain + SWING[i % 8] for i in range(n)}


def test_the_better_half_goes_on() -> None:
    found = race(
        ACTIVE, {"a": _scores(0.1), "b": _scores(0.3), "c": _scores(-0.1), "d": _scores(0.2), "e": _scores(0)}, 0
    )
    assert found.go_on == ["b", "d", "a"]
    assert found.stopped == {"e": "place 4 of 5", "c": "place 5 of 5"}
    assert (found.final, found.queries) == (False, 16)


def test_the_last_round_names_one_finalist() -> None:
    found = race(ACTIVE, {"a": _scores(0.1, 16), "b": _scores(0.3, 16)}, 1)
    assert found.go_on == ["b"]
    assert found.final
    assert found.differences == pytest.approx({"a": 0.1, "b": 0.3})


def test_several_finalists_can_be_asked_for() -> None:
    found = race(ACTIVE, {"a": _scores(0.1, 16), "b": _scores(0.3, 16)}, 1, RacingPolicy(finalists=2))
    assert found.go_on == ["b", "a"]


def test_who_is_not_better_never_meets_the_gate() -> None:
    found = race(ACTIVE, {"a": _scores(0.0, 16), "b": _scores(-0.2, 16)}, 1)
    assert found.go_on == []
    assert "not better than the active genome on 16 queries" in found.stopped["a"]


def test_a_judge_that_gives_every_answer_the_same_mark_is_named() -> None:
    same = dict.fromkeys(ACTIVE, 10.0)
    found = race(same, {"a": dict(same)}, 1)
    assert found.stopped["a"].endswith("every answer got the same mark: this judge tells nothing apart")
    assert "same mark" not in race(ACTIVE, {"a": _scores(-0.4, 16)}, 1).stopped["a"]


def test_a_candidate_that_is_a_little_behind_may_still_go_on() -> None:
    assert race(ACTIVE, {"a": _scores(-0.2)}, 0).go_on == ["a"]


def test_a_clear_loser_stops_even_when_it_leads() -> None:
    worse = {query: score - 1.0 for query, score in ACTIVE.items()}
    found = race(ACTIVE, {"a": worse}, 0)
    assert found.go_on == []
    assert "clearly worse on 16 queries (-1.00" in found.stopped["a"]


def test_futility_can_be_switched_off() -> None:
    worse = {query: score - 1.0 for query, score in ACTIVE.items()}
    assert race(ACTIVE, {"a": worse}, 0, RacingPolicy(futility=0.0)).go_on == ["a"]


def test_one_bad_document_is_not_a_clear_loss() -> None:
    worse = {query: score - 1.0 for query, score in ACTIVE.items()}
    assert race(ACTIVE, {"a": worse}, 0, clusters=dict.fromkeys(ACTIVE, "doc")).go_on == ["a"]


def test_unmeasured_queries_are_left_out_of_both_sides() -> None:
    candidate = _scores(0.5)
    del candidate["q00"], candidate["q01"]
    assert race(ACTIVE, {"a": candidate}, 0).differences["a"] == pytest.approx(0.5)


def test_who_measured_too_little_stops() -> None:
    found = race(ACTIVE, {"a": {"q00": 10.0, "q01": 10.0}, "b": {}}, 0)
    assert found.go_on == []
    assert found.stopped == {"a": "only 2 queries measured, 4 needed", "b": "only 0 queries measured, 4 needed"}
    assert found.differences == {}


def test_ties_break_by_hash() -> None:
    scores = {name: _scores(0.1) for name in "dcba"}
    assert race(ACTIVE, scores, 0).go_on == ["a", "b"]


def test_everybody_is_either_on_or_stopped_with_a_reason() -> None:
    rng = np.random.default_rng(0)
    for round_index in (0, 1, 2):
        candidates = {str(i): {q: 5 + rng.normal(0, 2) for q in ACTIVE} for i in range(6)}
        found = race(ACTIVE, candidates, round_index)
        assert sorted([*found.go_on, *found.stopped]) == sorted(candidates)
        assert all(found.stopped.values())


def test_no_candidates_is_an_empty_race() -> None:
    assert race(ACTIVE, {}, 0).go_on == []


@pytest.mark.parametrize("rounds", [[8, 8], [16, 8], [0, 4]])
def test_rounds_must_grow(rounds: list[int]) -> None:
    with pytest.raises(ValueError, match="must grow"):
        RacingPolicy(rounds=rounds)


def test_racing_asks_for_no_confirm_scores() -> None:
    assert list(inspect.signature(race).parameters) == ["active", "candidates", "round_index", "policy", "clusters"]
