from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from iterative_retrieval.evolution.statistics import (
    EXACT_UP_TO,
    bootstrap_interval,
    holm,
    paired_difference,
    power_of,
    queries_needed,
    sign_flip_p,
    standard_error,
)

finite = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 2))


def _scipy_p(values: list[float], resamples: int = 9_999) -> float:
    found = stats.permutation_test(
        (np.array(values),),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(5),
    )
    return float(found.pvalue)


def test_three_wins_are_one_in_eight() -> None:
    assert sign_flip_p([1.0, 1.0, 1.0]) == 1 / 8


@given(st.lists(finite, min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_small_samples_agree_with_every_flip_counted_by_hand(values: list[float]) -> None:
    totals = [sum(s * v for s, v in zip(signs, values, strict=True)) for signs in product((1, -1), repeat=len(values))]
    assert sign_flip_p(values) == pytest.approx(np.mean([total >= sum(values) - 1e-9 for total in totals]))


def test_small_samples_agree_with_scipy() -> None:
    values = [0.5, -0.25, 1.5, 2.0, -1.0, 0.75, 0.25, 1.25]
    assert sign_flip_p(values) == pytest.approx(_scipy_p(values, 2**8))


def test_large_samples_agree_with_scipy_within_monte_carlo_error() -> None:
    values = np.random.default_rng(1).normal(0.2, 1.0, 60).tolist()
    assert sign_flip_p(values) == pytest.approx(_scipy_p(values), abs=0.015)


def test_wide_samples_are_drawn_in_parts_and_agree_with_scipy() -> None:
    values = np.random.default_rng(2).normal(0.08, 1.0, 300).tolist()
    assert sign_flip_p(values) == pytest.approx(_scipy_p(values), abs=0.015)


def test_exact_and_sampled_p_meet_at_the_border() -> None:
    values = np.random.default_rng(3).normal(0.3, 1.0, EXACT_UP_TO).tolist()
    assert sign_flip_p(values) == pytest.approx(sign_flip_p([*values, 1e-9]), abs=0.015)


def test_nothing_but_ties_is_no_evidence() -> None:
    assert sign_flip_p([0.0] * 50) == 1.0
    assert sign_flip_p([]) == 1.0


def test_ties_are_no_evidence_in_either_direction() -> None:
    assert sign_flip_p([1.0, 1.0, 1.0, 0.0, 0.0]) == sign_flip_p([1.0, 1.0, 1.0])


def test_a_sampled_p_is_never_zero() -> None:
    assert sign_flip_p([1.0] * 60, resamples=999) == pytest.approx(1 / 1000)


def test_signs_flip_per_cluster() -> None:
    assert sign_flip_p([1.0] * 12) == 1 / 2**12
    assert sign_flip_p([1.0] * 12, ["a"] * 6 + ["b"] * 6) == 1 / 4


def test_no_cluster_means_independent() -> None:
    values = [0.5, 1.0, -0.25, 0.75]
    assert sign_flip_p(values, ["", "", "", ""]) == sign_flip_p(values) == sign_flip_p(values, ["a", "b", "c", "d"])


def test_ignoring_clusters_promotes_luck_and_minding_them_does_not() -> None:
    """Ten documents of six questions each that share their document's luck; nothing is truly better."""
    rng, clusters = np.random.default_rng(7), [f"doc{i // 6}" for i in range(60)]
    worlds = [np.repeat(rng.normal(0, 1, 10), 6) + rng.normal(0, 0.3, 60) for _ in range(400)]
    assert np.mean([sign_flip_p(w, resamples=499) < 0.05 for w in worlds]) > 0.15
    assert np.mean([sign_flip_p(w, clusters) < 0.05 for w in worlds]) < 0.08


def test_yesterdays_p_can_be_repeated_and_another_seed_gives_another() -> None:
    values = np.random.default_rng(4).normal(0.2, 1.0, 40).tolist()
    assert sign_flip_p(values, seed=1) == sign_flip_p(values, seed=1)
    assert sign_flip_p(values, seed=1) != sign_flip_p(values, seed=2)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_an_unmeasured_difference_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="leave unmeasured queries out"):
        sign_flip_p([1.0, bad])


def test_clusters_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 differences but 1 clusters"):
        sign_flip_p([1.0, 2.0], ["a"])


def test_a_large_samples_interval_is_scipys_percentile_interval() -> None:
    values = np.random.default_rng(5).exponential(1.0, 400)
    theirs = stats.bootstrap(
        (values,), np.mean, confidence_level=0.9, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert bootstrap_interval(values) == pytest.approx((theirs.low, theirs.high), abs=0.015)


@pytest.mark.parametrize("n", [10, 30])
def test_the_interval_covers_the_truth_as_often_as_it_says(n: int) -> None:
    rng = np.random.default_rng(n)
    intervals = [bootstrap_interval(rng.normal(0.5, 2.0, n), resamples=1_000) for _ in range(600)]
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) == pytest.approx(0.9, abs=0.04)


def test_an_interval_of_clusters_is_wider_than_one_that_ignores_them() -> None:
    rng = np.random.default_rng(8)
    values, clusters = np.repeat(rng.normal(0, 1, 10), 6), [f"doc{i // 6}" for i in range(60)]
    low, high = bootstrap_interval(values, clusters)
    narrow = bootstrap_interval(values)
    assert high - low > 1.8 * (narrow[1] - narrow[0])


def test_the_mean_of_unequal_clusters_is_the_mean_over_queries() -> None:
    low, high = bootstrap_interval([1.0, 1.0, 1.0, 1.0, -1.0], ["a"] * 4 + ["b"])
    assert low == -1.0 and high == 1.0
    assert paired_difference([1.0, 1.0, 1.0, 1.0, -1.0], ["a"] * 4 + ["b"]).mean == pytest.approx(0.6)


@given(st.lists(finite, min_size=2, max_size=30))
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_mean_and_stays_among_the_differences(values: list[float]) -> None:
    low, high = bootstrap_interval(values, resamples=500, confidence=0.95)
    assert min(values) - 1e-9 <= low <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= high <= max(values) + 1e-9


def test_one_cluster_has_no_interval() -> None:
    assert bootstrap_interval([1.0, 2.0], ["a", "a"]) == (1.5, 1.5)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 90.0])
