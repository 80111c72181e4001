"""Runs that are given up: they end, and what comes after them is as if they had never been."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from iterative_retrieval import ContextPackage, aretrieve, as_node, as_tool, retrieve
from iterative_retrieval.graph.retrieval import build_retrieval_graph
from iterative_retrieval.graph.serializer import checkpoint_serializer
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.progress import Progress
from iterative_retrieval.state.retrieval import RetrievalInput
from tests.repositories import write_files
from tests.samples import TOKEN_EXPIRY

TASK = "Fix the authentication token expiry bug"
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, TOKEN_EXPIRY)
    return folder


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return open_services(Settings(cache_dir=tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True)
def nothing_is_lost(root: Path, services: Services) -> Iterator[None]:
    """After each of these tests, the same request gives what it gave before."""
    before = retrieve(TASK, root, services=services)
    yield
    after = retrieve(TASK, root, services=services)
    assert (after.files, after.ranked, after.gaps) == (before.files, before.ranked, before.gaps)


class GivenUp(Exception):
    """What a caller raises who has had enough."""


def give_up(event: Progress) -> None:
    if event.kind == "cycle_evaluated":
        raise GivenUp


def test_a_caller_ends_a_retrieval_out_of_its_progress(root: Path, services: Services) -> None:
    with pytest.raises(GivenUp):
        retrieve(TASK, root, services=services, progress=give_up)


async def test_a_cancelled_aretrieve_ends_at_once(root: Path, services: Services) -> None:
    loop, begun = asyncio.get_running_loop(), asyncio.Event()
    told: list[str] = []

    def watch(event: Progress) -> None:
        told.append(event.kind)
        loop.call_soon_threadsafe(begun.set)

    running = asyncio.create_task(aretrieve(TASK, root, services=services, progress=watch))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert told


async def test_a_stream_that_nobody_reads_to_its_end_ends(root: Path, services: Services) -> None:
    graph = build_retrieval_graph(services, checkpointer=InMemorySaver(serde=checkpoint_serializer()))
    request: Any = RetrievalInput(task=TASK, root=str(root))
    stream = graph.astream(request, THREAD, stream_mode="updates")
    async for _ in stream:
        break
    await stream.aclose()  # type: ignore[attr-defined]
    assert (await graph.aget_state(THREAD)).next, "the thread stands before a step"
    assert (await graph.ainvoke(None, THREAD))["package"].files


class Parent(TypedDict, total=False):
    """A parent whose keys are its own."""

    goal: str
    held: ContextPackage


async def test_a_parent_that_was_cancelled_in_the_retrieval_goes_on_with_it(root: Path, services: Services) -> None:
    builder = StateGraph(Parent)
    builder.add_node("find", as_node({"task": "goal"}, "held", root=root, services=services))
    builder.add_edge(START, "find")
    builder.add_edge("find", END)
    graph = builder.compile(checkpointer=InMemorySaver(serde=checkpoint_serializer()))
    await _cancelled_in_the_middle(graph, {"goal": TASK})
    assert (await graph.aget_state(THREAD)).next == ("find",)
    assert (await graph.ainvoke(None, THREAD))["held"].files


async def test_a_tool_call_can_be_cancelled(root: Path, services: Services) -> None:
    tool = as_tool(root, services=services)
    running = asyncio.create_task(tool.ainvoke({"task": TASK}))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert "src/auth.ts" in await tool.ainvoke({"task": TASK})


async def _cancelled_in_the_middle(graph: Any, given: Any) -> None:
    """A run that is cancelled when it has told its first progress."""
    begun = asyncio.Event()

    async def run() -> None:
        async for _ in graph.astream(given, THREAD, stream_mode="custom"):
            begun.set()

    running = asyncio.create_task(run())
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
