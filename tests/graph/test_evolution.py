"""The evolution graph: its picture, its promises to the person who decides, and what a crash may not cost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from iterative_retrieval.evolution.defaults import default_genome
from iterative_retrieval.graph.evolution import build_evolution_graph
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import CycleResult, cycle_result, decide, evolve, reconcile, rollback, wake
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.errors import AlreadyDecided, CallerError, NotAllowed, StaleReview, UnknownGenome
from iterative_retrieval.state.evolution import Budget, GenomeRecord, GenomeStatus, Review
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.ledger_ports import CycleState
from iterative_retrieval.stores.checkpoints import open_checkpoints
from tests.graph.labelled import labelled_answers

DOCS = Path(__file__).parents[2] / "docs"
STRICT = CachePolicyGenome(min_sources_count=4)
"""A start that refuses most right answers, so that nearly any step is better."""


@pytest.fixture
def services(tmp_path: Path) -> EvolutionServices:
    opened = open_evolution_services(
        Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", embedder="none")
    )
    return replace(
        opened, defaults=lambda layer, domain: STRICT if layer == "cache_policy" else opened.default(layer, domain)
    )


@pytest.fixture
def source(tmp_path: Path) -> QuerySource:
    return QuerySource(queries=str(labelled_answers(tmp_path / "log.jsonl")), limit=10_000)


def run(services: EvolutionServices, source: QuerySource, tmp_path: Path, **more: Any) -> CycleResult:
    options = {"n": 5, "seed": 3} | more
    return evolve(
        "cache_policy",
        "general",
        "ada",
        source=source,
        services=services,
        checkpoints=tmp_path / "cycles.sqlite",
        **options,
    )


@pytest.fixture
def waiting(services: EvolutionServices, source: QuerySource, tmp_path: Path) -> GenomeRecord:
    """A genome that waits for a person."""
    for seed in range(8):
        result = run(services, source, tmp_path, seed=seed)
        if result.outcome == "waiting":
            assert result.genome is not None
            return result.genome
    raise AssertionError("no cycle found a better policy")


def review(record: GenomeRecord, decision: str = "approve", reviewer: str = "bob", **changes: Any) -> Review:
    fields = {
        "decision": decision,
        "reviewer": reviewer,
        "reason": "as it should be",
        "version": record.version,
        "genome_hash": record.genome_hash,
    }
    return Review.model_validate(fields | changes)


def test_the_picture_in_the_docs_is_the_graph(services: EvolutionServices) -> None:
    picture = build_evolution_graph(services).get_graph().draw_mermaid()
    assert picture.strip() in (DOCS / "evolution.md").read_text(encoding="utf-8")


def test_a_better_genome_waits_for_a_person(services: EvolutionServices, waiting: GenomeRecord) -> None:
    assert waiting.status is GenomeStatus.PENDING_APPROVAL
    active = services.ledger.active("cache_policy", "general")
    assert active is not None and active.genome_hash != waiting.genome_hash
    report = services.ledger.submission(waiting.id).report
    assert report.verdict == "promote" and report.difference.low > 0
    assert report.difference.n == len(report.queries) >= 20


def test_approval_makes_it_active_and_ends_the_cycle(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    decision = decide(waiting.id, review(waiting), services=services, checkpoints=tmp_path / "cycles.sqlite")
    active = services.ledger.active("cache_policy", "general")
    assert active is not None and active.id == waiting.id
    assert decision.replaced is not None
    assert cycle_result(waiting.cycle, services).outcome == "activated"


def test_a_running_service_serves_the_new_genome_at_once(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    domains = services.trials.docs.domains  # type: ignore[attr-defined]
    before, epoch = domains.of("general").cache_policy, domains.epoch("general")
    decide(waiting.id, review(waiting), services=services, checkpoints=tmp_path / "cycles.sqlite")
    assert domains.of("general").cache_policy != before
    assert domains.epoch("general") != epoch


def test_a_rejection_leaves_the_active_genome(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    before = services.ledger.active("cache_policy", "general")
    decide(waiting.id, review(waiting, "reject"), services=services, checkpoints=tmp_path / "cycles.sqlite")
    assert services.ledger.active("cache_policy", "general") == before
    assert services.ledger.genome(waiting.id).status is GenomeStatus.REJECTED
    assert cycle_result(waiting.cycle, services).outcome == "rejected"


def test_the_requester_cannot_approve(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        decide(waiting.id, review(waiting, reviewer="ada"), services=services, checkpoints=tmp_path / "cycles.sqlite")
    assert services.ledger.genome(waiting.id).status is GenomeStatus.PENDING_APPROVAL


def test_the_second_decision_gets_a_conflict(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=tmp_path / "cycles.sqlite")
    with pytest.raises(AlreadyDecided, match="bob"):
        decide(waiting.id, review(waiting, "reject", "eve"), services=services, checkpoints=tmp_path / "cycles.sqlite")


def test_a_stale_review_is_refused(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with pytest.raises(StaleReview):
        decide(
            waiting.id,
            review(waiting, version=waiting.version + 1),
            services=services,
            checkpoints=tmp_path / "cycles.sqlite",
        )


def test_rollback_is_one_more_decision(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=tmp_path / "cycles.sqlite")
    rollback("cache_policy", "general", "carol", "too strict", roles={"admin"}, services=services)
    active = services.ledger.active("cache_policy", "general")
    assert active is not None and active.id != waiting.id
    assert len(services.ledger.history("cache_policy", "general")) == 3


def test_new_input_on_a_waiting_thread_is_refused(
    services: EvolutionServices, source: QuerySource, waiting: GenomeRecord, tmp_path: Path
) -> None:
    with pytest.raises(NotAllowed, match="waits for a decision"):
        run(services, source, tmp_path, cycle=waiting.cycle)
    assert services.ledger.genome(waiting.id).status is GenomeStatus.PENDING_APPROVAL


def test_a_resume_on_an_unknown_thread_is_refused(services: EvolutionServices, tmp_path: Path) -> None:
    with open_checkpoints(tmp_path / "cycles.sqlite") as saver:
        graph = build_evolution_graph(services, saver)
        with pytest.raises(UnknownGenome, match="no cycle is under way"):
            graph.invoke(Command(resume={"decision": "approve"}), _config("nobody"))


def test_a_resume_after_the_end_changes_nothing(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=tmp_path / "cycles.sqlite")
    assert not wake(
        waiting.cycle, review(waiting, "reject", "eve"), services=services, checkpoints=tmp_path / "cycles.sqlite"
    )
    assert services.ledger.genome(waiting.id).status is GenomeStatus.ACTIVE


def test_an_answer_to_the_interrupt_is_a_decision(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    with open_checkpoints(tmp_path / "cycles.sqlite") as saver:
        graph = build_evolution_graph(services, saver)
        [asked] = [i for t in graph.get_state(_config(waiting.cycle)).tasks for i in t.interrupts]
        assert asked.value["config"]["allow_edit"] is False
        assert asked.value["action_request"]["args"]["genome_hash"] == waiting.genome_hash
        json.dumps(asked.value)
        final = graph.invoke(Command(resume={"decision": "approve", "reviewer": "bob"}), _config(waiting.cycle))
    assert final["outcome"] == "activated"
    assert services.ledger.genome(waiting.id).status is GenomeStatus.ACTIVE


def test_agent_inbox_may_answer(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    args = {"genome_hash": waiting.genome_hash, "version": str(waiting.version)}
    with open_checkpoints(tmp_path / "cycles.sqlite") as saver:
        graph = build_evolution_graph(services, saver)
        answer = [{"type": "accept", "args": {"action": "approve_genome", "args": args}}]
        final = graph.invoke(Command(resume=answer), _config(waiting.cycle))
    assert final["outcome"] == "activated"
    assert services.ledger.decisions(waiting.id)[-1].reviewer == "agent-inbox"


def test_a_refused_answer_asks_again(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with open_checkpoints(tmp_path / "cycles.sqlite") as saver:
        graph = build_evolution_graph(services, saver)
        graph.invoke(Command(resume={"decision": "approve", "reviewer": "ada"}), _config(waiting.cycle))
        [asked] = [i for t in graph.get_state(_config(waiting.cycle)).tasks for i in t.interrupts]
        assert "ada" in asked.value["refused"]
        final = graph.invoke(Command(resume={"decision": "approve", "reviewer": "bob"}), _config(waiting.cycle))
    assert final["outcome"] == "activated"


def test_a_decision_without_a_wake_is_finished_by_the_reconciler(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    services.ledger.approve(waiting.id, review(waiting), {"reviewer"})
    assert services.ledger.cycle(waiting.cycle).state is CycleState.DECIDED
    done = reconcile(services=services, checkpoints=tmp_path / "cycles.sqlite")
    assert any(waiting.cycle in words for words in done)
    assert services.ledger.cycle(waiting.cycle).state is CycleState.FINISHED


def test_the_budget_is_never_exceeded(services: EvolutionServices, source: QuerySource, tmp_path: Path) -> None:
    result = run(services, source, tmp_path, budget=Budget(calls=30))
    assert services.ledger.spending(result.cycle).settled.calls <= 30
    assert result.outcome == "recorded"


def test_the_shipped_genome_is_where_a_layer_starts(tmp_path: Path) -> None:
    opened = open_evolution_services(Settings(data_dir=tmp_path / "d", cache_dir=tmp_path / "c", embedder="none"))
    assert opened.default("cache_policy", "general") == default_genome("cache_policy", "general")


@pytest.mark.parametrize(
    ("layer", "source", "words"),
    [
        ("cache_policy", QuerySource(), "needs --queries"),
        ("postprocess", QuerySource(), "needs --collection"),
        ("cache_policy", QuerySource(queries="nowhere.jsonl"), "cannot read"),
        ("retrieval", QuerySource(), "domain"),
    ],
)
def test_a_cycle_without_queries_says_what_it_needs(
    services: EvolutionServices, layer: Any, source: QuerySource, words: str, tmp_path: Path
) -> None:
    with pytest.raises(CallerError, match=words):
        evolve(layer, "general", "ada", source=source, services=services, checkpoints=tmp_path / "c.sqlite")


@pytest.mark.slow
def test_a_killed_cycle_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    """Killed at random moments, again and again, it ends like one that ran in peace."""
    log = labelled_answers(tmp_path / "log.jsonl")
    peaceful = _totals(tmp_path / "peace", log, kills=0)
    assert _totals(tmp_path / "war", log, kills=12) == peaceful


def _totals(folder: Path, log: Path, kills: int) -> dict[str, Any]:
    """What a cycle came to: results, settled calls, outcome; its process killed so many times."""
    rng = random.Random(7)
    script = "from tests.graph.killed_cycle import main; main()"
    while True:
        process = subprocess.Popen([sys.executable, "-c", script, str(folder), str(log)], cwd=Path(__file__).parents[2])
        if kills:
            kills -= 1
            time.sleep(rng.uniform(1.0, 6.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
            continue
        assert process.wait(timeout=240) == 0
        told: dict[str, Any] = json.loads((folder / "totals.json").read_text())
        return told


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
