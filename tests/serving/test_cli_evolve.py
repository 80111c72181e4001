"""The commands of evolution, each run as a process of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.labelled_answers import labelled_answers
from iterative_retrieval.state.evolution import GenomeStatus
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.ledger_ports import CycleState
from tests.graph.cycles import review, run, services_in

Evolve = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def evolve(tmp_path: Path, environment: dict[str, str]) -> Evolve:
    """Runs ``iterative-retrieval evolve`` with a data folder of the test's own."""
    own = {"IR_DATA_DIR": str(tmp_path / "data"), "IR_EMBEDDER": "none"}

    def command(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "iterative_retrieval", "evolve", *args],
            cwd=tmp_path,
            env=environment | own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return command


@pytest.fixture(scope="module")
def waiting_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a cycle that ada asked for waits."""
    log = labelled_answers(tmp_path_factory.mktemp("log") / "log.jsonl")
    source = QuerySource(queries=str(log), limit=10_000)
    for seed in range(8):
        folder = tmp_path_factory.mktemp("waiting")
        if run(services_in(folder), source, folder, seed=seed).outcome == "waiting":
            return folder
    raise AssertionError("no cycle found a better policy")


@pytest.fixture
def genome(waiting_folder: Path, tmp_path: Path) -> int:
    """Id of the genome that waits."""
    shutil.copytree(waiting_folder, tmp_path, dirs_exist_ok=True)
    [found] = services_in(tmp_path).ledger.genomes(status=GenomeStatus.PENDING_APPROVAL)
    return found.id


def test_a_cycle_that_cannot_be_tried_leaves_nothing(evolve: Evolve) -> None:
    refused = evolve("run", "--layer", "cache_policy", "--domain", "general")
    assert refused.returncode == 2 and "needs --queries" in refused.stderr
    assert json.loads(evolve("list", "--json").stdout) == {"genomes": []}


def test_a_person_sees_what_waits_and_who_asked(evolve: Evolve, genome: int) -> None:
    shown = evolve("show", str(genome)).stdout
    for expected in (
        "Asked for by ada; waits until",
        f"iterative-retrieval evolve approve {genome} --as NAME",
        "deterministic judge: noise floor 0, checked by judging 12 answers twice",
        "won +",
    ):
        assert expected in shown


def test_who_asked_may_withdraw_but_not_approve(evolve: Evolve, genome: int, tmp_path: Path) -> None:
    refused = evolve("approve", str(genome), "--as", "Ada")
    assert refused.returncode == 2 and "another person must" in refused.stderr
    withdrawn = evolve("reject", str(genome), "--as", "ada", "--reason", "found something better")
    assert withdrawn.returncode == 0, withdrawn.stderr
    ledger = services_in(tmp_path).ledger
    assert ledger.genome(genome).status is GenomeStatus.REJECTED
    assert [c.note for c in ledger.cycles()] == ["rejected by ada: found something better"]


def test_a_run_first_finishes_what_a_crash_left(evolve: Evolve, genome: int, tmp_path: Path) -> None:
    ledger = services_in(tmp_path).ledger
    ledger.approve(genome, review(ledger.genome(genome)), {"reviewer"})  # and then the process died
    done = evolve("run", "--layer", "routing", "--domain", "nowhere")
    assert done.returncode == 2 and f"genome {genome} is active" in done.stderr
    [cycle] = ledger.cycles()
    assert (cycle.state, cycle.note) == (CycleState.FINISHED, "activated by bob: as it should be")


def test_an_interrupted_run_says_how_to_go_on(evolve: Evolve, tmp_path: Path) -> None:
    log = labelled_answers(tmp_path / "log.jsonl")
    (tmp_path / "data" / "cycles.sqlite").mkdir(parents=True)  # what keeps the steps cannot be opened
    arguments = ["run", "--layer", "cache_policy", "--domain", "general", "--queries", str(log)]
    failed = evolve(*arguments, "--cycle", "mine")
    assert failed.returncode == 3
    assert "evolve run --layer cache_policy --domain general --cycle mine" in failed.stderr


def test_a_run_says_what_to_evolve_or_which_cycle_goes_on(evolve: Evolve) -> None:
    neither, unknown = evolve("run"), evolve("run", "--cycle", "never-begun")
    assert (neither.returncode, unknown.returncode) == (2, 2)
    assert "say --layer and --domain, or --cycle" in neither.stderr
    assert "never-begun" in unknown.stderr
