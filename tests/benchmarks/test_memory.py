from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.memory import TreePeak, tree_mb

CHILD = "import time; block = bytearray(80_000_000); time.sleep(0.6)"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")


@needs_proc
def test_the_memory_of_a_child_counts_for_its_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT]) as process, TreePeak(process.pid) as peak:
        process.wait()
    assert 80 < peak.mb < 400


@needs_proc
def test_a_process_that_ended_takes_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    assert tree_mb(process.pid) == 0.0


@needs_proc
def test_the_peak_remembers_what_was_given_back() -> None:
    code = "from benchmarks.memory import own_peak_mb; block = bytearray(80_000_000); del block; print(own_peak_mb())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 80 < float(done.stdout) < 400
