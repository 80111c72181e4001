"""The command ``tune``, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import GitRepo
from tests.workshop import workshop

Tune = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture
def repo(place: Path, isolated_git: Path) -> GitRepo:
    found = GitRepo(place / "repo")
    if not found.path.exists():
        found.path.mkdir()
        found.git("init", "--quiet")
        workshop(found, 40)
    return found


@pytest.fixture
def tune(tmp_path: Path, repo: GitRepo, environment: dict[str, str]) -> Tune:
    """Runs ``iterative-retrieval tune`` on the workshop with a data folder of the test's own."""
    own = {"IR_DATA_DIR": str(tmp_path / "data"), "IR_EMBEDDER": "none"}

    def command(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "iterative_retrieval", "tune", "--root", str(repo.path), *args],
            cwd=tmp_path,
            env=environment | own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return command


def test_a_dry_run_shows_what_would_be_learned_from_and_writes_nothing(tune: Tune, tmp_path: Path) -> None:
    shown = tune("--from-history", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "40 tasks out of 41 commits, 2024-01-02 to 2024-02-10" in shown.stdout
    assert "left out: 1 first commit" in shown.stdout and "-> shop/bakery.py" in shown.stdout
    assert not (tmp_path / "data").exists()
    told = json.loads(tune("--from-history", "--dry-run", "--json", "--commits", "3").stdout)
    assert len(told["tasks"]) == 3 and told["tasks"][0]["gold"] == ["shop/brewing.py"]


def test_weights_that_need_no_tuning_stay_and_the_numbers_say_so(tune: Tune) -> None:
    done = tune("--from-history", "--cycle", "mine")
    assert done.returncode == 1, done.stderr
    for expected in (
        "ASKED:    20 of 20 past commits",
        "20 older ones to fit on, the latest 20 to confirm",
        "Fitted on 20 tasks, strength",
        "Tuning mine: not better",
        "the active weights stay: on 20 tasks that were left out of the fit",
    ):
        assert expected in done.stdout


def test_bad_requests_say_what_to_do(tune: Tune, tmp_path: Path) -> None:
    assert "tune --from-history" in tune().stderr
    short = tune("--from-history", "--commits", "5", "--json")
    told = json.loads(short.stdout)  # one object with everything
    assert short.returncode == 1 and told["reason"] == "5 usable commits found; 31 more are needed"
    assert (told["outcome"], len(told["past"]["tasks"]), told["fitted"], told["result"]) == ("too few", 5, None, None)
    elsewhere = tune("--from-history", "--root", str(tmp_path))
    assert elsewhere.returncode == 2 and "lies in no git repository" in elsewhere.stderr
    assert tune("--from-history", "--ref", "nowhere").returncode == 2
