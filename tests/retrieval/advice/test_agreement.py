from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.advice.agreement import agreement, concordance, follows_order, pooled, trust

PATHS = [f"f{i}" for i in range(50)]


def test_equal_picks_agree_wholly_and_disjoint_ones_less_than_chance() -> None:
    assert agreement(["a", "b", "c"], ["a", "b", "c"], 50) == pytest.approx(1.0)
    assert agreement(["a", "b", "c"], ["d", "e", "f"], 50) < 0.0


def test_the_first_picks_count_most() -> None:
    assert agreement(["a", "b", "c"], ["a", "x", "y"], 50) > agreement(["a", "b", "c"], ["x", "y", "a"], 50)


@pytest.mark.parametrize(("k", "n"), [(3, 12), (5, 50), (8, 20)])
def test_chance_agrees_to_nothing_on_average(k: int, n: int) -> None:
    chance = Random(1)
    drawn = [agreement(chance.sample(PATHS[:n], k), chance.sample(PATHS[:n], k), n) for _ in range(4000)]
    assert abs(sum(drawn) / len(drawn)) < 0.02


@given(st.lists(st.sampled_from(PATHS), unique=True), st.lists(st.sampled_from(PATHS), unique=True))
def test_agreement_is_symmetric_and_bounded(first: list[str], second: list[str]) -> None:
    found = agreement(first, second, len(PATHS))
    assert -1.0 <= found <= 1.0
    assert found == agreement(second, first, len(PATHS))


@pytest.mark.parametrize(
    "places",
    [[0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7], [2, 0, 1, 3], [49, 48, 47], [47, 49, 48, 46]],
)
def test_picks_of_one_end_of_the_list_follow_its_order(places: list[int]) -> None:
    assert follows_order(places, 50)


def test_a_whole_list_in_its_own_order_follows_it() -> None:
    assert follows_order([0, 1, 2, 3], 4)
    assert not follows_order([2, 0, 3, 1], 4)


@pytest.mark.parametrize("places", [[7], [3, 41, 20], [12, 30, 2, 44, 25], [24, 25, 26]])
def test_picks_from_anywhere_do_not(places: list[int]) -> None:
    assert not follows_order(places, 50)


def test_honest_picks_are_seldom_taken_for_an_echo() -> None:
    chance = Random(2)
    wrong = sum(follows_order(chance.sample(range(50), 5), 50) for _ in range(4000))
    assert wrong / 4000 < 0.025


def test_what_a_model_picks_must_be_borne_out_by_the_evidence() -> None:
    assert concordance([0, 3, 8], 50) == 1.0
    assert concordance([45, 40, 48], 50) == -1.0
    assert concordance([24, 25, 24, 25], 50) == pytest.approx(0.0, abs=0.15)


def test_one_or_two_picks_may_stand_anywhere() -> None:
    assert concordance([48, 49], 50) == 1.0


def test_nothing_known_counts_as_nothing() -> None:
    assert trust(pooled(None, 0, 0.0)) == 0.0
    assert pooled(0.9, 0, 0.0) == pytest.approx(0.6)


def test_memory_steadies_what_one_request_shows() -> None:
    assert pooled(0.0, 10, 0.8) > pooled(0.0, 0, 0.0)
    assert pooled(0.9, 10, 0.0) < pooled(0.9, 0, 0.0)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_more_agreement_is_never_trusted_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= trust(low) <= trust(high) <= 1.0
    assert trust(0.05) == 0.0
