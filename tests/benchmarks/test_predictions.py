from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.predictions import BenchmarkError, append, read_rows, resume

A, B = {"instance_id": "a", "files": ["x"]}, {"instance_id": "b", "files": [], "error": "it broke"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.jsonl"
    append(path, A)
    append(path, B)
    return path


def test_rows_come_back_by_instance(file: Path) -> None:
    assert read_rows(file) == {"a": A, "b": B}
    assert read_rows(file.with_name("none.jsonl")) == {}


def test_a_torn_last_line_is_dropped_and_the_next_row_stands_on_its_own_line(file: Path) -> None:
    with file.open("a") as end:
        end.write('{"instance_id": "c", "fil')
    assert set(resume(file, ["a", "b", "c"])) == {"a"}
    append(file, {"instance_id": "c", "files": []})
    assert set(read_rows(file)) == {"a", "c"}


def test_a_damaged_line_in_the_middle_is_not_passed_over(file: Path) -> None:
    file.write_text("no json\n" + file.read_text())
    with pytest.raises(BenchmarkError, match="line 1 is not JSON"):
        read_rows(file)


def test_a_failed_row_is_made_again_only_when_it_is_wanted(file: Path) -> None:
    assert resume(file, ["a"]) == {"a": A, "b": B}
    assert read_rows(file) == {"a": A, "b": B}
    assert resume(file, ["a", "b"]) == {"a": A}
    assert read_rows(file) == {"a": A}


def test_the_last_row_of_an_instance_counts(file: Path) -> None:
    append(file, {"instance_id": "a", "files": ["y"]})
    assert resume(file, [])["a"]["files"] == ["y"]
    assert len(file.read_text().splitlines()) == 2


def test_names_that_are_no_utf8_survive(file: Path) -> None:
    append(file, {"instance_id": "d", "files": ["caf\udce9.py"]})
    assert read_rows(file)["d"]["files"] == ["caf\udce9.py"]
