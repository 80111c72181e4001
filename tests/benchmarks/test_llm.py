from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.localization import main
from tests.benchmarks.conftest import Bench, rows_of
from tests.graph.advised import oracle
from tests.openai_server import OpenAIServer, Status


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "predictions.jsonl"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        monkeypatch.setenv("IR_MODEL", "small")
        monkeypatch.setenv("IR_MODEL_RETRIES", "0")
        monkeypatch.setenv("IR_MODEL_PRICE_INPUT", "1000000")
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running


def command(bench: Bench, out: Path, *more: str) -> list[str]:
    ids = ["--ids", "acme__shop-2"]
    return bench.arguments("--out", str(out), "--cache", str(bench.cache), "--jobs", "1", *ids, "--llm", *more)


def test_offline_and_with_models_stand_side_by_side(
    bench: Bench, out: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.then(oracle("shop/auth.py"))
    assert main(command(bench, out)) == 0
    row = rows_of(out)["acme__shop-2"]
    assert row["offline"]["files"][0] == "shop/tokens.py"
    assert row["files"][0] == "shop/auth.py"
    assert row["advice"][0]["outcome"] == "used"
    told = json.loads((out.parent / "predictions.summary.json").read_text())
    assert told["tool"] == "product, small, 2 calls"
    assert told["settings"]["models"] == {"planner": "small", "evaluator": "small"}
    assert server.url not in json.dumps(told)
    llm = told["llm"]
    assert llm["measures"]["files, strict"]["offline"]["@1"] == 1.0
    assert llm["measures"]["files, strict"]["with models"]["@1"] == 0.0
    assert llm["better, worse, equal"] == {"better": 0, "worse": 1, "equal": 0}
    assert (llm["taken"]["calls"], llm["taken"]["tokens_in"], llm["taken"]["cost"]) == (2, 2, 2.0)
    assert llm["advice"]["evaluator"]["mean agreement"] == 1.0
    shown = capsys.readouterr().out
    assert "first gold file: 0 better, 1 worse, 0 equal" in shown
    assert "taken: calls 2, tokens_in 2" in shown


def test_a_model_that_fails_leaves_both_sides_equal(bench: Bench, out: Path, server: OpenAIServer) -> None:
    server.then(Status(500))
    assert main(command(bench, out, "--llm-calls", "1")) == 0
    assert all(row["files"] == row["offline"]["files"] for row in rows_of(out).values())


def test_without_a_model_it_says_what_to_set(
    bench: Bench, out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IR_MODEL", raising=False)
    assert main(command(bench, out)) == 2
    assert "set IR_MODEL" in capsys.readouterr().err
