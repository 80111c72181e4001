from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.promotion_cycles import Setting, article, shipped_gate
from benchmarks.promotion_gate import main, read_scores, summary, wilson

CYCLES = 25


def _scores(spread: float, configurations: int = 12, questions: int = 180) -> Any:
    """Configurations that truly differ by ``spread``, on questions that are easy or hard for all."""
    rng = np.random.default_rng(0)
    levels = spread * rng.standard_normal((configurations, 1)) + rng.normal(0, 1.0, questions)
    return np.clip(3.5 + levels + 0.9 * rng.standard_normal(levels.shape), 1, 5)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = {f"config {i:02}": row for i, row in enumerate(_scores(0.3).round(1).tolist())}
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"scores": {**rows, "without-context-gpt-4": [1.0] * 180}}))
    return path


def _json(
    data: Path, capsys: pytest.CaptureFixture[str], *more: str, cycles: int = CYCLES
) -> tuple[dict[str, Any], str]:
    assert main(["--data", str(data), "--cycles", str(cycles), "--json", *more]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


@pytest.mark.slow
def test_the_report_holds_both_rules_in_every_setting(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, progress = _json(data, capsys)
    asked = {"wrong_promotions", "gain_kept", "gain", "judge_calls", "power", "promotions"}
    assert list(found["article"]) == list(found["article_own_sample"]) == ["10", "15", "20"]
    rows = [
        *found["article"].values(),
        *found["article_own_sample"].values(),
        found["shipped_gate"],
        *found["pools"].values(),
    ]
    rows += [pair[rule] for pair in [found["replacement"], *found["noise"]] for rule in ("article", "shipped_gate")]
    assert all(asked <= row.keys() for row in rows)
    assert found["article"]["15"]["gain_kept"] == 1.0
    assert [row["judge_calls"] for row in found["article"].values()] == [60, 90, 120]
    assert {(pair["sd"], pair["repeats"]) for pair in found["noise"]} == {(0.5, 1), (0.5, 2), (1.0, 1), (1.0, 2)}
    assert all(0 <= pair["shipped_gate"]["false_promotions"] <= 1 for pair in found["a_a"])
    assert (found["configurations"], found["questions"]) == (12, 180)
    assert f"shipped gate: {CYCLES} of {CYCLES} cycles" in progress


@pytest.mark.slow
def test_the_same_seed_gives_the_same_report(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, other = (_json(data, capsys, "--seed", seed, cycles=6)[0] for seed in "334")
    for found in (first, second, other):
        del found["provenance"]  # the commit
    assert first == second
    assert other["shipped_gate"] != first["shipped_gate"]


@pytest.mark.slow
def test_without_json_it_prints_tables(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--cycles", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("**shipped gate**" in line for line in lines) == 1
    assert {line.count("|") for line in lines if line} == {9, 4}


def test_the_article_promotes_a_worse_one_more_often_on_fewer_questions_and_on_own_samples() -> None:
    scores = _scores(0.3)
    wrong = [summary(article(scores, n, 8_000, 1, Setting()))["wrong_promotions"] for n in (5, 15, 60)]
    assert wrong[0] > wrong[1] > wrong[2]
    assert summary(article(scores, 15, 8_000, 1, Setting(), own_sample=True))["wrong_promotions"] > wrong[1]


def test_the_article_promotes_one_of_five_copies_in_five_of_six_cycles() -> None:
    promoted = summary(article(_scores(0.3), 15, 8_000, 1, Setting(sd=1.0, same=True)))["promotions"]
    assert promoted == pytest.approx(5 / 6, abs=0.02)


def test_the_shipped_gate_is_far_less_often_wrong() -> None:
    scores = _scores(0.3)
    usual = summary(article(scores, 15, 8_000, 1, Setting()))
    ours = summary(shipped_gate(scores, 150, 1, Setting(), lambda done: None), usual["gain"])
    assert usual["wrong_promotions"] > 0.08
    assert ours["wrong_promotions"] < 0.02
    assert ours["gain_kept"] > 0.8


def test_the_shipped_gate_promotes_hardly_any_copy() -> None:
    ours = summary(shipped_gate(_scores(0.3), 100, 1, Setting(sd=1.0, same=True), lambda done: None))
    assert ours["promotions"] < 0.1


def test_two_judgements_cost_twice_one() -> None:
    once, twice = (shipped_gate(_scores(0.3), 5, 1, Setting(0.0, repeats), lambda done: None) for repeats in (1, 2))
    assert twice.calls.tolist() == (2 * once.calls).tolist()
    assert once.calls.min() >= 6 * 8


def test_the_degenerate_configuration_is_left_out(data: Path) -> None:
    assert read_scores(data).shape == (12, 180)


def test_a_share_has_wilsons_interval() -> None:
    assert wilson(0, 1200) == [0.0, 0.0032]
    assert wilson(5, 10) == [0.2366, 0.7634]
    assert wilson(0, 0) is None


def test_nobody_promoted_is_no_share_of_wrong_promotions() -> None:
    found = summary(shipped_gate(np.full((6, 60), 3.0), 5, 1, Setting(), lambda done: None))
    assert (found["promotions"], found["wrong_promotions"], found["gain"]) == (0.0, None, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "does not hold scores"),
        ('{"other": 1}', "does not hold scores"),
        (json.dumps({"scores": {"a": [1.0] * 60}}), "more than 5 configurations"),
        (json.dumps({"scores": {str(i): [1.0] * 10 for i in range(9)}}), "on at least 36 questions"),
        (json.dumps({"scores": {str(i): [1.0] * (40 + i) for i in range(9)}}), "does not hold scores"),
    ],
)
def test_unfit_data_are_one_line_that_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text)
    assert main(["--data", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_file_and_no_cycles_are_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(tmp_path / "none.json")]) == 2
    assert "does not hold scores" in capsys.readouterr().err
    assert main(["--data", str(data), "--cycles", "0"]) == 2
    assert "--cycles must be at least 1" in capsys.readouterr().err
