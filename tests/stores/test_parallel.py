from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iterative_retrieval.stores.parallel import processors, unordered
from tests.stores.snapshots import PROJECT, child, digest, fresh_answers, module


def test_every_job_is_done_once_in_other_processes() -> None:
    found = list(unordered(os.path.join, [f"/{n}" for n in range(30)], 0))
    assert sorted(found) == sorted(f"/{n}" for n in range(30))
    pids = set(unordered(pid_of, range(12), 2))
    assert os.getpid() not in pids and len(pids) == 2


def pid_of(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def die(number: int) -> int:
    """Ends every process but the one that asks."""
    if os.getppid() == int(os.environ["ASKING"]):
        os._exit(3)
    return number


def fail(number: int) -> int:
    raise ValueError(f"job {number}")


def shout(number: int) -> int:
    print("noise on standard output", number, flush=True)
    return number


def test_jobs_of_helpers_that_end_are_done_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ASKING", str(os.getpid()))
    with caplog.at_level(logging.WARNING):
        assert sorted(unordered(die, range(10), 2)) == list(range(10))
    assert "going on without it" in caplog.text


def test_what_cannot_be_pickled_is_done_here() -> None:
    assert sorted(unordered(lambda n: n + 1, range(5), 2)) == [1, 2, 3, 4, 5]


def test_an_error_of_a_job_rises_as_itself() -> None:
    for helpers in (0, 2):
        with pytest.raises(ValueError, match="job 0"):
            list(unordered(fail, [0], helpers))


def test_what_a_job_prints_does_no_harm() -> None:
    assert sorted(unordered(shout, range(6), 2)) == list(range(6))


def test_an_interpreter_that_is_none_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "/usr/sbin/uwsgi", "/opt/frozen-app"):
        monkeypatch.setattr(sys, "executable", name)
        assert processors() == 0
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    assert sorted(unordered(abs, range(5), 2)) == list(range(5))


def test_jobs_are_taken_as_helpers_get_free() -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = unordered(pid_of, jobs(), 2)
    next(results)
    assert len(taken) <= 4
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 4


def test_helpers_end_with_the_last_job_and_when_nobody_listens_any_more() -> None:
    pids = set(unordered(pid_of, range(6), 2))
    results = unordered(pid_of, range(100), 2)
    pids.add(next(results))
    results.close()  # type: ignore[attr-defined]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not [t for t in threading.enumerate() if t.name.startswith("helper")]


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pickle.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nfrom _pickle import *\n")
    monkeypatch.chdir(tmp_path)
    assert os.getpid() not in set(unordered(pid_of, range(4), 2))
    assert not (tmp_path / "ran").exists()


# The whole, from every kind of caller.


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder that is worth helpers."""
    root = tmp_path / "large"
    root.mkdir()
    for number in range(320):
        (root / f"m{number}.py").write_text("\n".join(module(1000 * number + n) for n in range(16)))
    return root


SCRIPT = """
import logging, sys
logging.basicConfig(level=logging.WARNING)
sys.path.insert(0, {project!r})
from pathlib import Path
from tests.stores.snapshots import digest, opened_answers
from iterative_retrieval.stores import parallel
started = []
original = parallel._start
parallel._start = lambda: started.append(1) or original()
print("top level ran")
print(digest(opened_answers(Path({cache!r}), Path({root!r}))[0]), len(started))
"""
DAEMONIC = """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=exec, args=({script!r}, {{}}), daemon=True)
process.start()
process.join()
"""
THREADED = """
import threading
thread = threading.Thread(target=exec, args=({script!r}, {{}}))
thread.start()
thread.join()
"""


@pytest.mark.slow
@pytest.mark.skipif(processors() == 0, reason="helpers need a second processor")
@pytest.mark.parametrize("kind", ["no guard", "standard input", "daemonic", "thread"])
def test_callers_of_every_kind_are_helped_and_never_run_twice(large: Path, tmp_path: Path, kind: str) -> None:
    script = SCRIPT.format(project=str(PROJECT), cache=str(tmp_path / "cache"), root=str(large))
    (tmp_path / "no_guard.py").write_text(script)
    command, stdin = {
        "no guard": ([str(tmp_path / "no_guard.py")], None),
        "standard input": (["-"], script),
        "daemonic": (["-c", DAEMONIC.format(script=script)], None),
        "thread": (["-c", THREADED.format(script=script)], None),
    }[kind]
    run = subprocess.run(
        [sys.executable, *command], input=stdin, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (run.returncode, run.stderr) == (0, "")
    expected = digest(fresh_answers(tmp_path / "fresh", large))
    assert run.stdout.splitlines() == ["top level ran", f"{expected} {processors()}"]


@pytest.mark.slow
def test_helpers_and_threads_make_the_same_index(large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = subprocess.run(child(tmp_path / "a", large, None), cwd=PROJECT, capture_output=True, text=True, check=True)
    monkeypatch.setattr("iterative_retrieval.stores.indexing.processors", lambda: 0)
    assert run.stdout.strip() == digest(fresh_answers(tmp_path / "b", large))
