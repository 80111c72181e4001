from __future__ import annotations

import json
from pathlib import Path

import pytest

from iterative_retrieval.serving.as_json import dumps, package_object
from iterative_retrieval.serving.previous import package_of, read_previous
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.package import Span
from tests.serving.conftest import TASK, Run
from tests.serving.examples import file_context, package

GAP = "Where is the user's display name kept?"


def test_what_json_prints_can_be_read_again() -> None:
    spans = [Span(first=10, last=42, symbol="checkExpiry"), Span(first=60, last=60)]
    held = package(files=[file_context(spans=spans, known=spans[:1])], gap="a gap", fingerprint="f")
    read = package_of(json.loads(dumps(package_object(held, 0.5))))
    assert read.files == held.files
    assert [t.cycle for t in read.cycles] == [t.cycle for t in held.cycles]
    assert (read.task, read.root, read.gap, read.fingerprint) == (held.task, held.root, "a gap", "f")


def test_a_packages_own_dump_can_be_read_too() -> None:
    assert package_of(json.loads(package().model_dump_json())) == package()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "cannot read the previous result"),
        ("[1]", "holds no result"),
        ('{"error": {"kind": "UnknownRoot", "message": "?"}}', "holds no result of a search: task: Field required"),
        ('{"task": "t", "root": "r", "files": [{"path": 3}]}', "holds no result of a search"),
    ],
)
def test_a_file_that_is_no_result_is_named(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(CallerError, match=said):
        read_previous(str(tmp_path / "result.json"), GAP)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="cannot read the previous result"):
        read_previous(str(tmp_path / "nowhere.json"), GAP)


@pytest.mark.parametrize(("file", "gap"), [("result.json", None), (None, GAP)])
def test_previous_and_gap_go_together(file: str | None, gap: str | None) -> None:
    with pytest.raises(CallerError, match="--previous and --gap go together"):
        read_previous(file, gap)


def test_a_search_goes_on_from_a_file(run: Run, tmp_path: Path) -> None:
    first = run(TASK, "--json", "--pattern", "src/tokens.py")
    (tmp_path / "result.json").write_bytes(first.stdout)
    second = run("--previous", str(tmp_path / "result.json"), "--gap", "Who calls authenticate?", "--json")
    assert second.returncode == 0, second.stderr
    before, after = json.loads(first.stdout), json.loads(second.stdout)
    files = {f["path"]: f for f in after["files"]}
    assert files["src/tokens.py"]["known"] == before["files"][0]["spans"]
    assert files["src/auth.py"]["known"] == []
    assert after["task"] == TASK
    shown = run("--previous", str(tmp_path / "result.json"), "--gap", "Who calls authenticate?", "--quiet")
    assert b", known" in shown.stdout
