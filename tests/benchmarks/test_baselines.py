from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.baselines import gains, main
from benchmarks.predictions import Row
from benchmarks.rankers import baseline, by_bm25, by_ripgrep, by_word_count, query_words
from tests.benchmarks.conftest import Bench, rows_of
from tests.repositories import Files, MakeRepo

FILES: Files = {
    "src/one.py": "needle needle needle\n",
    "src/two.py": "Needle and haystack\n",
    "tests/test_all.py": "needle haystack thread\n",
    "data.bin": b"needle\0haystack",
}


def test_more_different_words_win_then_more_of_them_and_tests_stand_behind(make_repo: MakeRepo) -> None:
    repo = make_repo(FILES, {"src/later.py": "needle haystack thread\n"})
    ranked = by_word_count("the needle, a haystack, thread", str(repo.path), repo.commits[0])
    assert ranked == ["src/two.py", "src/one.py", "tests/test_all.py"]


@pytest.mark.skipif(shutil.which("rg") is None, reason="there is no rg")
def test_ripgrep_ranks_as_the_word_count_does(make_repo: MakeRepo) -> None:
    repo = make_repo({**FILES, ".hidden/one.py": "haystack\n", ".gitignore": "*.log\n"})
    for query in ("needle haystack thread", "nothing", ""):
        assert by_ripgrep(query, str(repo.path), "HEAD") == by_word_count(query, str(repo.path), "HEAD")


def test_bm25_prefers_the_rare_word_and_knows_parts_of_identifiers(make_repo: MakeRepo) -> None:
    common = {f"src/f{i}.py": "def request_handler(request): return request\n" for i in range(5)}
    repo = make_repo(common | {"src/upload.py": "class FileUploadHandler: pass\n"})
    ranked = by_bm25("upload of a file by request", str(repo.path), "HEAD")
    assert ranked[0] == "src/upload.py"
    assert len(ranked) == 6


def test_bm25_answers_nothing_when_no_word_is_known(make_repo: MakeRepo) -> None:
    repo = make_repo(FILES)
    assert by_bm25("zzyzx", str(repo.path), "HEAD") == []


def test_query_words_are_lower_case_single_and_no_stop_words() -> None:
    assert query_words("Fix the `FileUpload` of a file, fileupload!") == ["fix", "fileupload", "file"]


def test_a_word_count_is_not_called_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert baseline("rg").name == "word count, title"
    assert baseline("bm25").name == "bm25s, issue"


def test_all_tools_run_on_the_same_instances_and_share_a_table(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(bench.arguments("--out", str(out), "--cache", str(bench.cache), "--jobs", "1")) == 0
    table = (out / "table.md").read_text()
    assert table == capsys.readouterr().out
    first, _, second = table.partition("| product minus")
    names = [line.split(" | ")[0].strip("| ") for line in first.splitlines()[4:] if line]
    assert names[1:] == ["bm25s, issue", "bm25s, title", "product, one cycle", "product"]
    assert names[0] in ("ripgrep, title", "word count, title")
    for tool in ("rg", "bm25", "bm25_title", "one_cycle", "product"):
        assert set(rows_of(out / f"{tool}.jsonl")) == {"acme__shop-2", "acme__shop-10", "acme__logs-1"}
    assert all(len(row["cycles"]) == 1 for row in rows_of(out / "one_cycle.jsonl").values())
    assert "| product, one cycle | +0.0 (+0 to +0) |" in second


def test_gains_are_counted_instance_by_instance() -> None:
    instances = [{"instance_id": name, "gold_files": ["x"]} for name in "abcd"]
    right, wrong = {"files": ["x"]}, {"files": ["y"]}
    rows: dict[str, dict[str, Row]] = {
        "bm25s, issue": {"a": right, "b": wrong, "c": wrong, "d": right},
        "product": {"a": right, "b": right, "c": right, "d": wrong},
    }
    [line] = [line for line in gains(instances, rows) if line.startswith("| bm25s")]
    assert line.startswith("| bm25s, issue | +25.0 (-50 to +100) |")
    assert gains(instances, {"product": rows["product"]}) == []
