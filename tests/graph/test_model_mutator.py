"""A cycle whose genomes a model proposes: what it is shown, what that costs, and that a failure of it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from iterative_retrieval.graph.evolution_services import EvolutionServices
from iterative_retrieval.graph.evolve import CycleResult
from iterative_retrieval.graph.models import OpenAIChatModel
from iterative_retrieval.nodes.mutate import Mutator
from iterative_retrieval.state.evolution import Budget, GenomeRecord, MutationKind
from iterative_retrieval.state.evolution_run import QuerySource
from tests.graph.cycles import run, services_in
from tests.openai_server import OpenAIServer, Status

MILDER = {"mutations": [{"patch": [{"op": "replace", "path": "min_sources_count", "value": 2}], "notes": "Keep more."}]}


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh(server: OpenAIServer) -> None:
    server.reset()


def cycle(
    folder: Path, server: OpenAIServer, source: QuerySource, n: int = 1, budget: Budget | None = None
) -> tuple[CycleResult, EvolutionServices]:
    model = OpenAIChatModel(server.url, "", "tiny", timeout=10.0, max_retries=0, rereads=0)
    services = replace(services_in(folder), mutator=Mutator(model, rules="Propose genomes."))
    return run(services, source, folder, n=n, budget=budget), services


def start_of(services: EvolutionServices) -> GenomeRecord:
    active = services.ledger.active("cache_policy", "general")
    assert active is not None
    return active


def test_the_parent_answers_queries_of_mutate_for_the_model_to_see_and_what_decides_is_never_shown(
    server: OpenAIServer, source: QuerySource, tmp_path: Path
) -> None:
    server.say(MILDER)
    found, services = cycle(tmp_path, server, source)
    assert [record.mutation for record in found.candidates] == [MutationKind.MODEL]
    start, prompt = start_of(services), server.requests[0].user
    shown = services.ledger.results(start.id, pool="mutate")
    judged = [*services.ledger.results(start.id, pool="select"), *services.ledger.results(start.id, pool="confirm")]
    assert len(shown) == 8 and any(f'"{result.query}"' in prompt for result in shown)
    assert judged and not [result.query for result in judged if f'"{result.query}"' in prompt]


def test_a_model_that_fails_leaves_the_cycle_to_offline_proposals(
    server: OpenAIServer, source: QuerySource, tmp_path: Path
) -> None:
    server.then(Status(500, message="out of memory"))
    found, _ = cycle(tmp_path, server, source, n=2)
    assert len(found.candidates) == 2
    assert MutationKind.MODEL not in {record.mutation for record in found.candidates}


def test_a_budget_that_ends_with_the_parents_answers_asks_no_model(
    server: OpenAIServer, source: QuerySource, tmp_path: Path
) -> None:
    server.say(MILDER)
    found, services = cycle(tmp_path, server, source, budget=Budget(calls=3))
    assert server.requests == []
    assert services.ledger.spending(found.cycle).settled.calls <= 3
