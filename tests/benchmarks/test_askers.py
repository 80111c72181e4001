"""The benchmark of other ways of asking: its texts, its derived askings, its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.asker_numbers import Limits, compared, over_limits, table
from benchmarks.askers import DATA, main
from benchmarks.askings import KINDS, LOG_LINES, WRITTEN, asked, pasted_log, read_askings
from benchmarks.instances import pieces
from benchmarks.predictions import BenchmarkError
from iterative_retrieval.retrieval.documents.language import language_of_text
from tests.benchmarks.conftest import Bench, rows_of

ISSUE: dict[str, Any] = {
    "instance_id": "a__b-7",
    "repo": "a/b",
    "problem_statement": "Title\nfirst\nsecond\nthird",
    "gold_files": ["a.py"],
}


def test_forty_issues_are_asked_in_every_written_way() -> None:
    askings = read_askings(DATA)
    assert len(askings) == 40
    assert all(set(texts) == set(WRITTEN) for texts in askings.values())


def test_every_paraphrase_is_in_its_language() -> None:
    codes = {"german": "de", "russian": "ru", "chinese": "zh"}
    for texts in read_askings(DATA).values():
        assert {kind: language_of_text(texts[kind]) for kind in codes} == codes


def test_an_issue_is_asked_once_in_each_way_and_keeps_its_gold() -> None:
    found = asked(ISSUE, dict.fromkeys(WRITTEN, "other words"), KINDS)
    assert [a["asked_as"] for a in found] == list(KINDS)
    assert len({a["instance_id"] for a in found}) == len(KINDS)
    assert {a["issue"] for a in found} == {"a__b-7"}
    assert all(a["gold_files"] == ["a.py"] for a in found)


def test_the_title_is_asked_first_and_pays_for_opening_the_commit() -> None:
    found = asked(ISSUE, dict.fromkeys(WRITTEN, "other words"), KINDS)
    assert [a["asked_as"] for a in pieces(found, 100)[0]][:2] == ["title", "original"]


def test_a_way_without_a_text_is_left_out() -> None:
    assert [a["asked_as"] for a in asked(ISSUE, {"german": "Titel"}, ["original", "german", "russian"])] == [
        "original",
        "german",
    ]


def test_derived_texts_are_parts_of_the_issue_or_hold_it() -> None:
    texts = {a["asked_as"]: a["problem_statement"] for a in asked(ISSUE, {}, KINDS)}
    log = pasted_log("a__b-7")
    assert texts == {
        "original": "Title\nfirst\nsecond\nthird",
        "title": "Title",
        "half": "Title\nfirst",
        "log behind": f"Title\nfirst\nsecond\nthird\n\n{log}\n",
        "log before": f"Title\n\n{log}\n\nfirst\nsecond\nthird",
    }


def test_a_log_is_twenty_pages_and_the_same_every_time() -> None:
    assert pasted_log("x").count("\n") + 1 == LOG_LINES
    assert pasted_log("x") == pasted_log("x")
    assert pasted_log("x") != pasted_log("y")


def test_a_damaged_data_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "askers.jsonl"
    broken.write_text('{"instance_id": "a", "kind": "paraphrase", "language": "xx", "text": "t"}\n')
    with pytest.raises(BenchmarkError, match=r"askers\.jsonl.*KeyError 'xx'"):
        read_askings(broken)


def test_a_gain_is_over_the_original_wording_of_the_same_issue() -> None:
    numbers = _numbers(original=["x.py", "a.py"], german=["a.py"])
    assert numbers["german"]["gained @1"]["value"] == 1.0
    assert numbers["german"]["gained @5"]["value"] == 0.0
    assert numbers["original"]["gained @1"]["value"] == 0.0


def test_an_asking_without_a_row_is_a_miss() -> None:
    askings = asked(ISSUE, {}, ["original"])
    assert compared(askings, {})["original"]["@10"]["value"] == 0.0


def test_a_log_that_costs_too_much_is_told() -> None:
    numbers = _numbers(original=["a.py"], **{"log behind": ["a.py"]})
    assert over_limits(numbers, Limits(times=1.0, mb=10)) == []
    slow = {"log behind": {**numbers["log behind"], "times": 1.6, "grown_mb": 11.0}}
    assert over_limits(slow, Limits(times=1.5, mb=10)) == [
        "log behind: 1.60 times the seconds of the original, at most 1.5",
        "log behind: peak memory rose by 11 MB, at most 10",
    ]


def test_the_table_has_a_row_for_each_way() -> None:
    lines = table(_numbers(original=["x.py"], german=["a.py"])).split("\n")
    assert [line.split(" | ")[:3] for line in lines[2:]] == [
        ["| original", "1", "0 [0, 0]"],
        ["| german", "1", "100 [100, 100]"],
    ]


def test_the_command_asks_the_product_and_prints_numbers(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "askers.jsonl", tmp_path / "out.jsonl"
    text = "Die Funktion expiry_of rechnet den Ablauf des Tokens falsch"
    row = {"instance_id": "acme__shop-2", "kind": "paraphrase", "language": "de", "text": text}
    data.write_text(json.dumps(row))
    more = ["--data", str(data), "--out", str(out), "--cache", str(bench.cache), "--jobs", "1", "--json"]
    assert main(bench.arguments(*more, "--kinds", "german")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["kinds"]["german"]["@1"]["value"] == 1.0
    assert list(printed["kinds"]) == ["original", "title", "german"]
    assert all(row["grown_mb"] >= 0 for row in rows_of(out).values())


def test_a_data_file_that_speaks_of_no_chosen_instance_is_told(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(bench.arguments("--cache", str(bench.cache))) == 2
    assert "has other words for none of the chosen instances" in capsys.readouterr().err


def _numbers(**files: list[str]) -> dict[str, dict[str, Any]]:
    askings = asked(ISSUE, {"german": "Titel"}, list(files))
    rows = {
        a["instance_id"]: {"instance_id": a["instance_id"], "files": files[a["asked_as"]], "seconds": 1.0}
        for a in askings
    }
    return compared(askings, rows)
