from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from benchmarks.scratch import edit, make_checkout, sources
from benchmarks.speed import main, tasks_of
from tests.repositories import GitRepo, MakeRepo

FILES = {f"pkg/part{i}.py": f"def handle_{i}(token: str) -> int:\n    return {i}\n" for i in range(15)}
TASK = "handle_3 forgets the token\n\nIt returns a number."


@pytest.fixture
def mirror(make_repo: MakeRepo) -> GitRepo:
    """A repository whose second commit is the one to measure."""
    repo = make_repo(FILES, {"README.md": "# Parts\n"}, {"pkg/part1.py": None}, name="mirror")
    repo.git("commit", "--amend", "--quiet", "--message", "Remove the first part of all")
    return repo


def files_of(folder: Path) -> set[str]:
    return {os.path.join(place, name) for place, _, names in os.walk(folder) for name in names}


def test_every_number_of_one_run_is_told(mirror: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = tmp_path / "task.txt"
    task.write_text(TASK)
    before = files_of(mirror.path)
    arguments = [
        "--mirror",
        str(mirror.path),
        "--ref",
        mirror.commits[1],
        "--task",
        str(task),
        "--repeats",
        "1",
        "--json",
    ]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == 16
    seconds = told["seconds"]
    rows = [name for name in seconds if name.startswith("product")]
    assert [name.removeprefix("product, ") for name in rows] == [
        "nothing indexed, new process",
        "nothing indexed, the query alone",
        "ten files edited, new process",
        "ten files edited, open process",
        "warm, open process",
    ]
    assert all(value > 0 for value in seconds.values())
    assert seconds["product, warm, open process"] < seconds["product, nothing indexed, new process"]
    counter = list(seconds)[-1]
    for name in rows:
        assert told["ratios"][name][counter] == pytest.approx(seconds[name] / seconds[counter], abs=0.01)
    assert all(20 < mb < 2000 for mb in told["peak MB"].values())
    assert told["peak MB"]["product, cold, with helper processes"] >= told["peak MB"]["product, cold"]
    assert {"listing", "reading", "analysing, one process", "reading the history"} <= set(told["phases"]["indexing"])
    assert {"dispatch", "evaluate", "finish"} <= set(told["phases"]["warm query, mean"])
    assert files_of(mirror.path) == before


def test_a_checkout_is_whole_and_leaves_the_mirror_alone(mirror: GitRepo, tmp_path: Path) -> None:
    before = files_of(mirror.path)
    make_checkout(mirror.path, mirror.commits[0], tmp_path / "checkout")
    assert {p.name for p in (tmp_path / "checkout" / "pkg").iterdir()} == {Path(p).name for p in FILES}
    edit(tmp_path / "checkout", sources(tmp_path / "checkout", 10), 1)
    assert files_of(mirror.path) == before
    assert (mirror.path / "pkg/part3.py").read_text() == FILES["pkg/part3.py"]


def test_edits_touch_ten_source_files_across_the_tree(mirror: GitRepo, tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    make_checkout(mirror.path, mirror.commits[1], root)
    chosen = sources(root, 10)
    assert len(set(chosen)) == 10
    assert "README.md" not in chosen
    edit(root, chosen, 7)
    assert all((root / path).read_text().endswith("# edited in round 7\n") for path in chosen)


def test_warm_tasks_differ_and_keep_the_issue_as_their_body(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(FILES)
    for i in range(6):
        repo.commit({"pkg/part0.py": f"x = {i}\n"}, f"Change the first part for the {i}th time")
    task = tmp_path / "task.txt"
    task.write_text(TASK)
    tasks = tasks_of([task], None, repo.path, 5)
    assert tasks[0] == TASK
    assert len(set(tasks)) == 5
    assert tasks[1] == "Change the first part for the 5th time\n\nIt returns a number."


def test_tasks_of_an_instances_file_are_those_of_one_repository(mirror: GitRepo, tmp_path: Path) -> None:
    file = tmp_path / "instances.jsonl"
    rows = [{"repo": repo, "problem_statement": f"{repo} is broken"} for repo in ("a/a", "b/b")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert tasks_of([file], "b/b", mirror.path, 1) == ["b/b is broken"]


@pytest.mark.parametrize("wrong", ["mirror", "ref", "task"])
def test_what_does_not_exist_is_told(
    mirror: GitRepo, tmp_path: Path, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"mirror": str(mirror.path), "ref": mirror.commits[0], "task": str(tmp_path / "task.txt")}
    (tmp_path / "task.txt").write_text(TASK)
    given[wrong] = str(tmp_path / "none")
    assert main([part for name, value in given.items() for part in (f"--{name}", value)]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not list(Path(tempfile.gettempdir()).glob("speed-*/checkout"))
