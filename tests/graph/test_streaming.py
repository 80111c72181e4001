"""Streams of the compiled graphs: every step, and what it tells meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iterative_retrieval.graph.docsearch import build_docsearch_graph
from iterative_retrieval.graph.retrieval import build_retrieval_graph
from iterative_retrieval.graph.services import open_services
from iterative_retrieval.graph.settings import Settings
from tests.graph.handbook import indexed
from tests.repositories import write_files
from tests.samples import RATE_LIMITING


def read(graph: Any, request: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Names of the steps, kinds of the events."""
    parts = list(graph.stream(request, stream_mode=["updates", "custom"]))
    steps = [name for mode, part in parts if mode == "updates" for name in part]
    return steps, [part["kind"] for mode, part in parts if mode == "custom"]


def test_a_retrieval_streams_each_step_and_its_progress(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", RATE_LIMITING)
    graph = build_retrieval_graph(open_services(Settings(cache_dir=tmp_path / "cache")))
    steps, kinds = read(graph, {"task": "Add rate limiting to API endpoints", "root": str(tmp_path / "shop")})
    cycle = ["dispatch", "evaluate"]
    assert steps == ["route", *cycle, "refine", "loop", *cycle, "finish"]
    assert [kind for kind in kinds if kind != "index_progress"] == [
        "routed",
        "cycle_dispatched",
        "cycle_evaluated",
        "loop_decided",
        "cycle_refined",
        "cycle_dispatched",
        "cycle_evaluated",
        "loop_decided",
        "finished",
    ]


def test_a_question_streams_each_step_and_its_progress(tmp_path: Path) -> None:
    graph = build_docsearch_graph(indexed(tmp_path))
    steps, kinds = read(graph, {"question": "How long is a time-out?", "collection": "handbook"})
    assert (steps[:4], steps[-2:]) == (["intake", "lookup", "route", "dispatch"], ["admit", "record"])
    assert kinds[0] == "cache_asked"
