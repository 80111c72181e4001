"""Processes that share a ledger, and processes that are killed in the middle."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.postgres import Cluster
from tests.stores.ledger.watching import check, watch

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[3]
_COUNT = itertools.count()
_MOST_CROWDS = 6
_ENDS = ("decide: done", "decide: StaleReview", "decide: AlreadyDecided", "spend: BudgetSpent", "judge: done")
_EXPECTED = (
    "candidate -> evaluated",
    "evaluated -> pending_approval",
    "pending_approval -> active",
    "retired -> active",
)


@pytest.fixture(params=["sqlite", "postgresql"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty ledger is whose every change is written down by triggers."""
    if request.param == "sqlite":
        place = str(shutil.copy(request.getfixturevalue("empty_file"), tmp_path / "watched.sqlite"))
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        place = cluster.create(f"watched_{next(_COUNT)}", "template1")
    store = SqlStore(place)
    watch(store)
    store.close()
    return place


class Crowd:
    """Workers on one ledger. told: the file in which they write what succeeded."""

    def __init__(self, place: str, folder: Path, seed: int) -> None:
        self.place, self.folder = place, folder
        self.told = folder / "told.jsonl"
        self.chance = random.Random(seed)
        self.started = 0
        self.running: list[subprocess.Popen[str]] = []
        self.killed = 0

    def start(self, operations: int) -> None:
        self.started += 1
        arguments = [self.place, f"w{self.started}", str(self.chance.randrange(10**9)), str(operations), str(self.told)]
        command = [sys.executable, "-m", "tests.stores.ledger.worker", *arguments]
        pipe = subprocess.PIPE
        paths = os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])
        environment = {**os.environ, "PYTHONPATH": paths}
        self.running.append(
            subprocess.Popen(command, cwd=PROJECT, stdout=pipe, stderr=pipe, text=True, env=environment)
        )

    def kill_one(self) -> None:
        process = self.running.pop(self.chance.randrange(len(self.running)))
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        assert (errors, process.returncode) in (("", -signal.SIGKILL), ("", 0))
        self.killed += process.returncode == -signal.SIGKILL

    def finish(self) -> Counter[str]:
        """Wait for the workers; none may have stumbled over anything but a refusal."""
        ends: Counter[str] = Counter()
        for process in self.running:
            output, errors = process.communicate(timeout=240)
            assert (process.returncode, errors) == (0, "")
            ends.update(json.loads(output))
        return ends

    def heard(self) -> Sequence[dict[str, Any]]:
        return [json.loads(line) for line in self.told.read_text().splitlines()]


def test_processes_that_do_whatever_they_like_leave_a_sound_ledger(watched: str, tmp_path: Path) -> None:
    """Sound after every crowd; crowds come until everything that can happen has happened."""
    ends: Counter[str] = Counter()
    for seed in range(1, _MOST_CROWDS + 1):
        crowd = Crowd(watched, tmp_path, seed)
        for _ in range(4):
            crowd.start(operations=250)
        ends.update(crowd.finish())
        store = SqlStore(watched)
        seen = check(store, crowd.heard())
        store.close()
        if seed > 1 and all(seen[step] for step in _EXPECTED) and all(ends[end] for end in _ENDS):
            return
    raise AssertionError(f"{seen} {ends}")


def test_processes_killed_at_any_moment_lose_and_double_nothing(watched: str, tmp_path: Path) -> None:
    crowd = Crowd(watched, tmp_path, seed=3)
    for _ in range(3):
        crowd.start(operations=100_000)
    while not crowd.told.exists():
        time.sleep(0.05)
    for _ in range(30):
        time.sleep(crowd.chance.uniform(0.0, 0.4))
        crowd.start(operations=100_000)
        crowd.kill_one()
        while sum(process.poll() is None for process in crowd.running) > 8:  # newcomers take time to begin
            crowd.kill_one()
    while crowd.running:
        crowd.kill_one()
    assert crowd.killed >= 30
    crowd.start(operations=100)
    crowd.finish()
    store = SqlStore(watched)
    seen = check(store, crowd.heard())
    store.close()
    assert seen["candidate -> evaluated"], seen  # how much more is chance: they are killed at any moment
