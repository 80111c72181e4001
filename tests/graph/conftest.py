"""A cycle that waits for a person, run once; every test gets a copy of the folder in which it waits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.labelled_answers import labelled_answers
from iterative_retrieval.graph.evolution_services import EvolutionServices
from iterative_retrieval.state.evolution import GenomeRecord, GenomeStatus
from iterative_retrieval.state.evolution_run import QuerySource
from tests.graph.cycles import run, services_in


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> QuerySource:
    log = tmp_path_factory.mktemp("log") / "log.jsonl"
    return QuerySource(queries=str(labelled_answers(log)), limit=10_000)


@pytest.fixture(scope="session")
def waiting_folder(tmp_path_factory: pytest.TempPathFactory, source: QuerySource) -> Path:
    """Where a cycle waits."""
    for seed in range(8):
        folder = tmp_path_factory.mktemp("waiting")
        result = run(services_in(folder), source, folder, seed=seed)
        if result.outcome == "waiting":
            return folder
    raise AssertionError("no cycle found a better policy")


@pytest.fixture
def services(waiting_folder: Path, tmp_path: Path) -> EvolutionServices:
    """Services of a ledger in which one cycle waits."""
    shutil.copytree(waiting_folder, tmp_path, dirs_exist_ok=True)
    return services_in(tmp_path)


@pytest.fixture
def waiting(services: EvolutionServices) -> GenomeRecord:
    """The genome that waits."""
    [genome] = services.ledger.genomes(status=GenomeStatus.PENDING_APPROVAL)
    return genome
