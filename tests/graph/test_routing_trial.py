"""Trials of layer routing for coding tasks: they classify as the retrieval graph does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iterative_retrieval.evolution.defaults import default_routing
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.graph.trials.routing import RIGHT, UNSURE, WRONG
from iterative_retrieval.nodes.route import route_of
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.evolution_run import QuerySource

BUG = "Fix the crash when a token expires"
NOTHING_SAID = "Session tokens"


@pytest.fixture
def services(tmp_path: Path) -> EvolutionServices:
    return open_evolution_services(Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", embedder="none"))


def source(folder: Path, *rows: tuple[str, str]) -> QuerySource:
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps({"question": task, "query_type": kind}) + "\n" for task, kind in rows))
    return QuerySource(queries=str(path), limit=1_000)


def test_a_task_is_judged_by_the_route_that_a_request_gets(services: EvolutionServices, tmp_path: Path) -> None:
    genome = default_routing().model_copy(update={"min_confidence": 0.0})
    trial = services.trials.of("routing", "code", source(tmp_path, (BUG, "bug_report"), (BUG, "feature")))
    right, wrong = (trial.run(genome, query, 0) for query in trial.queries())
    route = route_of(read_task(BUG), genome)
    assert right.response == f"bug_report ({route.confidence:.2f}), profile bug_report" == wrong.response
    assert right.reasoning == route.reason
    assert right.score is not None and RIGHT - 1 < right.score <= RIGHT
    assert wrong.score == WRONG


def test_a_task_that_says_nothing_gets_the_default_profile(services: EvolutionServices, tmp_path: Path) -> None:
    trial = services.trials.of("routing", "code", source(tmp_path, (NOTHING_SAID, "bug_report")))
    (query,) = trial.queries()
    score = trial.run(default_routing(), query, 0).score
    assert score is not None and UNSURE - 1 < score <= UNSURE


def test_a_cycle_over_tasks_comes_to_an_end(services: EvolutionServices, tmp_path: Path) -> None:
    rows = [(f"Fix the crash of part {n}", "bug_report") for n in range(12)]
    done = evolve(
        "routing", "code", "ada", source=source(tmp_path, *rows), services=services, checkpoints=tmp_path / "c"
    )
    assert done.outcome in {"recorded", "waiting"} and done.candidates


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "needs --queries"), ([("How do I limit retries?", "factual_lookup")], "no query type of a coding task")],
)
def test_what_cannot_be_tried_is_refused(
    services: EvolutionServices, tmp_path: Path, rows: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(CallerError, match=message):
        services.trials.of("routing", "code", source(tmp_path, *rows) if rows else QuerySource())
