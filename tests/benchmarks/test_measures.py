from __future__ import annotations

import numpy as np
import pytest

from benchmarks.measures import (
    Floats,
    Statistic,
    any_at,
    calibration_error,
    drawings,
    estimate,
    hunk_share,
    mean,
    median,
    ranking_after,
    reciprocal_rank,
    reliability,
    strict_at,
)


def value(statistic: Statistic, n: int) -> float:
    once: Floats = np.ones((1, n))
    return float(statistic(once)[0])


def test_strict_wants_every_gold_file_within_k() -> None:
    assert strict_at(["a", "b"], ["a", "x", "b"], 3)
    assert not strict_at(["a", "b"], ["a", "x", "b"], 2)
    assert not strict_at(["a"], [], 20)


def test_any_wants_one_gold_file_within_k() -> None:
    assert any_at(["a", "b"], ["x", "b"], 2)
    assert not any_at(["a", "b"], ["x", "b"], 1)


def test_an_instance_without_gold_is_never_a_hit() -> None:
    assert not strict_at([], ["a"], 5)
    assert not any_at([], ["a"], 5)


def test_reciprocal_rank_takes_the_best_placed_gold_file() -> None:
    assert reciprocal_rank(["b", "c"], ["a", "b", "c"]) == 0.5
    assert reciprocal_rank(["z"], ["a"]) == 0.0


def test_a_loop_that_ended_early_keeps_its_last_ranking() -> None:
    row = {"cycles": [["a"], ["b", "a"]]}
    assert [ranking_after(row, c) for c in (1, 2, 3)] == [["a"], ["b", "a"], ["b", "a"]]
    assert ranking_after({"cycles": []}, 2) == ranking_after({}, 1) == []


def test_a_hunk_is_inside_when_its_first_changed_line_is_in_a_span() -> None:
    row = {"context": [{"path": "a.py", "spans": [[1, 4], [13, 20]]}]}
    # the change begins three lines below the hunk: at 4, 5, 13 and, in another file, 4
    assert hunk_share([["a.py", 1, 7]], row) == 1.0
    assert hunk_share([["a.py", 2, 7]], row) == 0.0
    assert hunk_share([["a.py", 10, 7], ["b.py", 1, 7]], row) == 0.5
    assert hunk_share([], row) is None


def test_a_mean_leaves_out_what_is_not_there() -> None:
    assert value(mean([1.0, None, 0.0, 1.0]), 4) == pytest.approx(2 / 3)
    assert np.isnan(value(mean([None, None]), 2))


def test_a_median_of_an_even_number_is_the_upper_middle_one() -> None:
    assert value(median([4.0, 1.0, 3.0, 2.0]), 4) == 3.0
    assert value(median([5.0, None, 1.0, 9.0]), 4) == 5.0
    assert np.isnan(value(median([]), 0))


def test_a_median_counts_an_instance_as_often_as_it_was_drawn() -> None:
    draws = np.array([[3.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
    assert median([1.0, 2.0, 3.0])(draws).tolist() == [1.0, 3.0]


def test_perfect_calibration_has_no_error() -> None:
    said = [{"a": 0.5, "b": 0.5}, {"c": 1.0}, {"d": 0.0}]
    assert value(calibration_error(said, [{"a"}, {"c"}, set()]), 3) == 0.0


def test_calibration_error_weighs_each_bin_by_its_files() -> None:
    # bin 0.9: said .95 + .95, one of two right: |1.9 - 1|; bin 0.1: said .1, none right: |.1 - 0|; three files
    said = [{"a": 0.95, "b": 0.95}, {"c": 0.1}]
    assert value(calibration_error(said, [{"a"}, set()]), 2) == pytest.approx((0.9 + 0.1) / 3)


def test_errors_of_different_bins_do_not_cancel() -> None:
    said = [{"a": 0.25, "b": 0.75}]
    assert value(calibration_error(said, [{"a"}]), 1) == pytest.approx((0.75 + 0.75) / 2)


def test_certainty_falls_into_the_last_bin() -> None:
    assert reliability([{"a": 1.0}], [{"a"}])[0, -1].tolist() == [1.0, 1.0, 1.0]


def test_an_interval_holds_the_value_and_narrows_with_more_instances() -> None:
    few, many = [1.0, 0.0] * 10, [1.0, 0.0] * 200
    a = estimate(mean(few), drawings(len(few)), len(few))
    b = estimate(mean(many), drawings(len(many)), len(many))
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    assert a.low < 0.5 < a.high
    assert b.high - b.low < (a.high - a.low) / 3
    # a share of one half over 400 instances has a standard error of 2.5 points
    assert b.low == pytest.approx(0.451, abs=0.01)


def test_the_same_seed_gives_the_same_interval() -> None:
    assert np.array_equal(drawings(30), drawings(30))
    assert (drawings(30).sum(axis=1) == 30).all()


def test_nothing_to_measure_has_no_value() -> None:
    assert estimate(mean([]), drawings(0), 0).value is None
