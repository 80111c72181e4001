"""The scorer's definitions on an example that can be worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.summary import Summary, summarize

INSTANCES: list[dict[str, Any]] = [
    {
        "instance_id": "one",
        "repo": "a/a",
        "language": "Go",
        "in_274": True,
        "gold_files": ["x.go"],
        "edit_functions": ["x.go:f"],
        "gold_lines": [["x.go", 7, 9]],
    },
    {
        "instance_id": "two",
        "repo": "a/a",
        "language": "Go",
        "gold_files": ["x.go", "y.go"],
        "gold_functions": ["x.go:f", "y.go:g"],
        "gold_lines": [["x.go", 7, 9], ["y.go", 1, 2]],
    },
    {"instance_id": "three", "repo": "b/b", "gold_files": ["z.py"]},
    {"instance_id": "four", "repo": "b/b", "gold_files": ["z.py"]},
]
ROWS: dict[str, dict[str, Any]] = {
    "one": {
        "instance_id": "one",
        "files": ["x.go", "w.go"],
        "functions": ["x.go:h", "x.go:f"],
        "context": [{"path": "x.go", "spans": [[10, 12]]}, {"path": "w.go", "spans": [[1, 2]]}],
        "cycles": [["w.go", "x.go"], ["x.go", "w.go"]],
        "sufficient": True,
        "tokens": 100,
        "seconds": 1.0,
        "probabilities": {"x.go": 0.8, "w.go": 0.2},
    },
    "two": {
        "instance_id": "two",
        "files": ["x.go", "a.go", "b.go", "y.go"],
        "functions": ["x.go:f"],
        "context": [{"path": "x.go", "spans": [[1, 9]]}],
        "cycles": [["x.go", "y.go"], ["x.go"]],
        "sufficient": True,
        "tokens": 300,
        "seconds": 3.0,
        "probabilities": {"x.go": 0.8},
    },
    "three": {"instance_id": "three", "files": [], "functions": [], "context": [], "cycles": [], "error": "it broke"},
}


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summarize(INSTANCES, ROWS)


def column(summary: Summary, measure: str) -> dict[str, float | None]:
    return {name: e.value for name, e in summary.numbers[measure].items()}


def test_strict_any_and_mrr_count_missing_and_failed_instances_as_misses(summary: Summary) -> None:
    assert column(summary, "files, strict") == {"@1": 0.25, "@3": 0.25, "@5": 0.5, "@10": 0.5, "@20": 0.5}
    assert column(summary, "files, any") == dict.fromkeys(("@1", "@3", "@5", "@10", "@20"), 0.5)
    assert column(summary, "MRR") == {"": 0.5}
    assert (summary.n, summary.missing, summary.failed) == (4, 1, ["three"])


def test_the_published_subset_is_counted_alone(summary: Summary) -> None:
    assert column(summary, "files, strict, 1")["@1"] == 1.0


def test_functions_prefer_the_edited_ones_and_count_instances_that_tell_some(summary: Summary) -> None:
    assert column(summary, "functions, strict, 2") == {"@1": 0.0, "@3": 0.5, "@5": 0.5, "@10": 0.5, "@20": 0.5}


def test_each_cycle_is_rated(summary: Summary) -> None:
    assert column(summary, "after cycle 1") == {"@1": 0.0, "@3": 0.5, "@5": 0.5, "@10": 0.5, "@20": 0.5}
    assert column(summary, "after cycle 2") == {"@1": 0.25, "@3": 0.25, "@5": 0.25, "@10": 0.25, "@20": 0.25}
    assert column(summary, "gold ranked after cycle 1") == {"": 0.5}
    assert column(summary, "gold ranked after cycle 2") == {"": (1 + 0.5) / 4}


def test_gold_files_that_a_later_cycle_lost_are_named(summary: Summary) -> None:
    assert summary.lost == ["two"]


def test_the_packed_context_is_judged_where_there_is_one(summary: Summary) -> None:
    # packed: one, two and the failed three, whose empty context is a miss
    assert column(summary, "context holds all gold") == {"": pytest.approx(1 / 3)}
    assert column(summary, "gold hunks inside spans") == {"": 0.5}  # "one" 1 of 1, "two" 0 of 2
    assert column(summary, "files a context") == {"": 1.0}
    assert column(summary, "tokens, median") == {"": 100.0}
    assert column(summary, "said sufficient") == {"": pytest.approx(2 / 3)}
    assert column(summary, "sufficient and right") == {"": 0.5}


def test_calibration_is_over_packed_files(summary: Summary) -> None:
    # bin .8: two files, said 1.6, right 2; bin .2: one file, said .2, right 0
    assert column(summary, "calibration error") == {"": pytest.approx((0.4 + 0.2) / 3)}
    assert summary.reliability[8] == [2.0, 0.8, 1.0]


def test_time_is_that_of_instances_that_finished(summary: Summary) -> None:
    assert column(summary, "seconds, median") == {"": 3.0}


def test_groups_need_their_key(summary: Summary) -> None:
    assert list(summary.groups["repository"]) == ["a/a", "b/b"]
    assert list(summary.groups["language"]) == ["Go"]
    assert summary.groups["repository"]["a/a"]["files, strict"]["@1"].value == 0.5


def test_files_alone_are_enough() -> None:
    summary = summarize(INSTANCES, {"one": {"instance_id": "one", "files": ["x.go"]}})
    assert column(summary, "files, strict")["@1"] == 0.25
    assert "context holds all gold" not in summary.numbers
    assert "MRR" in summary.as_text()


def test_the_text_shows_every_number_with_its_interval(summary: Summary) -> None:
    lines = {line.partition("  ")[0]: line for line in summary.as_text().splitlines()}
    assert "@5 50.0 [0.0, 100.0]" in lines["files, strict"]
    assert lines["MRR"].split()[1] == "0.500"
    assert "a/a" in lines
    assert "Go" in lines


def test_the_summary_is_plain_json(summary: Summary) -> None:
    told = json.loads(json.dumps(summary.as_json()))
    assert told["numbers"]["files, strict"]["@5"]["value"] == 0.5
