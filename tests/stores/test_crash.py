"""Processes that share a cache, and processes that are killed in the middle."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from iterative_retrieval.stores.workspace import CachedWorkspaces
from tests.repositories import GitRepo, MakeRepo
from tests.stores.snapshots import PROJECT, child, digest, fresh_answers, module, opened_answers, project

pytestmark = pytest.mark.slow


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    """A repository with several segments' worth of files, and two branches."""
    repo = make_repo(project(400), name="shared")
    repo.git("branch", "one")
    repo.git("checkout", "--quiet", "-b", "two")
    repo.commit({"new.py": module(77_777)} | dict.fromkeys(sorted(project(400))[:30]), "two")
    return repo


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def start(cache: Path, repo: GitRepo, ref: str | None = None) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(child(cache, repo.path, ref), cwd=PROJECT, stdout=pipe, stderr=pipe, text=True)


def heard(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """What the processes say; each must end well and without a word of trouble."""
    found = []
    for process in processes:
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        found.append(output.strip())
    return found


def test_four_processes_index_the_same_tree_at_once(cache: Path, repo: GitRepo, tmp_path: Path) -> None:
    expected = digest(fresh_answers(tmp_path / "fresh", repo.path))
    assert heard([start(cache, repo) for _ in range(4)]) == [expected] * 4
    assert opened_answers(cache, repo.path)[1] == []
    assert len(list(next(cache.glob("*/lexical")).iterdir())) == 1


def test_four_processes_index_different_refs_at_once(cache: Path, repo: GitRepo, tmp_path: Path) -> None:
    refs = ["one", "two", None, "one"]
    expected = [digest(fresh_answers(tmp_path / f"fresh-{n}", repo.path, ref)) for n, ref in enumerate(refs)]
    assert heard([start(cache, repo, ref) for ref in refs]) == expected


def test_processes_open_while_others_edit_and_evict(cache: Path, repo: GitRepo, tmp_path: Path) -> None:
    chance = random.Random(1)
    expected = digest(fresh_answers(tmp_path / "fresh", repo.path, "one"))
    readers = [start(cache, repo, "one") for _ in range(3)]
    workspaces = CachedWorkspaces(cache)
    for _ in range(12):
        repo.write({p: module(chance.randrange(10_000)) for p in chance.sample(sorted(project(400))[30:], 5)})
        workspaces.open(repo.path)
    assert heard(readers) == [expected] * 3
    assert opened_answers(cache, repo.path)[0] == fresh_answers(tmp_path / "fresh-2", repo.path)


def test_a_database_that_is_damaged_while_processes_use_it_gives_no_wrong_answer(
    cache: Path, repo: GitRepo, tmp_path: Path
) -> None:
    expected = digest(fresh_answers(tmp_path / "fresh", repo.path))
    opened_answers(cache, repo.path)
    for _ in range(3):
        processes = [start(cache, repo) for _ in range(3)]
        for pause in (0.5, 0.2, 0.2):
            time.sleep(pause)
            for file in cache.glob("*/analyses.sqlite"):
                with open(file, "r+b") as opened:
                    opened.seek(file.stat().st_size // 3)
                    opened.write(os.urandom(50_000))
        assert heard(processes) == [expected] * 3
    assert digest(opened_answers(cache, repo.path)[0]) == expected


def test_builds_killed_at_any_moment_harm_nothing(cache: Path, repo: GitRepo, tmp_path: Path) -> None:
    chance = random.Random(20)
    expected = fresh_answers(tmp_path / "fresh", repo.path)
    started = time.monotonic()
    heard([start(tmp_path / "timed", repo)])
    whole = time.monotonic() - started
    killed = 0
    for _ in range(20):
        process = start(cache, repo)
        time.sleep(chance.uniform(0.25, 1.0) * whole)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        if chance.random() < 0.3:  # begin from nothing again
            for slot in cache.glob("*/lexical/disk-*"):
                slot.rename(slot.with_name(f"evicted-{slot.name}"))
        if chance.random() < 0.3:
            found, warnings = opened_answers(cache, repo.path)
            assert found == expected and warnings == []
    assert killed >= 5
    found, warnings = opened_answers(cache, repo.path)
    assert found == expected and warnings == []
    lexical = next(cache.glob("*/lexical"))
    for left in lexical.glob("building-*"):
        os.utime(left, (0, 0))
    opened_answers(cache, repo.path)
    assert [f.name.split("-")[0] for f in lexical.iterdir()] == ["disk"]
    assert {f.name.partition(".")[0] for f in lexical.parent.iterdir()} == {"analyses", "lexical"}