def test_a_confidence_outside_0_to_1_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        bootstrap_interval([1.0, 2.0], confidence=confidence)


def test_an_interval_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval([])


def test_a_paired_difference_of_nothing_is_no_evidence() -> None:
    found = paired_difference([])
    assert (found.n, found.mean, found.p) == (0, 0.0, 1.0)


def test_a_paired_difference_carries_its_parts() -> None:
    values = [1.0, 2.0, 0.0, 1.0, 1.0, 3.0]
    found = paired_difference(values, confidence=0.8)
    assert (found.n, found.confidence) == (6, 0.8)
    assert found.mean == pytest.approx(8 / 6)
    assert found.sd == pytest.approx(np.std(values, ddof=1))
    assert (found.low, found.high) == bootstrap_interval(values, confidence=0.8)
    assert found.p == sign_flip_p(values)


def test_holm_multiplies_the_smallest_by_how_many_there_are() -> None:
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_never_helps(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1.0 for p, a in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_the_standard_error_without_clusters_is_the_usual_one() -> None:
    values = [1.0, 3.0, 2.0, 7.0]
    assert standard_error(values) == pytest.approx(np.std(values, ddof=1) / 2)


def test_the_standard_error_of_repeated_questions_is_that_of_the_documents() -> None:
    values = [1.0, 3.0, 2.0, 7.0]
    repeated = [v for v in values for _ in range(5)]
    clusters = [str(i) for i in range(4) for _ in range(5)]
    assert standard_error(repeated, clusters) == pytest.approx(standard_error(values))


def test_one_cluster_has_no_standard_error() -> None:
    assert standard_error([1.0, 2.0, 3.0], ["a"] * 3) == float("inf")


@pytest.mark.parametrize(("effect", "needed"), [(0.5, 40), (0.3, 111), (0.1, 998)])
def test_queries_needed_follow_the_power_formula(effect: float, needed: int) -> None:
    """(1.645 + 0.842)^2 x 1.27^2 / effect^2: the spread of the published configurations."""
    assert queries_needed(effect, 1.27 / np.sqrt(60), 60) == pytest.approx(needed, abs=1)


def test_the_needed_queries_have_the_power_asked_for() -> None:
    n = queries_needed(0.3, 1.27 / 8, 64, alpha=0.05, power=0.8)
    assert n is not None
    rng = np.random.default_rng(9)
    found = [sign_flip_p(rng.normal(0.3, 1.27, n), resamples=999) < 0.05 for _ in range(300)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.07)
    assert power_of(0.3, 1.27 / np.sqrt(n)) == pytest.approx(0.8, abs=0.01)


def test_nobody_can_plan_with_an_unknown_error_or_without_an_effect() -> None:
    assert queries_needed(0.5, float("inf"), 3) is None
    with pytest.raises(ValueError, match="above 0"):
        queries_needed(0.0, 1.0, 10)


def test_without_noise_one_query_tells() -> None:
    assert queries_needed(0.5, 0.0, 10) == 1
    assert power_of(0.5, 0.0) == 1.0
    assert power_of(0.0, 0.0) == 0.0
