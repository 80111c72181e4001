"""The retrieval graph: its picture, its counter, its promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from iterative_retrieval import build_retrieval_graph, retrieve
from iterative_retrieval.graph.retrieval import RECURSION_LIMIT, after_evaluate, after_loop
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.candidate import Evaluation
from iterative_retrieval.state.loop import Verdict, keep_best
from iterative_retrieval.state.package import StopReason
from iterative_retrieval.state.retrieval import RetrievalInput
from tests.repositories import MakeRepo
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY

DOCS = Path(__file__).parents[2] / "docs"
TASK = "Fix the authentication token expiry bug"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return open_services(Settings(cache_dir=tmp_path / "cache"))


def _request(root: Path) -> RetrievalInput:
    return RetrievalInput(task=TASK, root=str(root))


def _evaluation(path: str, score: float, cycle: int = 1) -> Evaluation:
    return Evaluation(path=path, score=score, relevance=0.5, probability=0.1, reason="", cycle=cycle)


def test_the_picture_in_the_docs_is_the_graph(services: Services) -> None:
    picture = build_retrieval_graph(services).get_graph().draw_mermaid()
    assert picture.strip() in (DOCS / "architecture.md").read_text(encoding="utf-8")


def test_the_counter_counts_the_cycles(make_repo: MakeRepo, services: Services) -> None:
    root = make_repo(TOKEN_EXPIRY).path
    for most in (1, 2, 3):
        result = retrieve(TASK, root, max_cycles=most, services=services)
        assert len(result.cycles) <= most
        assert [t.cycle for t in result.cycles] == list(range(1, len(result.cycles) + 1))


def test_the_last_cycle_does_not_refine(make_repo: MakeRepo, services: Services) -> None:
    result = retrieve(TASK, make_repo(TOKEN_EXPIRY).path, max_cycles=1, services=services)
    assert result.cycles[-1].learned == []
    assert result.stopped_by is StopReason.MAX_CYCLES


def test_no_query_is_dispatched_twice(make_repo: MakeRepo, services: Services) -> None:
    result = retrieve(TASK, make_repo(TOKEN_EXPIRY).path, services=services)
    asked = [t.query.model_dump_json() for t in result.cycles]
    assert len(set(asked)) == len(asked)


def test_what_a_cycle_found_stays_found(make_repo: MakeRepo, services: Services) -> None:
    result = retrieve(TASK, make_repo(TOKEN_EXPIRY).path, services=services)
    for earlier, later in zip(result.cycles, result.cycles[1:], strict=False):
        assert set(earlier.ranking) <= set(later.ranking)


def test_the_same_request_gives_the_same_answer(make_repo: MakeRepo, services: Services) -> None:
    root = make_repo(TOKEN_EXPIRY).path
    answers = [retrieve(TASK, root, services=services).model_dump(exclude={"cycles"}) for _ in range(2)]
    assert answers[0] == answers[1]


def test_another_process_would_give_the_same_answer(make_repo: MakeRepo, tmp_path: Path) -> None:
    root = make_repo(TOKEN_EXPIRY).path
    answers = [
        retrieve(TASK, root, services=open_services(Settings(cache_dir=tmp_path / name))).ranked for name in ("a", "b")
    ]
    assert answers[0] == answers[1]


def test_checkpoints_hold_no_file_texts_and_give_back_what_went_in(make_repo: MakeRepo, services: Services) -> None:
    graph = build_retrieval_graph(services, checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": RECURSION_LIMIT}
    out = graph.invoke(_request(make_repo(TOKEN_EXPIRY).path), config)
    values = graph.get_state(config).values
    assert values["package"] == out["package"]
    stored = json.dumps({k: str(v) for k, v in values.items()})
    assert "header.replace" not in stored
    assert len(stored) < 60_000


def test_the_output_is_the_package_alone(make_repo: MakeRepo, services: Services) -> None:
    out = build_retrieval_graph(services).invoke(_request(make_repo(TOKEN_EXPIRY).path))
    assert set(out) == {"package"}


async def test_the_graph_runs_asynchronously(make_repo: MakeRepo, services: Services) -> None:
    out = await build_retrieval_graph(services).ainvoke(_request(make_repo(RATE_LIMITING).path))
    assert out["package"].stopped_by in StopReason


def test_progress_arrives_in_order(make_repo: MakeRepo, services: Services) -> None:
    kinds: list[str] = []
    retrieve(TASK, make_repo(TOKEN_EXPIRY).path, services=services, progress=lambda e: kinds.append(e.kind))
    first = [
        kinds.index(k)
        for k in ("index_progress", "routed", "cycle_dispatched", "cycle_evaluated", "loop_decided", "finished")
    ]
    assert first == sorted(first)
    assert kinds[-1] == "finished"


@pytest.mark.parametrize("stop", [None, StopReason.SUFFICIENT])
def test_routes_follow_the_verdict(stop: StopReason | None) -> None:
    state = {"verdict": Verdict(stop=stop, sufficient=False, reason="")}
    assert after_evaluate(state) == ("finish" if stop else "refine")  # type: ignore[arg-type]
    assert after_loop(state) == ("finish" if stop else "dispatch")  # type: ignore[arg-type]


def test_best_so_far_keeps_the_better_score_and_the_first_cycle() -> None:
    kept = keep_best(
        [_evaluation("a", 2.0), _evaluation("b", 1.0)],
        [_evaluation("a", 1.0, 2), _evaluation("b", 3.0, 2), _evaluation("c", 0.5, 2)],
    )
    assert [(e.path, e.score, e.cycle) for e in kept] == [("b", 3.0, 1), ("a", 2.0, 1), ("c", 0.5, 2)]


def test_a_second_request_on_a_thread_inherits_nothing(make_repo: MakeRepo, services: Services) -> None:
    root = make_repo(TOKEN_EXPIRY).path
    graph = build_retrieval_graph(services, checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": RECURSION_LIMIT}
    graph.invoke({"task": TASK, "root": str(root), "budget": 300, "patterns": ["src/user.ts"], "ref": "HEAD"}, config)  # type: ignore[call-overload]
    second = graph.invoke({"task": "Show the invoice total", "root": str(root)}, config)  # type: ignore[call-overload]
    fresh = retrieve("Show the invoice total", root, services=services)
    assert second["package"].ranked == fresh.ranked
    assert second["package"].budget == fresh.budget
    assert len(second["package"].cycles) == len(fresh.cycles)
