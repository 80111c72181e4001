from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.localization import main
from benchmarks.predictions import Row
from tests.benchmarks.conftest import Bench, rows_of


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "predictions.jsonl"


def command(bench: Bench, out: Path, *more: str) -> list[str]:
    return bench.arguments("--out", str(out), "--cache", str(bench.cache), "--jobs", "1", *more)


@pytest.fixture
def finished(bench: Bench, out: Path) -> dict[str, Row]:
    """The rows of one run over everything."""
    assert main(command(bench, out)) == 0
    return rows_of(out)


def test_a_row_tells_ranking_functions_context_and_cycles(finished: dict[str, Row]) -> None:
    row = finished["acme__shop-2"]
    assert row["files"][0] == "shop/tokens.py"
    assert "shop/tokens.py:expiry_of" in row["functions"]
    packed = {file["path"]: file["spans"] for file in row["context"]}
    assert all(1 <= first <= last for spans in packed.values() for first, last in spans)
    assert set(row["probabilities"]) == set(packed)
    assert "shop/tokens.py" in row["cycles"][0]
    assert row["seconds"] > 0
    assert isinstance(row["sufficient"], bool)
    assert 0 < row["tokens"] <= 8000


def test_each_instance_is_searched_at_its_own_commit(bench: Bench, out: Path) -> None:
    bench.shop.commit({"shop/tokens.py": None, "shop/later.py": "def expiry_of() -> int:\n    return 0\n"})
    assert main(command(bench, out, "--ids", "acme__shop-2")) == 0
    assert rows_of(out)["acme__shop-2"]["files"][0] == "shop/tokens.py"
    assert "shop/later.py" not in rows_of(out)["acme__shop-2"]["files"]


def test_the_summary_says_how_the_numbers_came_about(finished: object, out: Path) -> None:
    told = json.loads((out.parent / "predictions.summary.json").read_text())
    assert told["tool"] == "product"
    assert told["settings"] == {"max_cycles": None, "genomes": "shipped"}
    assert len(told["product"]["source"]) == 16
    assert told["instances"] == {"file": "instances.jsonl", "chosen": 3, "finished": 3}
    assert told["scores"]["numbers"]["files, strict"]["@5"]["value"] == 1.0
    assert str(out.parent) not in json.dumps(told)


def test_score_prints_the_numbers(bench: Bench, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(bench, out, "--score", "--limit", "1")) == 0
    shown = capsys.readouterr()
    assert "files, strict" in shown.out
    assert "[1/1, 0 min left] product: acme__shop-2: first gold file at 1" in shown.err


def test_a_second_run_keeps_finished_rows_and_makes_the_missing(bench: Bench, out: Path) -> None:
    assert main(command(bench, out, "--limit", "1")) == 0
    before = out.read_text()
    with out.open("a") as end:
        end.write('{"instance_id": "acme__shop-10", "fil')  # killed while it wrote
    assert main(command(bench, out)) == 0
    assert out.read_text().startswith(before)
    assert set(rows_of(out)) == {"acme__shop-2", "acme__shop-10", "acme__logs-1"}


def test_a_stopped_run_ends_with_whole_rows_and_is_finished_by_the_next(bench: Bench, out: Path) -> None:
    many = [bench.rows[1] | {"instance_id": f"acme__shop-{i}"} for i in range(15)]
    bench.instances.write_text("".join(json.dumps(row) + "\n" for row in many))
    started = subprocess.Popen([sys.executable, "-m", "benchmarks.localization", *command(bench, out)])
    while not (out.exists() and out.read_text()):
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    assert started.wait(60) == 130
    assert 1 <= len(rows_of(out)) < 15
    assert main(command(bench, out)) == 0
    assert len(rows_of(out)) == 15


def test_a_failing_instance_gets_a_row_fails_the_run_and_is_tried_again(
    bench: Bench, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = bench.instances.read_text()
    bench.instances.write_text(good.replace(bench.shop.commits[0], "f" * 40))
    assert main(command(bench, out)) == 1
    row = rows_of(out)["acme__shop-10"]
    assert row["files"] == row["context"] == []
    assert row["error"].startswith("UnknownRef: ")
    assert "error" not in rows_of(out)["acme__shop-2"]
    assert "1 failed and count as misses: acme__shop-10" in capsys.readouterr().err
    bench.instances.write_text(good)
    assert main(command(bench, out)) == 0
    assert rows_of(out)["acme__shop-10"]["files"][0] == "shop/cart.py"


def test_rows_made_in_another_way_are_not_mixed(bench: Bench, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(bench, out, "--limit", "1")) == 0
    assert main(command(bench, out, "--max-cycles", "1")) == 2
    assert "made in another way" in capsys.readouterr().err
    assert len(rows_of(out)) == 1
    assert main(command(bench, out, "--max-cycles", "1", "--mixed")) == 0
    assert len(rows_of(out)["acme__logs-1"]["cycles"]) == 1


def test_a_held_out_genome_serves_its_repository_and_the_shipped_one_the_rest(
    bench: Bench, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    genomes = tmp_path / "genomes"
    genomes.mkdir()
    (genomes / "acme__shop.json").write_text(json.dumps({"weights": {"bm25f_title": 1.0}}))
    assert main(command(bench, out, "--genomes", str(genomes))) == 0
    assert {i: row["genome"] for i, row in rows_of(out).items()} == {
        "acme__shop-2": "held out",
        "acme__shop-10": "held out",
        "acme__logs-1": "shipped",
    }
    assert "no held-out genome, so the shipped one serves: acme/logs" in capsys.readouterr().err


def test_a_genome_out_of_bounds_fails_its_instances(bench: Bench, out: Path, tmp_path: Path) -> None:
    genomes = tmp_path / "genomes"
    genomes.mkdir()
    (genomes / "acme__shop.json").write_text(json.dumps({"k1": 99}))
    assert main(command(bench, out, "--genomes", str(genomes), "--limit", "1")) == 1
    assert rows_of(out)["acme__shop-2"]["error"].startswith("InvalidGenome: ")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--ids", "acme__none-1"], "has no acme__none-1"),
        (["--limit", "0"], "no instance is chosen"),
        (["--mirrors", "/some/{where}"], "takes {owner} and {name}"),
        (["--genomes", "/no/such/folder"], "there is no folder"),
        (["--instances", "/no/such/file"], "cannot read the instances"),
    ],
)
def test_arguments_that_do_not_fit_are_told(
    bench: Bench, out: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(bench, out, *more)) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_every_takes_a_sample_from_the_whole_set(bench: Bench, out: Path) -> None:
    assert main(command(bench, out, "--every", "2", "--baseline", "rg")) == 0
    assert set(rows_of(out)) == {"acme__shop-2", "acme__logs-1"}
