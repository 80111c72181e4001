"""The evolution graph: its picture, its promises to the person who decides, and what a crash may not cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from iterative_retrieval.evolution.defaults import default_genome
from iterative_retrieval.graph.evolution import build_evolution_graph
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import cycle_result, decide, evolve, rollback, wake
from iterative_retrieval.graph.reconcile import reconcile
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.errors import AlreadyDecided, CallerError, NotAllowed, StaleReview, UnknownGenome
from iterative_retrieval.state.evolution import Budget, GenomeRecord, GenomeStatus
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.ledger_ports import CycleState
from iterative_retrieval.stores.checkpoints import open_checkpoints
from tests.graph.cycles import checkpoints_in, review, run, services_in

DOCS = Path(__file__).parents[2] / "docs"


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
    decision = decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    active = services.ledger.active("cache_policy", "general")
    assert active is not None and active.id == waiting.id
    assert decision.replaced is not None
    assert cycle_result(waiting.cycle, services).outcome == "activated"


def test_a_running_service_serves_the_new_genome_at_once(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    domains = services.trials.docs.domains  # type: ignore[attr-defined]
    before, epoch = domains.of("general").cache_policy, domains.epoch("general")
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    assert domains.of("general").cache_policy != before
    assert domains.epoch("general") != epoch


def test_a_rejection_leaves_the_active_genome(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    before = services.ledger.active("cache_policy", "general")
    decide(waiting.id, review(waiting, "reject"), services=services, checkpoints=checkpoints_in(tmp_path))
    assert services.ledger.active("cache_policy", "general") == before
    assert services.ledger.genome(waiting.id).status is GenomeStatus.REJECTED
    assert cycle_result(waiting.cycle, services).outcome == "rejected"


def test_the_requester_cannot_approve(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        decide(waiting.id, review(waiting, reviewer="ada"), services=services, checkpoints=checkpoints_in(tmp_path))
    assert services.ledger.genome(waiting.id).status is GenomeStatus.PENDING_APPROVAL


def test_the_requester_may_withdraw(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    decide(
        waiting.id,
        review(waiting, "reject", reviewer="ada"),
        services=services,
        checkpoints=checkpoints_in(tmp_path),
    )
    assert services.ledger.genome(waiting.id).status is GenomeStatus.REJECTED
    assert cycle_result(waiting.cycle, services).outcome == "rejected"


def test_the_second_decision_gets_a_conflict(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    with pytest.raises(AlreadyDecided, match="bob"):
        decide(waiting.id, review(waiting, "reject", "eve"), services=services, checkpoints=checkpoints_in(tmp_path))


def test_a_stale_review_is_refused(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with pytest.raises(StaleReview):
        decide(
            waiting.id,
            review(waiting, version=waiting.version + 1),
            services=services,
            checkpoints=checkpoints_in(tmp_path),
        )


def test_rollback_is_one_more_decision(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
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
    with open_checkpoints(checkpoints_in(tmp_path)) as saver:
        graph = build_evolution_graph(services, saver)
        with pytest.raises(UnknownGenome, match="no cycle is under way"):
            graph.invoke(Command(resume={"decision": "approve"}), _config("nobody"))


def test_a_resume_after_the_end_changes_nothing(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    assert not wake(
        waiting.cycle, review(waiting, "reject", "eve"), services=services, checkpoints=checkpoints_in(tmp_path)
    )
    assert services.ledger.genome(waiting.id).status is GenomeStatus.ACTIVE


def test_an_answer_to_the_interrupt_is_a_decision(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    with open_checkpoints(checkpoints_in(tmp_path)) as saver:
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
    with open_checkpoints(checkpoints_in(tmp_path)) as saver:
        graph = build_evolution_graph(services, saver)
        answer = [{"type": "accept", "args": {"action": "approve_genome", "args": args}}]
        final = graph.invoke(Command(resume=answer), _config(waiting.cycle))
    assert final["outcome"] == "activated"
    assert services.ledger.decisions(waiting.id)[-1].reviewer == "agent-inbox"


def test_a_refused_answer_asks_again(services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path) -> None:
    with open_checkpoints(checkpoints_in(tmp_path)) as saver:
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
    done = reconcile(services, checkpoints_in(tmp_path))
    assert any(waiting.cycle in words for words in done)
    assert services.ledger.cycle(waiting.cycle).state is CycleState.FINISHED


def test_the_budget_is_never_exceeded(source: QuerySource, tmp_path: Path) -> None:
    services = services_in(tmp_path)
    result = run(services, source, tmp_path, budget=Budget(calls=30))
    assert services.ledger.spending(result.cycle).settled.calls <= 30
    assert result.outcome == "recorded"


def test_the_shipped_genome_is_where_a_layer_starts(tmp_path: Path) -> None:
    opened = open_evolution_services(Settings(data_dir=tmp_path / "d", cache_dir=tmp_path / "c", embedder="none"))
    assert opened.default("cache_policy", "general") == default_genome("cache_policy", "general")


@pytest.mark.parametrize(
    ("layer", "given", "words"),
    [
        ("cache_policy", QuerySource(), "needs --queries"),
        ("postprocess", QuerySource(), "needs --collection"),
        ("cache_policy", QuerySource(queries="nowhere.jsonl"), "cannot read"),
        ("retrieval", QuerySource(), "domain"),
    ],
)
def test_a_cycle_without_queries_says_what_it_needs(
    services: EvolutionServices, layer: Any, given: QuerySource, words: str, tmp_path: Path
) -> None:
    with pytest.raises(CallerError, match=words):
        evolve(layer, "general", "ada", source=given, services=services, checkpoints=tmp_path / "c.sqlite")


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
